"""Statistics of many values: equal to numpy's; their limits hold for any unseen values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickertape.answers.sample import (
    PERCENTILES,
    RESOLUTION_BITS,
    Distribution,
    Figure,
    Sample,
    Unseen,
)

VALUES = st.lists(st.integers(0, 1000), max_size=60)


def of(values: list[int], unseen: Unseen | None = None) -> Distribution:
    sample = Sample()
    half = len(values) // 2  # values arrive in several parts
    every, numbers = np.array(values, np.int64), np.arange(len(values))
    sample.extend(every[:half], numbers[:half])
    sample.extend(every[half:], numbers[half:])
    return sample.distribution() if unseen is None else sample.distribution(unseen)


def figures(found: Distribution) -> list[Figure]:
    return [found.count, found.minimum, found.mean, found.maximum, *found.percentiles.values()]


@given(VALUES.filter(bool))
def test_figures_are_those_of_numpy(values: list[int]) -> None:
    found = of(values)
    assert found.count.value == len(values)
    assert (found.minimum.value, found.maximum.value) == (min(values), max(values))
    assert found.mean.value == pytest.approx(np.mean(values))
    for percent in PERCENTILES:
        true = np.percentile(values, percent, method="inverted_cdf")
        assert found.percentiles[percent].value == true
    assert found.worst == values.index(max(values))
    assert found.exact
    assert all(figure.exact for figure in figures(found))


@given(VALUES, VALUES, st.none() | st.integers(0, 5))
def test_no_unseen_value_moves_a_figure_beyond_its_limits(
    seen: list[int], unseen: list[int], more: int | None
) -> None:
    limits = Unseen(None if more is None else len(unseen) + more, max(unseen, default=0))
    true, found = of(seen + unseen), of(seen, limits)
    for one, limit in zip(figures(true), figures(found), strict=True):
        if one.value is not None and (unseen or seen):
            assert limit.low <= one.value + 1e-9
            assert limit.high is None or one.value <= limit.high + 1e-9


def test_nothing_limits_unseen_values_of_any_length() -> None:
    found = of([5, 7], Unseen(None, None))
    assert found.maximum == (7, 7, None)
    assert found.percentiles[50] == (5, 0, None)
    assert found.mean == (6, 0, None)
    assert found.minimum == (5, 0, 5)


def test_one_unseen_value_moves_the_median_by_one_place() -> None:
    found = of(list(range(1, 102)), Unseen(1, 10**6))
    assert found.percentiles[50] == (51, 50, 51)
    assert found.percentiles[99] == (100, 100, 101)


def test_many_values_keep_the_stated_resolution() -> None:
    values = np.random.default_rng(7).integers(0, 10**9, 200_000)
    sample = Sample()
    sample.extend(values)
    found = sample.distribution()
    assert not found.exact
    assert (found.minimum.value, found.maximum.value) == (values.min(), values.max())
    assert found.mean.value == pytest.approx(values.mean())
    for percent in PERCENTILES:
        true = int(np.percentile(values, percent, method="inverted_cdf"))
        value = found.percentiles[percent].value
        assert value is not None
        assert true * (1 - 2.0**-RESOLUTION_BITS) < value <= true
    assert len(sample._values) < 1 << 16


def test_nothing_is_no_figure() -> None:
    found = of([])
    assert [figure.value for figure in figures(found)] == [0, None, None, None, None, None, None]
    assert found.worst is None

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickertape.decode import clock

PERIOD = 1 << 32


@st.composite
def buffers(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """Draw anchors and true times of some buffers; steps may be as long as the format allows."""
    step = st.one_of(st.integers(0, 1000), st.integers(0, PERIOD - 1))
    now = draw(st.integers(0, 1 << 50))
    anchors, times = [], []
    for _ in range(draw(st.integers(1, 6))):
        now += draw(step)
        anchors.append(now)
        now += draw(step)
        inside = []
        for _ in range(draw(st.integers(0, 6))):
            inside.append(now)
            now += draw(step)
        times.append(inside)
    return anchors, times


def reconstruct(anchors: list[int], times: list[list[int]]) -> list[int]:
    flat = [time for inside in times for time in inside]
    counts = [len(inside) for inside in times]
    low = (np.array(flat, np.uint64) % PERIOD).astype(np.uint32)
    starts = np.cumsum([0, *counts[:-1]]).astype(np.intp)
    result = clock.ticks_64(low, starts, np.array(anchors, np.uint64))
    assert result.dtype == np.uint64
    return [int(time) for time in result]


@given(buffers())
def test_times_come_back(case: tuple[list[int], list[list[int]]]) -> None:
    anchors, times = case
    assert reconstruct(anchors, times) == [time for inside in times for time in inside]


@pytest.mark.parametrize("anchor", [0, 1, PERIOD - 1, PERIOD, PERIOD + 5, (1 << 60) + 3])
@pytest.mark.parametrize("first", [0, 1, PERIOD - 1])
@pytest.mark.parametrize("step", [0, 1, PERIOD // 2, PERIOD - 1])
def test_edges(anchor: int, first: int, step: int) -> None:
    times = [[anchor + first + number * step for number in range(5)]]
    assert reconstruct([anchor], times) == times[0]


def test_nothing() -> None:
    assert reconstruct([5], [[]]) == []


def test_both_ways_agree_where_nothing_wraps() -> None:
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.integers(0, 1000, 5000)).astype(np.uint64) + np.uint64(PERIOD - 1000)
    low = times.astype(np.uint32)
    starts = np.arange(0, 5000, 100)
    anchors = times[starts] - np.uint64(1)
    fast = clock._without_wraps(low, starts, anchors)
    assert fast is not None
    assert np.array_equal(fast, clock._with_wraps(low, starts, anchors))
    assert np.array_equal(fast, times)


def test_an_anchor_that_steps_back_is_taken_at_its_word() -> None:
    # The clock was set back: each buffer starts from its own anchor.
    assert reconstruct([1000, 500], [[1001, 1002], [501, 502]]) == [1001, 1002, 501, 502]

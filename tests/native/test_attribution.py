"""Compiled attribution equals that of Python, and the parts of adjacent ranges add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row, columns, gap
from tests.support.conflicts import conflicts
from tests.support.examples import examples
from tests.support.plans import names
from tests.support.simulation import simulate
from tickertape._native.attribution import Attributor
from tickertape._native.interface import STRETCH, TRANSITION
from tickertape.answers import attribution as reference
from tickertape.answers.attribution import ANY_INSTANCE, Attribution, Window
from tickertape.answers.compiled_attribution import CompiledAttribution
from tickertape.decode.events import split_columns
from tickertape.model.entities import Kind
from tickertape.model.system import SystemModel
from tickertape.model.transitions import scheduled

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from ctypes import CDLL

    from tickertape.answers.attribution import Path
    from tickertape.decode.events import EventColumns

END = 10_000
"""A time after all events."""


def both(
    compiled: CDLL, parts: Sequence[EventColumns], spans: Sequence[tuple[int, int, int]]
) -> list[Counter[Path]]:
    """Attribute spans (instance, begin, end) of each task; return the ticks, equal in both."""
    model = SystemModel(names)
    fed = [scheduled(model.feed(part)) for part in parts]
    tasks = [one.index for one in model.entities if one.kind is Kind.TASK]
    found = []
    for engine in (None, compiled):
        windows = [Window(task, *span) for task in tasks for span in spans]
        if engine is None:
            attribution = Attribution(model.entities, windows)
        else:
            attribution = CompiledAttribution(engine, model.entities, windows)
        for one in fed:
            attribution.feed(one)
        attribution.finish(END)
        found.append([window.by_path() for window in windows])
    assert found[0] == found[1]
    return found[0]


def parts_of(rows: list[Row], cut: int, *, is_lossy: bool) -> list[EventColumns]:
    cut = min(cut, len(rows))
    gaps = [gap(cut, since=rows[cut - 1].time)] if is_lossy and 0 < cut < len(rows) else []
    return list(split_columns(columns(rows, gaps), cut or 1))


@settings(max_examples=examples(400))
@given(conflicts(), st.integers(0, 60), st.integers(0, 1), st.integers(0, 60), st.integers(0, 60))
def test_threads_that_share_mutexes(
    compiled: CDLL, rows: list[Row], cut: int, losses: int, begin: int, length: int
) -> None:
    parts = parts_of(rows, cut, is_lossy=bool(losses))
    both(compiled, parts, [(ANY_INSTANCE, begin, begin + length), (0, 0, END), (1, begin, END)])


@settings(max_examples=examples(200))
@given(conflicts(), st.integers(0, 60), st.integers(0, 1), st.tuples(*[st.integers(0, 90)] * 3))
def test_the_parts_of_adjacent_ranges_add_up(
    compiled: CDLL, rows: list[Row], cut: int, losses: int, times: tuple[int, int, int]
) -> None:
    first, middle, last = sorted(times)
    spans = [(first, last), (first, middle), (middle, last)]
    parts = parts_of(rows, cut, is_lossy=bool(losses))
    found = both(compiled, parts, [(ANY_INSTANCE, *span) for span in spans])
    for whole, head, tail in zip(found[::3], found[1::3], found[2::3], strict=True):
        assert whole == head + tail
        assert whole.total() == last - first


@settings(max_examples=examples(30))
@given(st.integers(0, 100_000))
def test_a_simulated_kernel(compiled: CDLL, seed: int) -> None:
    rows = simulate(seed, 1 + seed % 2, 1500).rows
    both(compiled, [columns(rows)], [(ANY_INSTANCE, 0, 700), (0, 0, END), (3, 0, END)])


def test_old_segments_are_added_up(compiled: CDLL, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "SEGMENTS", 3)
    rows = simulate(7, 1, 1500).rows
    assert any(both(compiled, [columns(rows)], [(ANY_INSTANCE, 0, END)]))


def test_foreign_arrays_and_entities_are_refused(compiled: CDLL) -> None:
    kind, is_tracer = np.zeros(1, np.int64), np.zeros(1, np.uint8)
    attributor = Attributor(compiled, 9, [])
    with pytest.raises(ValueError, match="not transitions"):
        attributor.feed(np.zeros(0, STRETCH), kind, is_tracer)
    wrong = np.zeros(1, TRANSITION)
    wrong["entity"] = 7
    with pytest.raises(ValueError, match="unknown entity"):
        attributor.feed(wrong, kind, is_tracer)
    missing = Attributor(compiled, 9, [(-1, 0, 0, 1)])
    with pytest.raises(ValueError, match="unknown entity"):
        missing.finish(1, kind, is_tracer)

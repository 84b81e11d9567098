"""Rows on disk, compared with the intervals from which they were made."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tickertape.view.queries import edges_of
from tickertape.view.rows import STATES, RowLog, RowStore

BEGIN, LAST = 5, 400
ENTRIES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, STATES - 1)), max_size=200
)
"""Row, time since the previous entry, state."""


def store_of(entries: list[tuple[int, int, int]], folder: Path, pieces: int) -> RowStore:
    """Write entries, `pieces` at a time; the time steps accumulate over all rows."""
    log = RowLog(folder)
    times = BEGIN + np.cumsum([0, *(step for _, step, _ in entries)])[1:]
    for first in range(0, len(entries), pieces):
        part = entries[first : first + pieces]
        count = len(part)
        log.add(
            np.array([row for row, _, _ in part], np.int64),
            times[first : first + pieces].astype(np.int64),
            np.array([state for _, _, state in part], np.uint8),
            np.zeros(count, np.uint8),
            np.arange(first, first + count, dtype=np.int32),
        )
    log.finish([0, 1, 0, 1], BEGIN)
    return RowStore(folder, max(LAST, int(times[-1]) + 1 if len(times) else 0))


def naive(entries: list[tuple[int, int, int]], row: int, end: int) -> list[tuple[int, int, int]]:
    """Return the intervals of a row, computed one by one: begin, end, state."""
    begins, time = [(BEGIN, row % 2)], BEGIN
    for one, step, state in entries:
        time += step
        if one == row:
            begins.append((time, state))
    begins.append((end, 0))
    return [(a, b, state) for (a, state), (b, _) in pairwise(begins)]


@settings(max_examples=examples(30))
@given(
    ENTRIES, st.integers(1, 70), st.integers(BEGIN, LAST), st.integers(1, 500), st.integers(1, 90)
)
def test_each_pixel_contains_the_time_and_number_of_each_state(
    entries: list[tuple[int, int, int]], pieces: int, begin: int, length: int, pixels: int
) -> None:
    with TemporaryDirectory() as name:
        store = store_of(entries, Path(name), pieces)
        edges = edges_of(begin, begin + length, pixels)
        for row in range(4):
            intervals = naive(entries, row, store.end)
            ticks, counts = store.sums(row, edges)
            for (a, b), spans, many in zip(
                pairwise(edges.tolist()),
                np.diff(ticks, axis=0).tolist(),
                np.diff(counts, axis=0).tolist(),
                strict=True,
            ):
                time, number = [0] * STATES, [0] * STATES
                for first, last, state in intervals:
                    time[state] += max(min(b, last, store.end) - max(a, first), 0)
                    number[state] += a <= first < b
                assert (spans, many) == (time, number)


@settings(max_examples=examples(30))
@given(ENTRIES, st.integers(BEGIN, LAST), st.integers(1, 500))
def test_slices_are_all_intervals_that_touch_a_range(
    entries: list[tuple[int, int, int]], begin: int, length: int
) -> None:
    with TemporaryDirectory() as name:
        store = store_of(entries, Path(name), 7)
        for row in range(4):
            found = store.slices(row, begin, begin + length)
            shown = [(int(one["begin"]), int(one["end"]), int(one["state"])) for one in found]
            touching = [
                one
                for one in naive(entries, row, store.end)
                if one[0] <= begin + length and (one[1] > begin or one[0] == begin)
            ]
            assert [one for one in shown if one in touching] == touching
            assert len(shown) <= len(touching) + 1


def test_a_state_of_a_row_never_begins_before_the_one_before_it(tmp_path: Path) -> None:
    log = RowLog(tmp_path)
    state = np.array([3, 0, 3], np.uint8)
    times = np.array([50, 40, 60], np.int64)  # a loss that begins before the last known state
    log.add(np.zeros(3, np.int64), times, state, state, np.zeros(3, np.int32))
    log.finish([0], 0)
    assert RowStore(tmp_path, 100).column("time", 0).tolist() == [0, 50, 50, 60]

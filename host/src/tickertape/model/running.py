"""Compute the running thread at each event, as a column parallel to the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.codes import CONTEXT_SWITCH
from tickertape.model.knowledge import breaks_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.knowledge import Break

UNKNOWN: Final = -1
_BLIND: Final = -2
"""Unknown, and the next switch does not resolve it: earlier switches may not be recorded."""


class RunningThreads:
    """Follows the context switches of every ring, chunk after chunk.

    A context switch belongs to the thread that loses the CPU. An event of an interrupt belongs to
    the interrupted thread. After a gap, and before the first known thread, the next switch of the
    chunk determines the thread. Without such a switch, and after a break (`knowledge`), the thread
    is unknown.
    """

    def __init__(self) -> None:
        """Start without a known thread."""
        self._running: dict[tuple[int, int, int], int] = {}

    def column(self, columns: EventColumns) -> NDArray[np.int64]:
        """Return the number of the running thread for each row, or UNKNOWN.

        If `columns.running` is set, return it: these columns are part of a larger chunk.
        """
        return self._found(columns) if columns.running is None else columns.running

    def _found(self, columns: EventColumns) -> NDArray[np.int64]:
        rings = _rings_of(columns)
        breaks = breaks_in(columns)
        for one in breaks:  # the thread of a CPU without an event here becomes unknown as well
            for key in self._running:
                if key[:2] == (columns.epoch, one.stream) and key[1:] not in rings:
                    self._running[key] = _BLIND
        if len(rings) == 1:
            return self._column_of(columns, rings[0], breaks, None)
        threads = np.full(len(columns), UNKNOWN, np.int64)
        pairs = columns.stream.astype(np.uint16) << np.uint16(8) | columns.cpu
        for stream, cpu in rings:
            rows = np.flatnonzero(pairs == (stream << 8 | cpu))
            threads[rows] = self._column_of(columns, (stream, cpu), breaks, rows)
        return threads

    def _column_of(
        self,
        columns: EventColumns,
        ring: tuple[int, int],
        breaks: list[Break],
        rows: NDArray[np.intp] | None,
    ) -> NDArray[np.int64]:
        """Return the threads of one ring's rows; of all rows when `rows` is None."""
        gaps = [gap.row for gap in columns.gaps if (gap.stream, gap.cpu) == ring]
        blind = [one.row for one in breaks if one.stream == ring[0]]
        key = (columns.epoch, *ring)
        switches = np.flatnonzero(columns.code == CONTEXT_SWITCH)
        if rows is not None:
            switches = np.intersect1d(switches, rows, assume_unique=True)
        before = self._running.get(key, UNKNOWN)
        values, places = self._segments(columns, switches, (gaps, blind), before)
        self._running[key] = int(values[-1])
        values = np.maximum(values, UNKNOWN)
        # Place 2r is after row r, place 2r - 1 before it.
        ends = (places + 2) >> 1
        count = len(columns)
        if rows is not None:
            ends, count = np.searchsorted(rows, ends), len(rows)
        return np.repeat(values, np.diff(ends, prepend=0, append=count))

    @staticmethod
    def _segments(
        columns: EventColumns,
        switches: NDArray[np.intp],
        losses: tuple[list[int], list[int]],
        before: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cut the rows into segments at switches, gaps and breaks, where the thread may change.

        A switch in row r takes effect after row r, a gap or break before row r takes effect before
        it. In units of half rows these places are 2r and 2r - 1.

        Args:
            columns: the events.
            switches: rows of the context switches.
            losses: rows after the gaps, and rows after the breaks.
            before: thread at the start; UNKNOWN or _BLIND if unknown.

        Returns:
            The thread of each segment, and the places between the segments (one fewer).
        """
        rows = np.array([row for some in losses for row in some], np.int64)
        lost = np.repeat([UNKNOWN, _BLIND], list(map(len, losses)))
        places = np.concatenate([2 * switches, 2 * rows - 1])
        order = np.argsort(places, kind="stable") if len(rows) else slice(None)
        after = np.concatenate([columns.data1[switches].astype(np.int64), lost])[order]
        ran = np.concatenate([columns.data0[switches].astype(np.int64), lost])[order]
        values = np.concatenate([[before], after])
        if len(rows) or before == _BLIND:
            # After a break, a gap does not end _BLIND; only a switch does.
            at = np.arange(len(values))
            told = np.maximum.accumulate(np.where((values == UNKNOWN) & (at > 0), 0, at))
            values = np.where(values[told] == _BLIND, _BLIND, values)
        # The switch at the end of a segment determines a thread that was unknown at its start.
        ends = np.maximum(np.concatenate([ran, [UNKNOWN]]), UNKNOWN)
        return np.where(values == UNKNOWN, ends, values), places[order]


def _rings_of(columns: EventColumns) -> list[tuple[int, int]]:
    """Return (stream, CPU) of every ring that has events or gaps in the columns."""
    seen = {(gap.stream, gap.cpu) for gap in columns.gaps}
    if len(columns):
        stream, cpu = int(columns.stream[0]), int(columns.cpu[0])
        if (columns.stream == stream).all() and (columns.cpu == cpu).all():
            seen.add((stream, cpu))
        else:
            pairs = columns.stream.astype(np.uint16) << np.uint16(8) | columns.cpu
            seen |= {(pair >> 8, pair & 0xFF) for pair in np.unique(pairs).tolist()}
    return sorted(seen)

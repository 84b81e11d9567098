"""Which thread ran at each event, as a column beside the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.kernel import CONTEXT_SWITCH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns

UNKNOWN: Final = -1


class RunningThreads:
    """Follows the context switches of every ring, chunk after chunk.

    A context switch belongs to the thread that it takes the CPU from. After a gap, and before the
    first switch of a chunk, the next switch of the chunk tells who ran; else it is unknown.
    """

    def __init__(self) -> None:
        """Begin without a known thread."""
        self._running: dict[tuple[int, int, int], int] = {}

    def column(self, columns: EventColumns) -> NDArray[np.int64]:
        """Return the thread number for each row, UNKNOWN where it is not known.

        Columns that say themselves who ran are believed: they are parts of something larger.
        """
        return self._found(columns) if columns.running is None else columns.running

    def _found(self, columns: EventColumns) -> NDArray[np.int64]:
        rings = _rings_of(columns)
        if len(rings) == 1:
            return self._column_of(columns, rings[0], None)
        threads = np.full(len(columns), UNKNOWN, np.int64)
        pairs = columns.stream.astype(np.uint16) << np.uint16(8) | columns.cpu
        for stream, cpu in rings:
            rows = np.flatnonzero(pairs == (stream << 8 | cpu))
            threads[rows] = self._column_of(columns, (stream, cpu), rows)
        return threads

    def _column_of(
        self, columns: EventColumns, ring: tuple[int, int], rows: NDArray[np.intp] | None
    ) -> NDArray[np.int64]:
        """Give the threads of one ring's rows; of all rows when `rows` is None."""
        gaps = [gap.row for gap in columns.gaps if (gap.stream, gap.cpu) == ring]
        key = (columns.epoch, *ring)
        switches = np.flatnonzero(columns.code == CONTEXT_SWITCH)
        if rows is not None:
            switches = np.intersect1d(switches, rows, assume_unique=True)
        before = self._running.get(key, UNKNOWN)
        values, places = self._segments(columns, switches, gaps, before)
        self._running[key] = int(values[-1])
        # A place 2r lies behind row r, a place 2r - 1 before it.
        ends = (places + 2) >> 1
        count = len(columns)
        if rows is not None:
            ends, count = np.searchsorted(rows, ends), len(rows)
        return np.repeat(values, np.diff(ends, prepend=0, append=count))

    @staticmethod
    def _segments(
        columns: EventColumns, switches: NDArray[np.intp], gaps: list[int], before: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cut the rows at the switches and gaps, where the running thread may change.

        A switch in row r acts on the rows after it, a gap before row r on r as well; as places on
        a scale of half rows these are 2r and 2r - 1.

        Returns:
            The thread of each segment, and the places between segments (one fewer).
        """
        places = np.concatenate([2 * switches, 2 * np.array(gaps, np.int64) - 1])
        order = np.argsort(places, kind="stable") if gaps else slice(None)
        lost = np.full(len(gaps), UNKNOWN)
        after = np.concatenate([columns.data1[switches].astype(np.int64), lost])[order]
        ran = np.concatenate([columns.data0[switches].astype(np.int64), lost])[order]
        values = np.concatenate([[before], after])
        # What a segment's begin does not tell, the switch at its end does.
        ends = np.concatenate([ran, [UNKNOWN]])
        return np.where(values == UNKNOWN, ends, values), places[order]


def _rings_of(columns: EventColumns) -> list[tuple[int, int]]:
    """Give (stream, CPU) of every ring that has events or gaps here."""
    seen = {(gap.stream, gap.cpu) for gap in columns.gaps}
    if len(columns):
        stream, cpu = int(columns.stream[0]), int(columns.cpu[0])
        if (columns.stream == stream).all() and (columns.cpu == cpu).all():
            seen.add((stream, cpu))
        else:
            pairs = columns.stream.astype(np.uint16) << np.uint16(8) | columns.cpu
            seen |= {(pair >> 8, pair & 0xFF) for pair in np.unique(pairs).tolist()}
    return sorted(seen)

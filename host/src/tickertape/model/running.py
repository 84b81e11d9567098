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
        """Nobody is known to run."""
        self._running: dict[tuple[int, int, int], int] = {}

    def column(self, columns: EventColumns) -> NDArray[np.int64]:
        """Return the thread number for each row, UNKNOWN where it is not known."""
        threads = np.full(len(columns), UNKNOWN, np.int64)
        rings = {(gap.stream, gap.cpu) for gap in columns.gaps}
        pairs = columns.stream.astype(np.uint32) << 8 | columns.cpu
        rings |= {(pair >> 8, pair & 0xFF) for pair in np.unique(pairs).tolist()}
        for stream, cpu in sorted(rings):
            rows = np.flatnonzero(pairs == (stream << 8 | cpu))
            gaps = [gap.row for gap in columns.gaps if (gap.stream, gap.cpu) == (stream, cpu)]
            key = (columns.epoch, stream, cpu)
            values, places = self._segments(columns, rows, gaps, self._running.get(key, UNKNOWN))
            threads[rows] = values[np.searchsorted(places, 2 * rows, side="left")]
            self._running[key] = int(values[-1])
        return threads

    @staticmethod
    def _segments(
        columns: EventColumns, rows: NDArray[np.intp], gaps: list[int], before: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cut the rows where the running thread may change.

        A switch in row r acts on the rows after it, a gap before row r on r as well; as places on
        a scale of half rows these are 2r and 2r - 1.

        Returns:
            The thread of each segment, and the places between segments (one fewer).
        """
        switches = rows[columns.code[rows] == CONTEXT_SWITCH]
        places = np.concatenate([2 * switches, 2 * np.array(gaps, np.int64) - 1])
        order = np.argsort(places, kind="stable")
        lost = np.full(len(gaps), UNKNOWN)
        after = np.concatenate([columns.data1[switches].astype(np.int64), lost])[order]
        ran = np.concatenate([columns.data0[switches].astype(np.int64), lost])[order]
        values = np.concatenate([[before], after])
        # What a segment's begin does not tell, the switch at its end does.
        ends = np.concatenate([ran, [UNKNOWN]])
        return np.where(values == UNKNOWN, ends, values), places[order]

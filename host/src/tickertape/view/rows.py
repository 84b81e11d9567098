"""Rows of a timeline on disk: intervals of states, row by row.

`RowLog` takes entries in the order of the tape and sorts them by row with bounded memory.
`RowStore` reads the result through memory maps. An interval ends where the next one of its row
begins, the last one at the end of the time axis.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.transitions import State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tickertape.decode.records import I64, U8, Structured

KERNEL: Final = State.PARKING + 1
"""State of a CPU row: neither a process nor idle time. Rows have the states before it; a task that
was created, or has ended, is shown as TERMINATED."""
INTERRUPT: Final = KERNEL + 1
"""State of a CPU row: an interrupt."""
POINT: Final = INTERRUPT + 1
"""State of rows of moments and of values."""
STATES: Final = POINT + 1
NO_ROW: Final = -1
"""Row number for no row, or an unknown one."""
BLOCK: Final = 32
"""Number of intervals per row of the tables of sums."""

STATE_NAMES: Final = (
    *(state.name.lower() for state in State if state < KERNEL),
    "kernel",
    "interrupt",
    "event",
)

_FIELDS: Final = {"time": "<i8", "state": "u1", "cause": "u1", "detail": "<i4"}
_LOGGED: Final = {"row": "<i4", **_FIELDS}
_CHUNK: Final = 1 << 18


class RowLog:
    """Writes the entries of all rows, in order of time within each row."""

    def __init__(self, folder: Path) -> None:
        """Create a log in an existing folder."""
        self._folder = folder
        # One file per column: columns are copied several times faster than entries.
        self._files = {name: (folder / f"log-{name}").open("w+b") for name in _LOGGED}
        self._counts = np.zeros(0, np.int64)

    def close(self) -> None:
        """Close the log, finished or not. May be called twice."""
        for file in self._files.values():
            file.close()

    def add(
        self, row: NDArray[np.integer], time: I64, state: U8, cause: U8, detail: NDArray[np.int32]
    ) -> None:
        """Add entries, as columns of equal length; see `_LOGGED`."""
        if not len(row):
            return
        counts = np.bincount(row)
        if len(counts) > len(self._counts):
            self._counts = np.pad(self._counts, (0, len(counts) - len(self._counts)))
        self._counts[: len(counts)] += counts
        columns: tuple[NDArray[np.integer], ...] = (row, time, state, cause, detail)
        for (name, kind), column in zip(_LOGGED.items(), columns, strict=True):
            column.astype(kind, copy=False).tofile(self._files[name])

    def finish(
        self, heads: Sequence[int], begin: int, alive: Callable[[], None] = lambda: None
    ) -> None:
        """Sort by row and write the files of `RowStore`.

        Args:
            heads: state of each row before its first entry.
            begin: begin of the time axis, ns.
            alive: called for each piece of work; an exception that it raises ends the sorting.
        """
        rows = len(heads)
        counts = np.pad(self._counts, (0, rows - len(self._counts))) + 1
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        offsets.tofile(self._folder / "offsets")
        total = int(offsets[-1])
        out = {
            name: np.memmap(self._folder / name, kind, "w+", shape=max(total, 1))
            for name, kind in _FIELDS.items()
        }
        out["time"][offsets[:-1]] = begin
        out["state"][offsets[:-1]] = heads
        out["detail"][offsets[:-1]] = -1
        free = (offsets[:-1] + 1).tolist()
        for file in self._files.values():
            file.seek(0)
        while len(keys := np.fromfile(self._files["row"], _LOGGED["row"], _CHUNK)):
            if rows <= np.iinfo(np.int16).max:  # numpy sorts 16 bits by radix, ten times faster
                keys = keys.astype(np.int16)
            alive()
            order = np.argsort(keys, kind="stable")
            keys = keys[order]
            first = np.flatnonzero(np.diff(keys, prepend=-1))
            pieces = list(
                zip(keys[first].tolist(), pairwise([*first.tolist(), len(keys)]), strict=True)
            )
            for name, kind in _FIELDS.items():
                column = np.fromfile(self._files[name], kind, len(keys))[order]
                for row, (begin_at, end_at) in pieces:
                    place = free[row]
                    out[name][place : place + end_at - begin_at] = column[begin_at:end_at]
            for row, (begin_at, end_at) in pieces:
                free[row] += end_at - begin_at
        self.close()
        for name in _LOGGED:
            (self._folder / f"log-{name}").unlink()
        for row in range(rows):
            alive()
            _never_back(out["time"][offsets[row] : offsets[row + 1]])
        # No sync to disk: an index that a power failure damages is made again.
        _write_sums(self._folder, out["time"], out["state"], offsets)


def _never_back(time: I64) -> None:
    """Make times non-decreasing: a loss of one CPU may begin before the last known state."""
    last = np.iinfo(np.int64).min
    for begin in range(0, len(time), _CHUNK):
        piece = time[begin : begin + _CHUNK]
        np.maximum.accumulate(piece, out=piece)
        np.maximum(piece, last, out=piece)
        last = piece[-1]


def _write_sums(folder: Path, time: I64, state: U8, offsets: I64) -> None:
    """Write for each block the time and the number of intervals before it in its row, by state."""
    with (folder / "sums").open("wb") as sums, (folder / "counts").open("wb") as counts:
        for row in range(len(offsets) - 1):
            begin, end = int(offsets[row]), int(offsets[row + 1])
            ticks, many = np.zeros(STATES, np.int64), np.zeros(STATES, np.int64)
            for first in range(begin, end, _CHUNK):
                last = min(first + _CHUNK, end)
                times = time[first : min(last + 1, end)]
                spans = np.diff(times)
                if len(spans) < last - first:
                    spans = np.append(spans, 0)
                block = np.arange(last - first) // BLOCK
                cells = block * STATES + state[first:last]
                size = (int(block[-1]) + 1) * STATES
                by_time = np.zeros(size, np.int64)
                np.add.at(by_time, cells, spans)
                by_count = np.bincount(cells, minlength=size)
                for file, total, steps in ((sums, ticks, by_time), (counts, many, by_count)):
                    table = total + np.cumsum(steps.reshape(-1, STATES), axis=0)
                    np.vstack([total, table[:-1]]).astype("<i8").tofile(file)
                    total[:] = table[-1]


class RowStore:
    """Reads rows; every answer is exact.

    Attributes:
        end: end of the time axis, at which the last interval of each row ends.
    """

    def __init__(self, folder: Path, end: int) -> None:
        """Open the files that `RowLog.finish` wrote."""
        self.end = end
        self._offsets = np.fromfile(folder / "offsets", "<i8")
        self._columns = {
            name: np.memmap(folder / name, kind, "r") for name, kind in _FIELDS.items()
        }
        blocks = (np.diff(self._offsets) + BLOCK - 1) // BLOCK
        self._blocks = np.concatenate([[0], np.cumsum(blocks)]).astype(np.int64)
        self._sums, self._counts = (
            np.fromfile(folder / name, "<i8").reshape(-1, STATES)
            if not int(self._blocks[-1])
            else np.memmap(folder / name, "<i8", "r").reshape(-1, STATES)
            for name in ("sums", "counts")
        )

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._offsets) - 1

    def column(self, name: str, row: int) -> NDArray[np.integer]:
        """Return a column of a row: time, state, cause or detail of its intervals."""
        begin, end = int(self._offsets[row]), int(self._offsets[row + 1])
        return self._columns[name][begin:end]

    def begins_before(self, row: int, times: I64) -> I64:
        """Return the number of intervals of a row that begin before each time."""
        return np.searchsorted(self.column("time", row), times, "left").astype(np.int64)

    def sums(self, row: int, times: I64) -> tuple[I64, I64]:
        """Return times and counts of the states of a row before each time.

        Args:
            row: number of the row.
            times: ascending times, not before the begin of the axis, ns.

        Returns:
            Two i64 arrays of shape (times, STATES): time in each state, and number of intervals
            of each state that begin.
        """
        time, state = self.column("time", row), self.column("state", row)
        until = np.clip(times, None, self.end)
        index = self.begins_before(row, until)
        block = np.maximum(index - 1, 0) // BLOCK
        first = int(self._blocks[row])
        ticks = np.array(self._sums[first + block])
        many = np.array(self._counts[first + block])
        # Add the intervals of the rest of the block; cut the last one at the requested time.
        place = block[:, None] * BLOCK + np.arange(BLOCK)
        inside = place < index[:, None]
        line, _ = np.nonzero(inside)
        place = place[inside]
        stop = np.where(
            place + 1 < index[line], time[np.minimum(place + 1, len(time) - 1)], until[line]
        )
        np.add.at(ticks, (line, state[place]), stop - time[place])
        np.add.at(many, (line, state[place]), 1)
        return ticks, many

    def slices(self, row: int, begin: int, end: int) -> Structured:
        """Return the intervals of a row that touch a range: begin, end, state, cause, detail."""
        time = self.column("time", row)
        first = max(int(np.searchsorted(time, begin, "right")) - 1, 0)
        # Include all moments and empty intervals at the begin of the range.
        first = min(first, int(np.searchsorted(time, begin, "left")))
        last = int(np.searchsorted(time, end, "right"))
        found = np.empty(
            max(last - first, 0),
            [("begin", "<i8"), ("end", "<i8"), ("state", "u1"), ("cause", "u1"), ("detail", "<i4")],
        )
        found["begin"] = time[first:last]
        found["end"] = np.append(time[first + 1 : last + 1], self.end)[: len(found)]
        for name in ("state", "cause", "detail"):
            found[name] = self.column(name, row)[first:last]
        return found

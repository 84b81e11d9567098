"""Arrows between rows, on disk: wake-ups, messages, hand-overs, waits and inherited priorities.

`ArrowLog` takes arrows in the order of the tape. `finish` removes ends that a loss makes unknown,
sorts by begin, and writes the files that `arrows.Arrows` reads.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.view.rows import NO_ROW

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tickertape.decode.records import I64, Structured


class Arrow(IntEnum):
    """Kinds of arrows."""

    WAKE = 0
    """From the process on the CPU to the task whose wait it ends; via: the object waited for."""
    LOCK = 1
    """From the previous to the next holder of a lock; via: the lock."""
    BLOCKED = 2
    """From a task that begins to wait for a lock to its holder; via: the lock."""
    MESSAGE = 3
    """From sender to receiver of a message; via: the channel."""
    REPLY = 4
    """The reply to a message, or its refusal; via: the channel."""
    RAISED = 5
    """A task has an inherited priority from begin to end: `from` and `to` are this task."""


ARROW_NAMES: Final = tuple(one.name.lower() for one in Arrow)

FIELDS: Final = {
    "kind": "u1",
    "from": "<i4",
    "to": "<i4",
    "via": "<i4",
    "value": "<i4",
    "begin": "<i8",
    "end": "<i8",
}
"""`from`, `to` and `via` are rows, or NO_ROW where unknown; `begin` and `end` are ns on the axis;
`value` is the priority of RAISED. An arrow with one unknown end has the time of the other end."""

ARROW: Final = np.dtype(list(FIELDS.items()))
BLOCK: Final = 4096
"""Number of arrows in a block; the log has the latest end of each block."""

_LOG: Final = "arrow-log"
_PIECE: Final = 1 << 18


class ArrowLog:
    """Writes arrows. The `begin` of BLOCKED is the time from which its holder is known."""

    def __init__(self, folder: Path) -> None:
        """Create a log in an existing folder."""
        self._folder = folder
        self._file = (folder / _LOG).open("w+b")
        self.count = 0

    def close(self) -> None:
        """Close the log, finished or not. May be called twice."""
        self._file.close()

    def add(self, kind: Arrow, **columns: NDArray[np.integer] | int) -> None:
        """Add arrows of one kind. Columns have equal length; missing ones become NO_ROW."""
        found = np.full(len(np.atleast_1d(columns["end"])), NO_ROW, ARROW)
        found["kind"] = kind
        for name, column in columns.items():
            found[name.rstrip("_")] = column
        self.append(found)

    def append(self, arrows: Structured) -> None:
        """Add arrows of any kinds."""
        arrows.tofile(self._file)
        self.count += len(arrows)

    def forget_wakers(self, first: int, spans: Sequence[tuple[int, int]]) -> None:
        """Set the wakers to unknown within spans in which interrupts were not recorded.

        Args:
            first: number of the first arrow to change: `count` before it was added.
            spans: begin and end, ns on the axis.
        """
        self._file.flush()
        if self.count == first or not spans:
            return
        arrows = np.memmap(self._file, ARROW, "r+", shape=self.count)
        for begin in range(first, self.count, _PIECE):
            piece = arrows[begin : begin + _PIECE]
            hidden = (piece["kind"] == Arrow.WAKE) & touched(piece["begin"], piece["end"], spans)
            piece["from"][hidden] = NO_ROW

    def finish(
        self, losses: Sequence[tuple[int, int]], alive: Callable[[], None] = lambda: None
    ) -> None:
        """Sort the arrows by begin; write a file per column and the latest end of each block.

        Args:
            losses: spans in which events are missing, ns on the axis.
            alive: called for each piece of work; an exception that it raises ends the sorting.
        """
        self._file.seek(0)
        parts = {name: (self._folder / f"arrow-{name}").open("wb") for name in FIELDS}
        while len(piece := np.fromfile(self._file, ARROW, _PIECE)):
            alive()
            known = cut(piece, losses)
            for name, file in parts.items():
                known[name].tofile(file)
        for file in parts.values():
            file.close()
        self.close()
        (self._folder / _LOG).unlink()
        begin = np.fromfile(self._folder / "arrow-begin", "<i8")
        order = np.argsort(begin, kind="stable")
        for name, kind in FIELDS.items():
            alive()
            column = np.fromfile(self._folder / f"arrow-{name}", kind)[order]
            column.tofile(self._folder / f"arrow-{name}")
        end = np.fromfile(self._folder / "arrow-end", "<i8")
        latest = np.maximum.reduceat(end, np.arange(0, len(end), BLOCK)) if len(end) else end
        latest.astype("<i8").tofile(self._folder / "arrow-latest")


def cut(arrows: Structured, losses: Sequence[tuple[int, int]]) -> Structured:
    """Return arrows without the ends that a loss between begin and end makes unknown.

    A MESSAGE becomes two arrows, one for each end. A LOCK is removed, because other tasks may have
    held the lock in between. A BLOCKED loses its holder. A RAISED ends at the loss.
    """
    found = arrows.copy()
    kind = found["kind"]
    lost = touched(found["begin"], found["end"], losses)
    is_blocked = kind == Arrow.BLOCKED
    found["to"][lost & is_blocked] = NO_ROW
    found["begin"][is_blocked] = found["end"][is_blocked]
    raised = np.flatnonzero(lost & (kind == Arrow.RAISED))
    found["to"][raised] = NO_ROW
    found["end"][raised] = _first_loss(found["begin"][raised], losses)
    moved = lost & (kind == Arrow.MESSAGE)
    sent = found[moved & (found["from"] >= 0)]
    sent["to"], sent["end"] = NO_ROW, sent["begin"]
    found["from"][moved] = NO_ROW
    found["begin"][moved] = found["end"][moved]
    found = found[~(lost & (kind == Arrow.LOCK))]
    kept = found[(found["from"] >= 0) | (found["to"] >= 0)]
    return np.concatenate([kept, sent])


def touched(begin: I64, end: I64, spans: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return for each interval whether a span overlaps it, more than by a common end."""
    if not spans:
        return np.zeros(len(begin), bool)
    begins, ends = _sorted(spans)
    before = np.searchsorted(begins, end) - 1
    return (before >= 0) & (ends[np.maximum(before, 0)] > begin)


def _first_loss(times: I64, spans: Sequence[tuple[int, int]]) -> I64:
    """Return for each time the begin of the first span that ends after it, at least the time."""
    if not spans:
        return times
    begins, ends = _sorted(spans)
    first = np.minimum(np.searchsorted(ends, times, "right"), len(begins) - 1)
    found: I64 = np.maximum(begins[first], times)
    return found


def _sorted(spans: Sequence[tuple[int, int]]) -> tuple[I64, I64]:
    """Return begins in order, and the latest end up to each of them."""
    order = sorted(spans)
    begins = np.array([one for one, _ in order], np.int64)
    return begins, np.maximum.accumulate(np.array([one for _, one in order], np.int64))

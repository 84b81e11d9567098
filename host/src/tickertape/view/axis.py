"""One axis of time, in nanoseconds, for all boots and boards of a tape.

The first boot has the times of its own clock, as `print` shows them. A later boot follows at a
distance, because the time between two boots is unknown. Boards of a merged tape share the common
time that `merge` found; a boot that is not aligned follows after all previous boots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.tape.common import origin_ns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.records import I64, U64
    from tickertape.decode.ticks import Clock
    from tickertape.tape.board import Board
    from tickertape.tape.reader import TapeReader

_LEAST_BREAK_NS: Final = 1000
_BREAK_SHARE: Final = 50  # a break is as long as the time before it divided by this


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a boot on the axis.

    Attributes:
        epoch: number of the boot.
        clock: clock of the boot.
        offset_ns: time on the axis minus time of the clock; unused if the board is aligned.
        board: board of the boot; None on a tape of one board.
        origin_ns: UTC of the origin of the common time, ns.
    """

    epoch: int
    clock: Clock
    offset_ns: int
    board: Board | None = None
    origin_ns: int = 0

    def ns(self, ticks: U64) -> I64:
        """Return times on the axis."""
        if self.board is not None and self.board.aligned:
            found: I64 = np.maximum(self.board.utc_of(ticks) - self.origin_ns, 0)
            return found
        return self.clock.ns_column(ticks) + np.int64(self.offset_ns)

    def ns_of(self, ticks: int) -> int:
        """Return one time on the axis."""
        return int(self.ns(np.array([ticks], np.uint64))[0])

    def ticks(self, ns: int) -> int:
        """Return the tick of a time on the axis, not below 0."""
        if self.board is not None and self.board.aligned:
            return max(self.board.ticks_at(ns + self.origin_ns), 0)
        found = self.clock.ticks_between(max(ns - self.offset_ns, 0), None)
        return 0 if found is None else found[0]


def place_of(reader: TapeReader, segment: Mapping[str, Any]) -> Place:
    """Return the place of a boot; `segment` is its entry in `Index.about`."""
    epoch, board = int(segment["epoch"]), reader.boards.get(int(segment["epoch"]))
    return Place(epoch, reader.clock(epoch), int(segment["offset"]), board, origin_ns(reader))


class Axis:
    """Places boots on the axis, one after the other.

    Attributes:
        end: latest time on the axis so far.
    """

    def __init__(self, reader: TapeReader) -> None:
        """Create an empty axis."""
        self._reader = reader
        self._boards = dict(reader.boards)
        self._origin = origin_ns(reader)
        self._is_first = True
        self.end = 0

    def place(self, epoch: int, first_ticks: int) -> Place:
        """Return the place of the next boot.

        Args:
            epoch: number of the boot, above all previous ones.
            first_ticks: time of its first record.
        """
        clock, board = self._reader.clock(epoch), self._boards.get(epoch)
        offset = 0
        if not self._is_first and not (board is not None and board.aligned):
            rest = max(self.end // _BREAK_SHARE, _LEAST_BREAK_NS)
            offset = self.end + rest - clock.ns(first_ticks)
        self._is_first = False
        return Place(epoch, clock, offset, board, self._origin)

    def reach(self, ns: int) -> None:
        """Extend the axis to a time."""
        self.end = max(self.end, ns)

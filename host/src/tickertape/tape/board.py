"""Boards of a tape: the body of a BOARD chunk, and conversion of their ticks to UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.bodies import BadBodyError
from tickertape.protocol.wire import BOARD, BOARD_BYTES

if TYPE_CHECKING:
    from tickertape.decode.records import I64, U64

UNKNOWN_BOUND = (1 << 64) - 1
_FRACTION_BITS = 32
_FRACTION_MASK = (1 << _FRACTION_BITS) - 1
_TIMES = 1 << 63  # ns since 1970 up to the year 2262


@dataclass(frozen=True, slots=True)
class Board:
    """The board of an epoch, and the relation of its clock to UTC.

    Attributes:
        epoch: boot of the target within the tape.
        number: number of the board on this tape, from 0.
        name: name from the user.
        ticks: a moment of the target's clock.
        utc_ns: UTC of the same moment, ns since 1970; 0 if unknown.
        tick_length: length of one tick in UTC, in units of 2^-32 ns; 0 if the time of this boot is
            unknown.
        bound_ns: largest error of `utc_of`; None if unknown.
    """

    epoch: int
    number: int
    name: str
    ticks: int = 0
    utc_ns: int = 0
    tick_length: int = 0
    bound_ns: int | None = None

    @property
    def aligned(self) -> bool:
        """True if the time of this boot is known, within `bound_ns` or approximately."""
        return self.tick_length > 0

    def utc_of(self, ticks: U64) -> I64:
        """Return times in UTC, ns since 1970, rounded down; they decrease only if the ticks do.

        Args:
            ticks: u64, times of the target in this boot.
        """
        # The product has up to 128 bits: multiply integer part and fraction of the tick length by
        # the high and the low half of the distance.
        distance = (ticks - np.uint64(self.ticks)).view(np.int64)
        whole, fraction = divmod(self.tick_length, 1 << _FRACTION_BITS)
        high = distance >> np.int64(_FRACTION_BITS)
        low = (distance & np.int64(_FRACTION_MASK)).view(np.uint64)
        part = (low * np.uint64(fraction)) >> np.uint64(_FRACTION_BITS)
        found: I64 = np.int64(self.utc_ns) + distance * np.int64(whole)
        return found + high * np.int64(fraction) + part.view(np.int64)

    def utc_ns_of(self, ticks: int) -> int:
        """Return one time in UTC; see `utc_of`."""
        return int(self.utc_of(np.array([ticks], np.uint64))[0])

    def ticks_at(self, utc_ns: int) -> int:
        """Return the first tick that is not before `utc_ns`; the boot must be aligned."""
        return self.ticks - (-(utc_ns - self.utc_ns << _FRACTION_BITS) // self.tick_length)


def build_board(board: Board) -> bytes:
    """Return the body of a BOARD chunk."""
    values = {
        "board": board.number,
        "ticks": board.ticks,
        "utc_ns": board.utc_ns,
        "tick_length": board.tick_length,
        "bound_ns": UNKNOWN_BOUND if board.bound_ns is None else board.bound_ns,
    }
    head: bytes = BOARD.build(values)
    return head + board.name.encode(errors="replace")


def parse_board(body: bytes, epoch: int = 0) -> Board:
    """Parse the body of a BOARD chunk of an epoch.

    Raises:
        BadBodyError: the body is too short, or its time is out of range.
    """
    if len(body) < BOARD_BYTES:
        raise BadBodyError("it is too short")
    head = BOARD.parse(body)
    if max(head.utc_ns, head.tick_length) >= _TIMES:
        raise BadBodyError("its time is not one of this age")
    return Board(
        epoch=epoch,
        number=head.board,
        name=body[BOARD_BYTES:].decode("utf-8", errors="replace"),
        ticks=head.ticks,
        utc_ns=head.utc_ns,
        tick_length=head.tick_length,
        bound_ns=None if head.bound_ns == UNKNOWN_BOUND else head.bound_ns,
    )

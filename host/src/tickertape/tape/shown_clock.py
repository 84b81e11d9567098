"""Times as `print` shows them: common times on a tape of several boards, else those of the boot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tickertape.tape.common import origin_ns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.ticks import Clock
    from tickertape.tape.board import Board
    from tickertape.tape.reader import TapeReader


class ShownClock(NamedTuple):
    """Converts ticks of a boot to the times that `print` shows.

    Attributes:
        clock: clock of the boot.
        board: board of the boot; None unless several boards are on the tape.
        origin_ns: origin of the common times, in ns of UTC.
    """

    clock: Clock
    board: Board | None = None
    origin_ns: int = 0

    def ns(self, ticks: int) -> int:
        """Return the shown time in ns; a boot whose time is unknown keeps its own."""
        if self.board is None or not self.board.aligned:
            return self.clock.ns(ticks)
        return max(0, self.board.utc_ns_of(ticks) - self.origin_ns)

    @property
    def where(self) -> str:
        """The board as the begin of a sentence; empty for a tape of one board."""
        return "" if self.board is None else f"board {self.board.name}, "

    def print_words(self, begin: str, end: str) -> list[str]:
        """Return the options of `print` for a range of shown times."""
        times = ["--from", begin, "--to", end]
        if self.board is None:
            return times
        # `print` shows a board whose time is unknown only without a range.
        return [*(times if self.board.aligned else []), "--board", self.board.name]


def shown_clocks(reader: TapeReader) -> Mapping[int, ShownClock]:
    """Return the shown clock of each boot of a tape."""
    boards, origin = reader.boards, origin_ns(reader)
    return {
        epoch: ShownClock(reader.clock(epoch), boards.get(epoch), origin) for epoch in reader.epochs
    }

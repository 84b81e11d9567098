"""Provides additional columns on a tape of several boards: board and common time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.decode.events import Gap
from tickertape.printing.walk import Moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.printing.walk import Item
    from tickertape.tape.board import Board

BOARD_COLUMNS: Final = ("board", "utc_ns")


def board_values(boards: Mapping[int, Board], item: Item, epoch: int) -> dict[str, object]:
    """Return the values of `BOARD_COLUMNS`, as far as known; empty without a known board.

    Args:
        boards: board of each epoch.
        item: an event, a loss or a reset.
        epoch: epoch of the item.
    """
    board = boards.get(epoch)
    if board is None:
        return {}
    values: dict[str, object] = {"board": board.name}
    if board.aligned:
        match item:
            case Moment():
                values["utc_ns"] = board.utc_ns_of(item.event.time_ticks)
            case Gap():
                values["utc_ns"] = board.utc_ns_of(item.end_ticks)
    return values

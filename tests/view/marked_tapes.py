"""Small tapes with a common event, at which a test aligns them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.columns import Row, switch
from tests.support.row_tapes import row_tape

if TYPE_CHECKING:
    from pathlib import Path

START, STOP = (6, 3), (6, 4)
STARTS = 5
TICK_NS = 40
"""Length of a clock tick in ns."""


def marked(path: Path, start: int, *, period: int = 20, is_lost: bool = False) -> Path:
    """Write a tape with STARTS events "USER USER_3", the first one at `start` ticks.

    A "USER USER_4" follows five ticks after the first one; "USER USER_7" (even start) or "USER_8"
    (odd start) precedes it.

    Args:
        path: path of the tape.
        start: time of the first event in ticks, above 20.
        period: ticks between two events, above 10.
        is_lost: whether the link loses records before the first event.
    """
    rows = [switch(one + 1, one % 2, (one + 1) % 2) for one in range(8)]
    rows += [Row(start - 3, (6, 7 + start % 2)), Row(start, START), Row(start + 5, STOP)]
    rows += [Row(start + period * one, START) for one in range(1, STARTS)]
    return row_tape(path, rows, is_lost=lambda number: is_lost and number == 1)

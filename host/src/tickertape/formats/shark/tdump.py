"""Prints events in style tdump: one line per event of the S.Ha.R.K. tracer.

    1500000  SYSTEM  TRC_SCHEDULE       task=3

A line has microseconds, class, event and data. The layout of the original tool is not known; this
one is our own. Events that the tracer does not have are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tickertape.formats.shark.events import (
    CLASS_NAMES,
    SharkView,
    event_class,
    event_name,
    micros,
)
from tickertape.printing.gaps import gap_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.boot import BootOf


class TdumpExporter:
    """Writes events of the S.Ha.R.K. tracer and gaps as lines."""

    def __init__(self, boots: BootOf) -> None:
        """Store the function that returns the boot of an epoch, for its clock rate."""
        self._boots = boots
        self._views: dict[int, SharkView] = {}

    def head(self) -> Iterator[str]:
        """Return no lines: the style has no header."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events, without line ends."""
        found = self._views.setdefault(columns.epoch, SharkView()).records(columns)
        time = micros(columns.time[found.rows], self._boots(columns.epoch).clock.hz)
        gaps = sorted(columns.losses, key=lambda gap: gap.row, reverse=True)
        wanted = np.ones(len(columns), bool) if chosen is None else chosen
        rows = zip(
            found.rows.tolist(),
            time.tolist(),
            found.number.tolist(),
            found.word.tolist(),
            wanted[found.rows].tolist(),
            strict=True,
        )
        for row, micro, number, word, is_wanted in rows:
            while gaps and gaps[-1].row <= row:
                yield gap_line(gaps.pop())
            if is_wanted:
                yield _line(micro, number, word)
        yield from (gap_line(gap) for gap in reversed(gaps))

    def tail(self) -> Iterator[str]:
        """Return no lines: the style has no trailer."""
        return iter(())


def _line(micro: int, number: int, word: int) -> str:
    cls = event_class(number)
    name = "?" if cls is None else CLASS_NAMES[cls]
    return f"{micro:10d}  {name:<6}  {event_name(number):<17}  {info_text(number, word)}"


def info_text(number: int, word: int) -> str:
    """Format the data of an event according to its class: `task=3 id=7`."""
    match event_class(number):
        case 0:
            return f"n={word}"
        case 1:
            return f"task={word & 0xFFFF}"
        case 2 | 3:
            return f"n={word - (word >> 31 << 32)}"
        case 4:
            return f"task={word & 0xFFFF} id={word >> 16}"
    return f"info=0x{word:08x}"

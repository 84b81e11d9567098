"""Reads and writes records of the S.Ha.R.K. tracer in several layouts.

In the reference, a record is time, event and four bytes of data, big-endian without padding (10
bytes). The kernel really wrote its memory: little-endian, padded to 12 bytes. Other machines would
write the other layouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.formats.shark import LAYOUT_NAMES
from tickertape.formats.shark.events import HAS_HALVES

if TYPE_CHECKING:
    from tickertape.decode.records import U16, U32, Structured


def _layout(mark: str, size: int, info_at: int) -> np.dtype[np.void]:
    names, formats = ["time", "event", "info"], [f"{mark}u4", f"{mark}u2", f"{mark}u4"]
    return np.dtype(
        {"names": names, "formats": formats, "offsets": [0, 4, info_at], "itemsize": size}
    )


_SHAPES: Final = (("<", 12, 8), (">", 10, 6), (">", 12, 8), ("<", 10, 6), ("<", 16, 8))
LAYOUTS: Final = {name: _layout(*shape) for name, shape in zip(LAYOUT_NAMES, _SHAPES, strict=True)}
"""Layouts by name, in this order: memory of a 32-bit PC; reference text; memory of a big-endian
machine; little-endian without padding; memory of a 64-bit PC."""


@dataclass(frozen=True, slots=True)
class SharkColumns:
    """Records of a file, as columns of equal length.

    Attributes:
        time_us: time in microseconds, u32.
        number: number of the event, u16.
        word: four bytes of data, in the byte order of a little-endian machine, u32.
    """

    time_us: U32
    number: U16
    word: U32


def columns_of(records: Structured) -> SharkColumns:
    """Convert records of any layout to columns."""
    number = records["event"].astype(np.uint16)
    word = records["info"].astype(np.uint32)
    if records.dtype["time"] == np.dtype(">u4"):
        # In a big-endian word the two 16-bit numbers are swapped.
        halves = HAS_HALVES[number]
        half = np.uint32(16)
        word[halves] = (word[halves] >> half) | (word[halves] << half)
    return SharkColumns(records["time"].astype(np.uint32), number, word)


def records_of(layout: str, columns: SharkColumns) -> Structured:
    """Convert columns to records of a layout; the inverse of `columns_of`."""
    dtype = LAYOUTS[layout]
    records = np.zeros(len(columns.number), dtype)
    word = columns.word.copy()
    if dtype["time"] == np.dtype(">u4"):
        halves, half = HAS_HALVES[columns.number], np.uint32(16)
        word[halves] = (word[halves] >> half) | (word[halves] << half)
    records["time"], records["event"], records["info"] = columns.time_us, columns.number, word
    return records

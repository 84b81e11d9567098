"""Records of the S.Ha.R.K. tracer as they lie in files, in one of several layouts.

The reference has time, event and four bytes one after the other, big-endian (10 bytes). What that
kernel really wrote is its memory: little-endian, padded to 12 bytes. Other machines would have
written the other two.
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
"""By name: memory of a 32-bit PC; as in the reference text; memory of a big-endian machine;
without padding; memory of a 64-bit PC."""


@dataclass(frozen=True, slots=True)
class SharkColumns:
    """Records of a file.

    Attributes:
        time_us: u32.
        number: u16, which event.
        word: u32, the four bytes that belong to it, as a little-endian machine has them.
    """

    time_us: U32
    number: U16
    word: U32


def columns_of(records: Structured) -> SharkColumns:
    """Read records of any layout."""
    number = records["event"].astype(np.uint16)
    word = records["info"].astype(np.uint32)
    if records.dtype["time"] == np.dtype(">u4"):
        # Two halves are swapped there.
        halves = HAS_HALVES[number]
        half = np.uint32(16)
        word[halves] = (word[halves] >> half) | (word[halves] << half)
    return SharkColumns(records["time"].astype(np.uint32), number, word)


def records_of(layout: str, columns: SharkColumns) -> Structured:
    """Write records in a layout; see `columns_of`."""
    dtype = LAYOUTS[layout]
    records = np.zeros(len(columns.number), dtype)
    word = columns.word.copy()
    if dtype["time"] == np.dtype(">u4"):
        halves, half = HAS_HALVES[columns.number], np.uint32(16)
        word[halves] = (word[halves] >> half) | (word[halves] << half)
    records["time"], records["event"], records["info"] = columns.time_us, columns.number, word
    return records

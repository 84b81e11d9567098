"""Raw records to numpy columns. Formats: protocol/SPEC.md, "The record"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tickertape.protocol.wire import (
    CLASS_BITS,
    CPU_BITS,
    EVENT_BITS,
    RECORD_BYTES,
    STRUCT_SHIFT,
    ByteOrder,
    RecordStruct,
)

if TYPE_CHECKING:
    from typing import TypeAlias

U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
I64: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]
Structured: TypeAlias = NDArray[np.void]

# Header bits that all records of one combine event share.
KEY_BITS = np.uint32(CPU_BITS | CLASS_BITS | EVENT_BITS)
# Headers from here on are BEGIN, CONTINUE or END; from FIRST_PART on CONTINUE or END.
FIRST_COMBINE = np.uint32(RecordStruct.BEGIN << STRUCT_SHIFT)
FIRST_PART = np.uint32(RecordStruct.CONTINUE << STRUCT_SHIFT)

_WORDS = RECORD_BYTES // 4
_PAIRS = RECORD_BYTES // 8


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """Records of one ring in order, one row each.

    Attributes:
        header: u32.
        low: u32, the low word of the time.
        pairs: u64, the two data words as they lie in memory, whatever the byte order.
        ordinal: u64, in the ring.
        segment: i64, counts the gaps before the record; None where there is none.
    """

    header: U32
    low: U32
    pairs: U64
    ordinal: U64
    segment: I64 | None

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.header)

    def ordinals_at(self, rows: Rows) -> U64:
        """Give the ordinals of rows; where none is missing they follow from the rows."""
        first = self.ordinal[0] if len(self.ordinal) else np.uint64(0)
        if len(self.ordinal) and int(self.ordinal[-1] - first) == len(self.ordinal) - 1:
            ordinals = rows.astype(np.uint64)
            ordinals += first
            return ordinals
        return self.ordinal.take(rows)

    def take(self, rows: Rows) -> RecordColumns:
        """Pick rows."""
        segment = None if self.segment is None else self.segment[rows]
        return RecordColumns(
            self.header[rows], self.low[rows], self.pairs[rows], self.ordinal[rows], segment
        )

    def followed_by(self, other: RecordColumns) -> RecordColumns:
        """Join two stretches of a ring."""
        segment = None
        if self.segment is not None or other.segment is not None:
            segment = np.concatenate([_segment_of(self), _segment_of(other)])
        return RecordColumns(
            np.concatenate([self.header, other.header]),
            np.concatenate([self.low, other.low]),
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.ordinal, other.ordinal]),
            segment,
        )


def _segment_of(columns: RecordColumns) -> I64:
    if columns.segment is None:
        return np.zeros(len(columns), np.int64)
    return columns.segment


def split(records: Structured, ordinal: U64, segment: I64 | None) -> RecordColumns:
    """Split raw records into columns of the machine's own byte order.

    Args:
        records: structured, `wire.record_dtype`; not changed, and nothing refers to it afterwards.
        ordinal: of each record.
        segment: of each record, None where there is no gap.
    """
    raw = np.ascontiguousarray(records)
    # The two data words move as one item of 8 bytes.
    pairs = raw.view(np.uint64).reshape(-1, _PAIRS)[:, 1].copy()
    words = raw.view(raw.dtype[0]).reshape(-1, _WORDS)
    return RecordColumns(
        words[:, 0].astype(np.uint32), words[:, 1].astype(np.uint32), pairs, ordinal, segment
    )


def data_words(pairs: U64, byte_order: ByteOrder) -> NDArray[np.uint32]:
    """Give the data words of records, shape (rows, 2), in the machine's own byte order."""
    mark = "<u4" if byte_order is ByteOrder.LITTLE else ">u4"
    words: NDArray[Any] = np.ascontiguousarray(pairs).view(mark).reshape(-1, 2)
    return words.astype(np.uint32, copy=False)


def empty() -> RecordColumns:
    """Give columns without rows."""
    none32 = np.empty(0, np.uint32)
    none64 = np.empty(0, np.uint64)
    return RecordColumns(none32, none32, none64, none64, None)

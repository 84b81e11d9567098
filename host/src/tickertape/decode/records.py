"""Convert raw records to numpy columns. Formats: protocol/SPEC.md, "The record"."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tickertape.protocol.wire import (
    CLASS_BITS,
    CPU_BITS,
    EVENT_BITS,
    KEYED_BITS,
    RECORD_BYTES,
    STRUCT_SHIFT,
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
KEY_BITS = np.uint32(CPU_BITS | KEYED_BITS | CLASS_BITS | EVENT_BITS)
# Lowest header of a BEGIN, CONTINUE or END; of a CONTINUE or END; of an END.
FIRST_COMBINE = np.uint32(RecordStruct.BEGIN << STRUCT_SHIFT)
FIRST_PART = np.uint32(RecordStruct.CONTINUE << STRUCT_SHIFT)
FIRST_END = np.uint32(RecordStruct.END << STRUCT_SHIFT)

_WORDS = RECORD_BYTES // 4
# Indices of the words of a record.
HEADER, LOW, DATA0, DATA1 = range(_WORDS)


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """Records of one ring in order, one row each.

    Attributes:
        header: u32, record headers in the machine's byte order.
        words: u32, shape (rows, 4): the records as stored on the tape, in its byte order.
        ordinal: u64, ordinals in the ring.
        segment: i64, number of gaps before the record; None if there is no gap.
    """

    header: U32
    words: U32
    ordinal: U64
    segment: I64 | None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.header)

    @property
    def low(self) -> U32:
        """The low words of the time."""
        return own(self.words[:, LOW])

    @property
    def pairs(self) -> U64:
        """The two data words as stored in memory, in any byte order, as one item per record."""
        return pairs_of(self.words)

    def ordinals_at(self, rows: Rows) -> U64:
        """Return the ordinals of rows; computed from the row numbers if no record is missing."""
        first = self.ordinal[0] if len(self.ordinal) else np.uint64(0)
        if len(self.ordinal) and int(self.ordinal[-1] - first) == len(self.ordinal) - 1:
            return rows.view(np.uint64) + first
        return self.ordinal.take(rows)

    def words_at(self, rows: Rows) -> U32:
        """Return the words of rows, shape (rows, 4), in the tape's byte order."""
        return self.words.take(rows, axis=0)

    def take(self, rows: Rows) -> RecordColumns:
        """Return the given rows."""
        segment = None if self.segment is None else self.segment[rows]
        return RecordColumns(self.header[rows], self.words_at(rows), self.ordinal[rows], segment)

    def followed_by(self, other: RecordColumns) -> RecordColumns:
        """Return these rows followed by those of `other`, a later part of the same ring."""
        segment = None
        if self.segment is not None or other.segment is not None:
            segment = np.concatenate([_segment_of(self), _segment_of(other)])
        return RecordColumns(
            np.concatenate([self.header, other.header]),
            joined(self.words, other.words),
            np.concatenate([self.ordinal, other.ordinal]),
            segment,
        )


def _segment_of(columns: RecordColumns) -> I64:
    if columns.segment is None:
        return np.zeros(len(columns), np.int64)
    return columns.segment


def split(records: Structured, ordinal: U64, segment: I64 | None) -> RecordColumns:
    """Return raw records as columns; `words` shares their memory.

    Args:
        records: structured, `wire.record_dtype`; not changed.
        ordinal: ordinal of each record.
        segment: segment of each record; None if there is no gap.
    """
    raw = np.ascontiguousarray(records)
    words = raw.view(raw.dtype[0]).reshape(-1, _WORDS)
    return RecordColumns(words[:, HEADER].astype(np.uint32), words, ordinal, segment)


def gathered(data: U8, start: U64, counts: I64, dtype: np.dtype[np.void]) -> Structured:
    """Return the records of buffers as one array; a view if they follow each other in `data`.

    Args:
        data: bytes that contain the records.
        start: offset of the first record of each buffer in `data`, in bytes.
        counts: number of records of each buffer.
        dtype: `wire.record_dtype` of the records.
    """
    if not len(start):
        return np.empty(0, dtype)
    ends = start.astype(np.int64) + counts * dtype.itemsize
    breaks = np.flatnonzero(start[1:].astype(np.int64) != ends[:-1]) + 1
    edges = [0, *breaks.tolist(), len(start)]
    parts = [data[int(start[first]) : int(ends[end - 1])] for first, end in pairwise(edges)]
    joined_parts = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return joined_parts.view(dtype)


def own(words: U32) -> U32:
    """Return words of the tape in the machine's byte order, without a copy if they have it."""
    return words.astype(np.uint32, copy=False)


def pairs_of(words: U32) -> U64:
    """Return the two data words of each record as one item, as stored in memory; a view.

    Args:
        words: shape (rows, 4), contiguous.
    """
    pairs: U64 = words.view(np.uint64)[:, 1]
    return pairs


def identity_numbers(words: U32) -> list[int]:
    """Return `identities` as integers: time or key << 32 | header without struct and flags."""
    halves = own(identities(words).view(words.dtype).reshape(-1, 2)).astype(np.uint64)
    numbers: list[int] = (halves[:, LOW] << np.uint64(32) | halves[:, HEADER]).tolist()
    return numbers


def joined(words: U32, others: U32) -> U32:
    """Concatenate words of the tape; unlike np.concatenate, keep their byte order."""
    both = np.concatenate([words.view(np.uint64), others.view(np.uint64)])
    return both.view(words.dtype)


def is_keyed(header: U32) -> NDArray[np.bool_]:
    """Return which records belong to events with a key; the BEGIN of such an event has the key."""
    keyed: NDArray[np.bool_] = (header & np.uint32(KEYED_BITS)) != 0
    return keyed


def identities(words: U32) -> U64:
    """Return the identity of each record: the bits that all records of a combine event share.

    These are the CPU, the keyed bit, class and event of the header, and the time; with the keyed
    bit, the key in place of the time. One item per record, as stored in memory.

    Args:
        words: words of BEGIN, CONTINUE and END records, shape (rows, 4), contiguous.
    """
    header = own(words[:, HEADER])
    masks = np.array([KEY_BITS, 0xFFFF_FFFF], words.dtype)  # for header and time, as in memory
    heads: U64 = words.view(np.uint64)[:, 0] & masks.view(np.uint64)[0]
    keyed = np.flatnonzero(is_keyed(header) & (header < FIRST_PART))
    if len(keyed):
        halves = heads.view(words.dtype).reshape(-1, 2)
        halves[keyed, LOW] = words[keyed, DATA0]
    return heads


def empty() -> RecordColumns:
    """Return columns without rows."""
    none32 = np.empty(0, np.uint32)
    return RecordColumns(none32, none32.reshape(0, _WORDS), np.empty(0, np.uint64), None)

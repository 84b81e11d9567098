"""Converts events to records of a QNX trace file: payload without a length, END with two words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.payloads import ranges
from tickertape.formats.kev.marks import MARKS_SHIFT, STRING_WORDS
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import (
    CLASS_SHIFT,
    DOMAIN_BITS,
    EVENT_MASK,
    HOST_BITS,
    KEYED_BITS,
    STRUCT_BITS,
    STRUCT_SHIFT,
    TRUNCATED_BITS,
    RecordStruct,
    record_dtype,
)

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U64, Rows, Structured

_MARKS: Final = np.uint32(TRUNCATED_BITS | HOST_BITS | DOMAIN_BITS | KEYED_BITS)
_PAIR_BYTES: Final = 8
_FEWEST: Final = 2


def lay_out(columns: EventColumns, *, foreign: bool) -> tuple[Structured, U64, Rows]:
    """Return the records of events, those of each event in sequence.

    Args:
        columns: the events.
        foreign: whether the tape was imported from QNX, so that the QNX list of events determines
            which payloads are strings, not the list of tickertape.

    Returns:
        The records, the 64-bit time of each, and the number of records of each event.
    """
    combine = np.flatnonzero(columns.payload_offset >= 0)
    lengths = columns.payload_bytes[combine].astype(np.int64)
    # In QNX files a string ends with at least one zero.
    room = lengths + _is_string(columns, combine, foreign=foreign)
    sizes = np.maximum(_FEWEST, -(-room // _PAIR_BYTES))
    counts = np.ones(len(columns), np.int64)
    counts[combine] = sizes
    place = np.cumsum(counts) - counts
    out = np.zeros(int(counts.sum()), record_dtype(columns.byte_order))
    out["header"][place] = columns.header & ~np.uint32(STRUCT_BITS | KEYED_BITS)
    out["data0"][place], out["data1"][place] = columns.data0, columns.data1
    time = np.repeat(columns.time, counts)
    out["time"] = (time & np.uint64(0xFFFF_FFFF)).astype(np.uint32)
    if len(combine):
        _place(out, columns, combine, (place[combine], sizes, lengths))
    return out, time, counts


def _is_string(columns: EventColumns, rows: Rows, *, foreign: bool) -> I64:
    codes, number = np.unique(columns.code[rows], return_inverse=True)
    strings = [
        code in STRING_WORDS
        if foreign
        else bool(event_type(code >> CLASS_SHIFT, code & EVENT_MASK).payload)
        for code in codes.tolist()
    ]
    return np.array(strings, np.int64)[number] if len(rows) else np.zeros(0, np.int64)


def _place(
    out: Structured, columns: EventColumns, combine: Rows, where: tuple[Rows, I64, I64]
) -> None:
    """Fill in the records of combine events: kinds, payload, number of padding bytes."""
    place, sizes, lengths = where
    rows, number = ranges(place, sizes)
    header = np.repeat(columns.header[combine] & ~np.uint32(STRUCT_BITS), sizes)
    kind = np.full(len(rows), RecordStruct.CONTINUE, np.uint32)
    kind[number == 0] = RecordStruct.BEGIN
    is_end = number == np.repeat(sizes, sizes) - 1
    kind[is_end] = RecordStruct.END
    header[number > 0] &= ~_MARKS
    # Store the number of padding bytes in header bits that QNX does not use.
    header[is_end] |= (sizes * _PAIR_BYTES - lengths).astype(np.uint32) << np.uint32(MARKS_SHIFT)
    out["header"][rows] = header | kind << np.uint32(STRUCT_SHIFT)
    pairs = np.zeros(len(rows) * _PAIR_BYTES, np.uint8)
    begin = np.cumsum(sizes * _PAIR_BYTES) - sizes * _PAIR_BYTES
    to, index = ranges(begin, lengths)
    pairs[to] = columns.payload[np.repeat(columns.payload_offset[combine], lengths) + index]
    out.view(np.uint64).reshape(-1, 2)[rows, 1] = pairs.view(np.uint64)

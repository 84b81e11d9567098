"""The bytes of records on a link: lower and upper limits, for raw and for packed buffers.

The lengths are those of protocol/SPEC.md, "Packed records", for bodies of a given number of
records. The encoder of a target chooses which kinds of records its control bytes name, so the bytes
that it sends lie between the two limits.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    CLASS_MASK,
    CLASS_SHIFT,
    EVENT_MASK,
    FRAME_HEADER_BYTES,
    RECORD_BYTES,
    STRUCT_SHIFT,
    Predictor,
)

if TYPE_CHECKING:
    from tickertape.decode.records import I64, U32

F64: TypeAlias = NDArray[np.float64]

MOST_PACKED_BYTES: Final = 15.0
"""Greatest size of a packed record: control byte, escape, 8 half bytes of time and of each word."""

_COBS: Final = 1 + 1 / 254  # bytes on the link for a byte of a frame, at most
_FRAME_BYTES: Final = FRAME_HEADER_BYTES + 4 + 2  # CRC, first byte of COBS, delimiter
_KIND_BYTES: Final = 6  # at most
STALE_KINDS: Final = 3
"""Number of kinds of the previous body with which a body begins."""
KINDS_OF_A_BODY: Final = 29
"""A body with more kinds ends early: TT_PACK_KINDS minus the kinds of the previous body."""

_NIBBLE_KINDS: Final = 19  # with more kinds an escape takes a byte
_FIELD_PREDICTORS: Final = {"thread": Predictor.THREAD, "object": Predictor.OBJECT}
_WORDS: Final = 2


class WireBytes(NamedTuple):
    """Bytes of each record on the link, including its share of header, table and frame."""

    least: F64
    most: F64


def frame_bytes(body_bytes: float) -> float:
    """Return the greatest number of bytes of a frame on the link."""
    return (body_bytes + _FRAME_BYTES) * _COBS


def raw_bytes(group: I64) -> WireBytes:
    """Return the bytes of unpacked records.

    Args:
        group: number of each record's buffer, ascending.
    """
    least = np.full(len(group), float(RECORD_BYTES))
    most = np.full(len(group), RECORD_BYTES * _COBS)
    most[_begins(group)] += frame_bytes(BUFFER_HEADER_BYTES)
    return WireBytes(least, most)


def packed_header_bytes(ordinal: int, ticks: int) -> int:
    """Return the bytes of a packed body before its table, without dropped records.

    Args:
        ordinal: greatest ordinal of its first record; records sent and buffers opened are not more.
        ticks: greatest time of its first record.
    """
    numbers = (ordinal, 0, ordinal, ticks, ordinal)
    return sum(max(1, -(-number.bit_length() // 7)) for number in numbers) + 2 + 1 + 2


def packed_bytes(header: U32, low: U32, words: U32, group: I64, header_bytes: int) -> WireBytes:
    """Return the bytes of packed records.

    Args:
        header: header of each record.
        low: low word of the time of each record.
        words: data words of each record, shape (n, 2).
        group: number of each record's buffer, ascending.
        header_bytes: `packed_header_bytes` of these buffers.
    """
    begins = _begins(group)
    sizes = np.diff(np.append(begins, len(group)))
    body = np.repeat(np.arange(len(begins)), sizes)
    kinds, kind = np.unique(header, return_inverse=True)
    pair = np.unique(body * len(kinds) + kind)  # each kind in each body, once
    table = np.bincount(pair // len(kinds), _table_bytes(kinds)[pair % len(kinds)], len(begins))
    kind_counts = np.bincount(pair // len(kinds), minlength=len(begins))
    half_bytes = _time_lengths(low, begins, sizes) + _word_lengths(words, kinds, kind, body)
    least = 1 + half_bytes / 2
    escape = np.where(kind_counts <= _NIBBLE_KINDS, 0.5, 1.0)
    escape[kind_counts <= 3] = 0.0  # noqa: PLR2004 - the control byte names three kinds
    most = (least + escape[body]) * _COBS
    stale = np.minimum(len(kinds) - kind_counts, STALE_KINDS) * _KIND_BYTES
    per_body = frame_bytes(header_bytes) + stale * _COBS
    most[begins] += per_body * -(-kind_counts // KINDS_OF_A_BODY) + table * _COBS
    return WireBytes(least, most)


def _begins(group: I64) -> I64:
    """Return the first row of each group."""
    found: I64 = np.flatnonzero(np.diff(group, prepend=-1))
    return found


def _table_bytes(kinds: U32) -> I64:
    """Return the bytes of each kind's entry in the table: predictors, and header as a varint."""
    lengths: I64 = np.searchsorted([1 << 7 * i for i in range(1, 5)], kinds, "right") + 2
    return lengths


def _time_lengths(low: U32, begins: I64, sizes: I64) -> I64:
    """Return the half bytes of each time: 0, the usual length, one more, or 8."""
    passed = np.diff(low, prepend=low[:1]).astype(np.uint32)
    span = (low[begins + sizes - 1] - low[begins]).view(np.int32).astype(np.int64)
    mean = np.where(span > 0, span // sizes, 0)
    usual = np.clip((np.frexp(mean.astype(float))[1] + 3) // 4, 1, 7).repeat(sizes)
    lengths: I64 = np.where(passed == 0, 0, 8)
    limit = np.left_shift(1, 4 * usual)
    some = passed > 0
    lengths[some & (passed < limit << 4)] = (usual + 1)[some & (passed < limit << 4)]
    lengths[some & (passed < limit)] = usual[some & (passed < limit)]
    lengths[begins] = 8  # relative to the anchor of the buffer, which may be much earlier
    return lengths


def _word_lengths(words: U32, kinds: U32, kind: I64, body: I64) -> I64:
    """Return the half bytes of both words of each record: 0, 1, 2 or 8 each."""
    slots = np.array([_slots(number, header) for number, header in enumerate(kinds.tolist())])
    memories = _WORDS * (len(kinds) + 1)
    memory = (body[:, None] * memories + slots.reshape(-1, _WORDS)[kind]).reshape(-1)
    order = np.argsort(memory, kind="stable")
    values, ordered = words.reshape(-1)[order], memory[order]
    before = np.concatenate([[np.uint32(0)], values[:-1]]).astype(np.uint32)
    before[np.flatnonzero(np.diff(ordered, prepend=-1))] = 0
    difference = np.empty_like(values)
    difference[order] = values ^ before
    lengths = np.searchsorted([1, 16, 256], difference, "right")
    both: I64 = np.array([0, 1, 2, 8])[lengths].reshape(-1, _WORDS).sum(axis=1)
    return both


def _slots(number: int, header: int) -> tuple[int, int]:
    """Return the memories that the words of a kind are predicted from; 0 and 1 are shared."""
    own = _WORDS * (number + 1), _WORDS * (number + 1) + 1
    if header >> STRUCT_SHIFT:  # of a combine event
        return own
    first, second = _predictors(header >> CLASS_SHIFT & CLASS_MASK, header & EVENT_MASK)
    return _slot(first, own[0]), _slot(second, own[1])


def _slot(predictor: Predictor, own: int) -> int:
    return own if predictor is Predictor.SAME else int(predictor) - 1


@cache
def _predictors(class_number: int, number: int) -> tuple[Predictor, Predictor]:
    fields = [field.type for field in event_type(class_number, number).fields[:_WORDS]]
    found = [_FIELD_PREDICTORS.get(one, Predictor.SAME) for one in fields]
    first, second, *_ = (*found, Predictor.SAME, Predictor.SAME)
    return first, second

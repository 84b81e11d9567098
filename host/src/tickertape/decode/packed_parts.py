"""Find and check the parts of PACKED bodies, for many bodies at once.

    numbers | table of kinds | control bytes | escapes | values

The begin of a part depends on the parts before it. `find_parts` finds each part for all bodies
together; `packed` makes the records. protocol/SPEC.md, "Packed records", has the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    FRAME_HEADER_BYTES,
    MAX_FRAME_BYTES,
    RECORD_BYTES,
    Predictor,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from tickertape.decode.records import I64, U8, U32, U64, Rows

    Flags: TypeAlias = NDArray[np.bool_]

_CRC_BYTES: Final = 4
# PACKED replaces BUFFER, so it has no more records than a BUFFER can have.
MAX_RECORDS: Final = (
    MAX_FRAME_BYTES - FRAME_HEADER_BYTES - _CRC_BYTES - BUFFER_HEADER_BYTES
) // RECORD_BYTES
ESCAPED: Final = 3  # value of the kind bits in a control byte
_NARROW_KINDS: Final = ESCAPED + 16  # with more kinds an escape has a byte, not half a byte
_NUMBERS: Final = 6  # first part: ordinal, dropped, sent, ticks, sequence, count
_FIXED_BYTES: Final = 3  # then: ring number, usual length of a time, number of kinds
_SEQUENCE, _COUNT = 4, 5
_MAX_KINDS: Final = 255
_LONGEST_TIME: Final = 7
_VARINT_LIMIT: Final = 0x80
_U32_LIMIT: Final = 1 << 32
_U64_BYTES: Final = 10  # bytes of the longest varint; its last byte is at most 1
# Zeros after all bodies: every varint of a table ends in them at the latest, and 8 bytes can be
# read from any byte of a body.
PADDING_BYTES: Final = 2 * _MAX_KINDS + _NUMBERS + 8

# Lengths in half bytes, by length code; the length of a time by usual length and length code.
WORD_LENGTHS: Final = np.array([0, 1, 2, 8], np.uint8)
TIME_LENGTHS: Final = np.array(
    [[0, usual, usual + 1, 8] for usual in range(_LONGEST_TIME + 1)], np.uint8
)
_CONTROLS: Final = np.arange(256)
# Length of a whole record in half bytes, by usual length and control byte.
_RECORD_LENGTHS: Final = (
    TIME_LENGTHS[:, _CONTROLS >> 2 & 3]
    + WORD_LENGTHS[_CONTROLS >> 4 & 3]
    + WORD_LENGTHS[_CONTROLS >> 6]
)


class Refused(Exception):  # noqa: N818 - a control signal, not a failure
    """Some bodies of the batch are invalid.

    Attributes:
        rows: indices of these bodies in the batch.
        why: the reason, as text for users.
    """

    def __init__(self, rows: Rows, why: str) -> None:
        """Store both arguments."""
        super().__init__(why)
        self.rows = rows
        self.why = why


@dataclass(frozen=True, slots=True)
class Parts:
    """Contents of the bodies of a batch: F bodies with K kinds and N records in total.

    Attributes:
        data: u8, the bodies one after the other, then `PADDING_BYTES` zeros.
        numbers: u64 (F, 6), the numbers of the first part, in the order of the format.
        ring_number: u8 (F).
        usual: u8 (F), usual length of a time in half bytes.
        kind_counts: i64 (F), number of kinds.
        predictors: u8 (K, 2), a `Predictor` for each word.
        headers: u32 (K), record header.
        counts: i64 (F), number of records.
        control: u8 (N), control byte.
        kind: i64 (N), index into the K kinds.
        places: i64 (N), offset of the record's values in `data`, in half bytes.
    """

    data: U8
    numbers: U64
    ring_number: U8
    usual: U8
    kind_counts: I64
    predictors: U8
    headers: U32
    counts: I64
    control: U8
    kind: I64
    places: I64


def find_parts(bodies: Sequence[bytes]) -> Parts:
    """Find and check the parts of bodies.

    Raises:
        Refused: some bodies are invalid.
    """
    data = np.frombuffer(b"".join(bodies) + bytes(PADDING_BYTES), np.uint8)
    sizes = np.array([len(body) for body in bodies], np.int64)
    ends = np.cumsum(sizes)
    varint_ends = np.flatnonzero(data < _VARINT_LIMIT)
    numbers, at = _numbers(data, varint_ends, ends - sizes, ends)
    ring_number, usual, kind_count = (data[at + i] for i in range(_FIXED_BYTES))
    _check((usual >= 1) & (usual <= _LONGEST_TIME), "no such length of a time")
    kind_counts = kind_count.astype(np.int64)
    predictors, headers, at = _table(data, varint_ends, at + _FIXED_BYTES, ends, kind_counts)
    counts = numbers[:, _COUNT].astype(np.int64)
    _check(at + counts <= ends, "control bytes are missing")
    control = data[in_turn(at, counts)]
    kind, at = _kinds(data, control, at + counts, ends, (counts, kind_counts))
    places = _places(data, control, (at, ends), counts, usual)
    return Parts(
        data=data,
        numbers=numbers,
        ring_number=ring_number,
        usual=usual,
        kind_counts=kind_counts,
        predictors=predictors,
        headers=headers,
        counts=counts,
        control=control,
        kind=kind,
        places=places,
    )


def in_turn(firsts: I64, counts: I64) -> I64:
    """Return the concatenated ranges `firsts[i]`, ..., `firsts[i] + counts[i] - 1`."""
    shifts = firsts - (np.cumsum(counts) - counts)
    turns: I64 = np.repeat(shifts, counts)
    turns += np.arange(len(turns))
    return turns


def _check(good: Flags, why: str) -> None:
    """Raise `Refused` for the bodies that are not good."""
    if not good.all():
        raise Refused(np.flatnonzero(~good), why)


def _varints(data: U8, firsts: Rows, lasts: Rows) -> tuple[U64, Flags]:
    """Read varints, each from its first to its last byte.

    Returns:
        The values, and whether each varint is valid: below 2^64, in as few bytes as possible. The
        value of an invalid varint has no meaning.
    """
    lengths = lasts - firsts + 1
    values = np.zeros(lengths.shape, np.uint64)
    for i in range(min(int(lengths.max(initial=0)), _U64_BYTES)):
        seven = (data[np.minimum(firsts + i, lasts)] & 0x7F).astype(np.uint64)
        values |= np.where(i < lengths, seven << np.uint64(7 * i), np.uint64(0))
    highest = data[lasts]
    good = (lengths == 1) | (highest != 0)
    good &= (lengths < _U64_BYTES) | ((lengths == _U64_BYTES) & (highest == 1))
    return values, good


def _numbers(data: U8, varint_ends: Rows, firsts: I64, ends: I64) -> tuple[U64, I64]:
    """Read the numbers of the first part.

    Returns:
        The numbers, u64 (F, 6), and the offset of the fixed bytes after them.
    """
    at = np.searchsorted(varint_ends, firsts)
    lasts = varint_ends[at[:, None] + np.arange(_NUMBERS)]
    behind = lasts[:, -1] + 1
    _check(behind + _FIXED_BYTES <= ends, "the numbers at the front are missing")
    begins = np.concatenate([firsts[:, None], lasts[:, :-1] + 1], axis=1)
    values, good = _varints(data, begins, lasts)
    _check(np.all(good, axis=1), "a number at the front is not a number")
    _check(values[:, _SEQUENCE] < _U32_LIMIT, "the number of a buffer is too large")
    _check(values[:, _COUNT] <= MAX_RECORDS, "more records than a buffer can have")
    return values, behind


def _table(
    data: U8, varint_ends: Rows, firsts: I64, ends: I64, kind_counts: I64
) -> tuple[U8, U32, I64]:
    """Read the kinds: a byte of predictors and a varint per kind.

    A valid byte of predictors is below 128, so it has the form of a one-byte varint.

    Returns:
        Predictors, u8 (K, 2), record headers, u32 (K), and the offset of the control bytes.
    """
    body = np.repeat(np.arange(len(firsts)), kind_counts)
    number = in_turn(np.zeros_like(firsts), kind_counts)
    rank = np.searchsorted(varint_ends, firsts)[body] + 2 * number
    predictor_at, lasts = varint_ends[rank], varint_ends[rank + 1]
    begins = np.where(number == 0, firsts[body], np.roll(lasts, 1) + 1)
    values, good = _varints(data, predictor_at + 1, lasts)
    pairs = data[predictor_at]
    predictors = np.stack([pairs & 15, pairs >> 4], axis=1)
    good &= (predictor_at == begins) & (lasts < ends[body])
    good &= (values < _U32_LIMIT) & (predictors <= max(Predictor)).all(axis=1)
    _check(_all_of(good, body, len(firsts)), "the table of kinds makes no sense")
    behind = firsts.copy()
    used = kind_counts > 0
    behind[used] = lasts[np.cumsum(kind_counts)[used] - 1] + 1
    return predictors, values.astype(np.uint32), behind


def _kinds(
    data: U8, control: U8, firsts: I64, ends: I64, sizes: tuple[I64, I64]
) -> tuple[I64, I64]:
    """Find the kind of each record, in its control byte or in the next escape.

    Args:
        data: the bodies.
        control: u8 (N), control bytes.
        firsts: offsets of the escapes.
        ends: ends of the bodies.
        sizes: number of records and number of kinds of each body.

    Returns:
        Index into the K kinds of all bodies, i64 (N), and the offsets of the values.
    """
    counts, kind_counts = sizes
    body = np.repeat(np.arange(len(counts)), counts)
    kind = (control & ESCAPED).astype(np.int64)
    escaped = np.flatnonzero(kind == ESCAPED)
    escape_counts = np.bincount(body[escaped], minlength=len(counts))
    narrow = kind_counts <= _NARROW_KINDS
    behind = firsts + np.where(narrow, (escape_counts + 1) // 2, escape_counts)
    _check(behind <= ends, "escapes are missing")
    odd = narrow & (escape_counts % 2 == 1)
    _check(~odd | (data[behind - 1] >> 4 == 0), "the padding of the escapes is not zero")
    number = in_turn(np.zeros_like(firsts), escape_counts)
    body = body[escaped]
    half = narrow[body]
    found = data[firsts[body] + np.where(half, number // 2, number)]
    kind[escaped] += np.where(half, found >> (number % 2 * 4).astype(np.uint8) & 15, found)
    limits = np.repeat(kind_counts, counts)
    body = np.repeat(np.arange(len(counts)), counts)
    _check(_all_of(kind < limits, body, len(counts)), "a record is of no kind")
    kind += np.repeat(np.cumsum(kind_counts) - kind_counts, counts)
    return kind, behind


def _places(data: U8, control: U8, span: tuple[I64, I64], counts: I64, usual: U8) -> I64:
    """Find the offset of each record's values in half bytes; check that they fill the body.

    Args:
        data: the bodies.
        control: u8 (N), control bytes.
        span: offsets of the values, and ends of the bodies.
        counts: number of records of each body.
        usual: usual length of a time of each body.
    """
    firsts, ends = span
    lengths = _RECORD_LENGTHS[np.repeat(usual, counts), control]
    behind = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    stops = np.cumsum(counts)
    totals = behind[stops] - behind[stops - counts]
    _check(firsts + (totals + 1) // 2 == ends, "the values do not fill the body")
    odd = totals % 2 == 1
    _check(~odd | (data[ends - 1] >> 4 == 0), "the padding of the values is not zero")
    places: I64 = behind[:-1] + np.repeat(2 * firsts - behind[stops - counts], counts)
    return places


def _all_of(good: Flags, body: I64, count: int) -> Flags:
    """Return which of `count` bodies have only good items."""
    whole = np.ones(count, bool)
    whole[body[~good]] = False
    return whole

"""A plain reference encoder of packed bodies, close to the specification.

If the specification leaves a choice, it does the same as the firmware for the first body after
boot: kinds in order of appearance, shortest lengths, and the usual length of times from their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SAME = 0
WORD = 1 << 32
WORD_LENGTHS = (0, 1, 2, 8)
ESCAPED = 3
NARROW_KINDS = 19  # with more kinds, an escape has a byte

Row = tuple[int, int, int, int]  # header, time, two words


@dataclass(frozen=True)
class Buffer:
    """The contents of a packed body, in its order."""

    first_ordinal: int
    dropped: int
    sent: int
    ticks: int
    sequence: int
    ring_number: int
    rows: tuple[Row, ...]


def packed(buffer: Buffer, predictors: Mapping[int, int]) -> bytes:
    """Return the body of a PACKED frame.

    Args:
        buffer: contents of the body.
        predictors: predictors of the words by header, four bits each; 0 if not given.
    """
    rows = buffer.rows
    headers = list(dict.fromkeys(row[0] for row in rows))
    usual = _usual_length(rows)
    time_lengths = (0, usual, usual + 1, 8)
    controls = bytearray()
    escapes: list[int] = []
    values: list[int] = []
    memories: dict[tuple[int, ...], int] = {}
    time = buffer.ticks % WORD
    for header, row_time, *words in rows:
        kind = headers.index(header)
        if kind >= ESCAPED:
            escapes.append(kind - ESCAPED)
        control = min(kind, ESCAPED) | _put(values, (row_time - time) % WORD, time_lengths) << 2
        time = row_time
        for place, word in enumerate(words):
            predictor = predictors.get(header, SAME) >> 4 * place & 15
            memory = (SAME, kind, place) if predictor == SAME else (predictor,)
            code = _put(values, memories.get(memory, 0) ^ word, WORD_LENGTHS)
            memories[memory] = word
            control |= code << 4 + 2 * place
        controls.append(control)
    numbers = (buffer.first_ordinal, buffer.dropped, buffer.sent, buffer.ticks, buffer.sequence)
    return (
        b"".join(varint(number) for number in (*numbers, len(rows)))
        + bytes([buffer.ring_number, usual, len(headers)])
        + b"".join(bytes([predictors.get(one, SAME)]) + varint(one) for one in headers)
        + bytes(controls)
        + (_half_bytes(escapes) if len(headers) <= NARROW_KINDS else bytes(escapes))
        + _half_bytes(values)
    )


def varint(value: int) -> bytes:
    """Encode as ULEB128: seven bits per byte, low ones first, bit 7 set on all but the last."""
    out = bytearray()
    while value > 0x7F:  # noqa: PLR2004 -- seven bits
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _usual_length(rows: Sequence[Row]) -> int:
    span = (rows[-1][1] - rows[0][1]) % WORD
    mean = span // len(rows) if span < WORD // 2 else 0
    return min(max(-(-mean.bit_length() // 4), 1), 7)


def _put(values: list[int], value: int, lengths: Sequence[int]) -> int:
    """Append the half bytes of a value; return its length code."""
    code = next(code for code, length in enumerate(lengths) if value < 1 << 4 * length)
    values += [value >> 4 * at & 15 for at in range(lengths[code])]
    return code


def _half_bytes(halves: list[int]) -> bytes:
    padded = [*halves, *[0] * (len(halves) % 2)]
    return bytes(low | high << 4 for low, high in zip(padded[::2], padded[1::2], strict=True))

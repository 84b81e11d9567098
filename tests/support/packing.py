"""Make bodies of PACKED frames, written from protocol/SPEC.md.

Where the specification leaves a choice, this encoder chooses at random (order of kinds, lengths of
values, predictors), because a reader must accept every valid encoding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

SAME, THREAD, OBJECT = range(3)
WORD = 1 << 32

Row = tuple[int, int, int, int]  # header, time, two words


@dataclass(frozen=True)
class PackedFields:
    """The first fields of a body."""

    first_ordinal: int
    dropped: int
    sent: int
    ticks: int
    sequence: int
    ring_number: int


def varint(value: int) -> bytes:
    """Return a number as ULEB128."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def from_half_bytes(halves: Sequence[int]) -> bytes:
    """Join half bytes, the low one first."""
    padded = [*halves, 0] if len(halves) % 2 else halves
    return bytes(low | high << 4 for low, high in zip(padded[::2], padded[1::2], strict=True))


class _Packer:
    """Encodes records one by one."""

    def __init__(self, rng: random.Random, headers: Sequence[int], usual: int) -> None:
        self._rng = rng
        self._usual = usual
        self._memories: dict[tuple[int, ...], int] = {}
        self.kinds = [(rng.randrange(3) | rng.randrange(3) << 4, header) for header in headers]
        self.controls = bytearray()
        self.escapes: list[int] = []
        self.values: list[int] = []

    def _value(self, value: int, lengths: Sequence[int], longer: float) -> int:
        """Write a value; return its length code."""
        codes = [code for code, length in enumerate(lengths) if value >> 4 * length == 0]
        code = self._rng.choice(codes) if self._rng.random() < longer else codes[0]
        self.values += [value >> 4 * i & 15 for i in range(lengths[code])]
        return code

    def record(self, row: Row, passed: int) -> None:
        header, _, *words = row
        number = self._rng.choice([i for i, kind in enumerate(self.kinds) if kind[1] == header])
        control = number
        if number >= 3:
            self.escapes.append(number - 3)
            control = 3
        control |= self._value(passed, (0, self._usual, self._usual + 1, 8), 0.1) << 2
        for i, word in enumerate(words):
            predictor = self.kinds[number][0] >> 4 * i & 15
            memory = (SAME, number, i) if predictor == SAME else (predictor,)
            difference = self._memories.get(memory, 0) ^ word
            self._memories[memory] = word
            control |= self._value(difference, (0, 1, 2, 8), 0.1) << 4 + 2 * i
        self.controls.append(control)


def packed_body(fields: PackedFields, rows: Sequence[Row], rng: random.Random) -> bytes:
    """Return the body of a PACKED frame; `rows` may have at most 255 different headers."""
    headers = sorted({row[0] for row in rows})
    spare = 255 - len(headers)
    headers += rng.choices([*headers, 7], k=rng.randrange(min(spare, 3) + 1))
    rng.shuffle(headers)
    usual = rng.randrange(1, 8)
    packer = _Packer(rng, headers, usual)
    time = fields.ticks % WORD
    for row in rows:
        packer.record(row, (row[1] - time) % WORD)
        time = row[1]
    narrow = len(headers) <= 19
    numbers = (fields.first_ordinal, fields.dropped, fields.sent, fields.ticks, fields.sequence)
    return (
        b"".join(varint(number) for number in (*numbers, len(rows)))
        + bytes([fields.ring_number, usual, len(headers)])
        + b"".join(bytes([kind]) + varint(header) for kind, header in packer.kinds)
        + bytes(packer.controls)
        + (from_half_bytes(packer.escapes) if narrow else bytes(packer.escapes))
        + from_half_bytes(packer.values)
    )

"""Unpack the body of a PACKED frame, written from protocol/SPEC.md ("Packed records").

It is slow and simple on purpose and uses no code of the host package. Every error in a body raises
ValueError.
"""

from __future__ import annotations

from dataclasses import dataclass

SAME, THREAD, OBJECT = range(3)
WORD = 1 << 32
MOST_RECORDS = 4092  # maximum of a BUFFER frame

Row = tuple[int, int, int, int]  # header, time, two words


@dataclass(frozen=True)
class Unpacked:
    """The fields of `buffer_header`, in its order, and the records."""

    first_ordinal: int
    dropped: int
    sent: int
    ticks: int
    sequence: int
    count: int
    ring_number: int
    records: list[Row]


class _Bytes:
    """Reads a body from its beginning."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise ValueError("the body ends too soon")
        self._at += count
        return self._data[self._at - count : self._at]

    def byte(self) -> int:
        return self.take(1)[0]

    def varint(self, limit: int) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if value >= limit or (shift > 7 and byte == 0):
            raise ValueError("a number is too large, or longer than it has to be")
        return value

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)


def half_bytes(data: bytes) -> list[int]:
    """Split bytes into half bytes, the low half first."""
    return [half for byte in data for half in (byte & 15, byte >> 4)]


def _check_padding(halves: list[int], used: int) -> None:
    if len(halves) - used not in (0, 1) or any(halves[used:]):
        raise ValueError("the padding is not one half byte of zero at most")


def unpack(body: bytes) -> Unpacked:
    """Unpack a body.

    Raises:
        ValueError: the body is malformed.
    """
    source = _Bytes(body)
    ordinal, dropped, sent, ticks = (source.varint(1 << 64) for _ in range(4))
    sequence, count = source.varint(WORD), source.varint(WORD)
    ring_number, usual, kind_count = source.byte(), source.byte(), source.byte()
    if not 1 <= usual <= 7 or count > MOST_RECORDS:
        raise ValueError("no such length of a time, or too many records")
    kinds = [(source.byte(), source.varint(WORD)) for _ in range(kind_count)]
    if any(predictors & 15 > OBJECT or predictors >> 4 > OBJECT for predictors, _ in kinds):
        raise ValueError("no such predictor")
    controls = source.take(count)
    numbers = _kind_numbers(source, controls, kind_count)
    records = _records(source.rest(), (controls, numbers), kinds, usual, ticks)
    return Unpacked(ordinal, dropped, sent, ticks, sequence, count, ring_number, records)


def _kind_numbers(source: _Bytes, controls: bytes, kind_count: int) -> list[int]:
    """Return the kind number of each record."""
    escape_count = sum(control & 3 == 3 for control in controls)
    if kind_count <= 19:
        escapes = half_bytes(source.take((escape_count + 1) // 2))
        _check_padding(escapes, escape_count)
    else:
        escapes = list(source.take(escape_count))
    waiting = iter(escapes)
    numbers = [3 + next(waiting) if control & 3 == 3 else control & 3 for control in controls]
    if any(number >= kind_count for number in numbers):
        raise ValueError("no such kind")
    return numbers


def _records(
    values: bytes,
    rows: tuple[bytes, list[int]],
    kinds: list[tuple[int, int]],
    usual: int,
    ticks: int,
) -> list[Row]:
    halves = half_bytes(values)
    at = 0

    def value(length: int) -> int:
        nonlocal at
        if at + length > len(halves):
            raise ValueError("values are missing")
        at += length
        return sum(half << 4 * i for i, half in enumerate(halves[at - length : at]))

    memories: dict[tuple[int, ...], int] = {}
    time = ticks % WORD
    records: list[Row] = []
    for control, number in zip(*rows, strict=True):
        predictors, header = kinds[number]
        time = (time + value((0, usual, usual + 1, 8)[control >> 2 & 3])) % WORD
        words: list[int] = []
        for word in range(2):
            predictor = predictors >> 4 * word & 15
            memory = (SAME, number, word) if predictor == SAME else (predictor,)
            length = (0, 1, 2, 8)[control >> 4 + 2 * word & 3]
            memories[memory] = memories.get(memory, 0) ^ value(length)
            words.append(memories[memory])
        records.append((header, time, words[0], words[1]))
    _check_padding(halves, at)
    return records

"""Damage bytes as lines, disks and hostile files do; written for speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

_LONGEST = 64
_WORDS = (b"\0", b"\xff", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff", b"TTCK", b"\x80" * 10)


def mutated(data: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Damage a copy of `data` in one to four places.

    Args:
        data: a valid input.
        others: valid inputs to take pieces from.
        rng: source of random numbers.
    """
    draw = rng.random
    result = bytearray(data)
    count = 1 if draw() < _ONE_PLACE else 2 + int(draw() * 3)
    for _ in range(count):
        if not result:
            result += b"\0"
        _KINDS[int(draw() * len(_KINDS))](result, others, draw)
    return bytes(result)


_ONE_PLACE = 0.7


def _flip(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    data[int(draw() * len(data))] ^= 1 << int(draw() * 8)


def _set(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    data[int(draw() * len(data))] = int(draw() * 256)


def _delete(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    begin = int(draw() * len(data))
    del data[begin : begin + 1 + int(draw() * _LONGEST * draw())]


def _truncate(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    del data[int(draw() * len(data)) :]


def _double(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    begin = int(draw() * len(data))
    piece = data[begin : begin + 1 + int(draw() * _LONGEST)]
    data[begin:begin] = piece


def _insert(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    begin = int(draw() * (len(data) + 1))
    data[begin:begin] = _WORDS[int(draw() * len(_WORDS))]


def _splice(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    other = others[int(draw() * len(others))]
    begin, place = int(draw() * len(other)), int(draw() * len(data))
    piece = other[begin : begin + 1 + int(draw() * _LONGEST)]
    data[place : place + len(piece)] = piece


def _zero(data: bytearray, others: Sequence[bytes], draw: Callable[[], float]) -> None:
    del others
    begin = int(draw() * len(data))
    size = min(len(data) - begin, 1 + int(draw() * _LONGEST))
    data[begin : begin + size] = bytes(size)


_KINDS = (_flip, _flip, _set, _delete, _truncate, _double, _insert, _splice, _zero)

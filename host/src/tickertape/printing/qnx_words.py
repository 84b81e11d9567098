"""Formats the words of an event like the trace printer of QNX Neutrino 6.4 (version 1.02).

The words of a simple event are ` name:value` on its line. Each argument of a combine event has a
line of its own, with the name right-aligned in 26 columns, unless one line is requested.
docs/formats.md has the layout.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.printing.qnx_calls import EMPTY, Argument
from tickertape.protocol.wire import ByteOrder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.decode.events import Event

_FAST_WORDS: Final = 2
_WORD_BYTES: Final = 4
_WORD_BITS: Final = 32
_PRINTABLE: Final = range(0x20, 0x7F)


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one event.

    Attributes:
        values: the words as numbers.
        raw: the bytes of the words in memory order.
        byte_order: byte order of the target.
        fast: whether the event is simple, with two words.
    """

    values: Sequence[int]
    raw: bytes
    byte_order: ByteOrder
    fast: bool


def words_of(event: Event, byte_order: ByteOrder) -> Words:
    """Return the words of an event; an incomplete last word is padded with zeros."""
    mark = "<" if byte_order is ByteOrder.LITTLE else ">"
    if event.payload is None:
        raw = struct.pack(f"{mark}{len(event.words)}I", *event.words)
        return Words(event.words, raw, byte_order, fast=True)
    raw = event.payload + bytes(-len(event.payload) % _WORD_BYTES)
    values = struct.unpack(f"{mark}{len(raw) // _WORD_BYTES}I", raw)
    return Words(values, raw, byte_order, fast=False)


def signed(word: int) -> int:
    """Convert 32 bits to a signed number."""
    return word - (1 << _WORD_BITS) if word >> (_WORD_BITS - 1) else word


def write_fast(words: Words, arguments: Iterable[Argument], *, pad: bool = True) -> str:
    """Format two words on one line.

    Args:
        words: words of the event.
        arguments: arguments of the event type; the fast ones apply to the words.
        pad: whether to print words without a name as `empty`, as the printer does for kernel calls.
    """
    named = [argument for argument in arguments if argument.fast][:_FAST_WORDS]
    if pad:
        named += [EMPTY] * (_FAST_WORDS - len(named))
    return "".join(
        f" {argument.name}:{_value(argument, words, index, 1)}"
        for index, argument in enumerate(named)
    )


def write_wide(words: Words, arguments: Sequence[Argument], *, one_line: bool) -> str:
    """Format the words with a name; all words if none has a name."""
    parts = []
    index = 0
    unknown = (Argument(f"d{number}", "H") for number in range(len(words.values)))
    for argument in arguments or unknown:
        if index >= len(words.values) and argument.form != "N":
            break
        label = f" {argument.name}:" if one_line else f"\n{argument.name:>26}:"
        if argument.form == "N":
            parts.append(label + text_of(words.raw[_WORD_BYTES * index :]))
            break
        parts.append(label + _value(argument, words, index, argument.words))
        index += argument.words
    return "".join(parts)


def text_of(raw: bytes) -> str:
    """Return a string up to its terminating zero, without unprintable characters."""
    head = raw.split(b"\0", 1)[0].decode("utf-8", errors="replace")
    return "".join(letter for letter in head if letter.isprintable())


def _value(argument: Argument, words: Words, index: int, count: int) -> str:
    values = words.values[index : index + count]
    if argument.form == "S":
        return _message(words.raw[_WORD_BYTES * index : _WORD_BYTES * (index + count)])
    if argument.form in {"E", "X"}:
        return _wide_number(argument.form, values, words.byte_order)
    word = values[0]
    match argument.form:
        case "D":
            return str(signed(word))
        case "P":
            return f"0x{word:x}" if word else "(nil)"
    return f"0x{word:08x}"


def _wide_number(form: str, values: Sequence[int], byte_order: ByteOrder) -> str:
    low, high = [*values, 0][:2] if byte_order is ByteOrder.LITTLE else [0, *values][-2:][::-1]
    number = high << _WORD_BITS | low
    if form == "X":
        return f"0x{number:x}"
    return str(number - (1 << 2 * _WORD_BITS) if number >> (2 * _WORD_BITS - 1) else number)


def _message(raw: bytes) -> str:
    """Format the begin of a message: as text, if all of it is printable ASCII, and as words."""
    head = raw.split(b"\0", 1)[0]
    text = head.decode("ascii") if all(byte in _PRINTABLE for byte in head) else ""
    # The printer shows these bytes as little-endian words, whatever the byte order of the target.
    numbers = [
        int.from_bytes(raw[at : at + _WORD_BYTES], "little")
        for at in range(0, len(raw), _WORD_BYTES)
    ]
    return f'"{text}" (' + " ".join(f"0x{number:08x}" for number in numbers) + ")"

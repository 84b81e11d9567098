"""Messages of tt_logf(): events SYSTEM LOG whose format string is in the ELF file (docs/log.md).

The input is not trusted: an argument that does not fit its conversion is shown as `<?>`.
"""

from __future__ import annotations

import json
import re
import struct
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from tickertape.model.zephyr_log import list_values, source_of
from tickertape.protocol.lookup import event_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.events import Event
    from tickertape.model.names import Names

Value: TypeAlias = int | float | str

TYPED: Final = 1  # bit 0 of the first word; these are the numbers of tickertape/log.h
_WORD, _LONG, _DOUBLE, _COPIED, _LITERAL = 1, 2, 3, 4, 5
_WORD_BYTES: Final = 4
_LONG_BYTES: Final = 8
_TYPE_BITS: Final = 4

_UNFIT: Final = "<?>"
_WIDEST: Final = 255  # columns and digits of one conversion
_NULL: Final = "(null)"
_CONVERSION: Final = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|[0-9]*)(?:\.(?P<precision>\*|[0-9]*))?"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>[%a-zA-Z])"
)
_NARROW: Final = {"hh": 8, "h": 16}


class Argument(NamedTuple):
    """An argument: its value and its number of bits, 0 for text or floating point."""

    value: Value
    bits: int


class _Shape(NamedTuple):
    """Flags, width and precision of a conversion."""

    flags: str
    width: int
    precision: int | None

    def __str__(self) -> str:
        """Return flags, width and precision as in a conversion of a number."""
        digits = "" if self.precision is None else f".{self.precision}"
        return f"{self.flags}{self.width or ''}{digits}"

    def text(self, text: str) -> str:
        """Format a text; only the flag `-` applies to texts."""
        return f"%{self._replace(flags='-' if '-' in self.flags else '')}s" % text


class Message(NamedTuple):
    """The contents of an event.

    Attributes:
        text: the message; None if its format is unknown.
        format_address: address of the format string.
        arguments: arguments as recorded, without the format. A text is a number, its address, if
            its characters are unknown.
    """

    text: str | None
    format_address: int
    arguments: tuple[Value, ...]


def is_message(event: Event) -> bool:
    """Return whether an event is a message of tt_logf()."""
    return event_type(event.cls, event.event).payload == "values"


def message_of(event: Event, names: Names) -> Message:
    """Format a message with the names of its boot."""
    first = event.words[0] if event.words else 0
    last = _last_word(event)
    source = source_of(last, names.code) if last is not None else None
    address = (first & ~TYPED) + (source.odd_format if source is not None else 0)
    pattern = names.constant(address)
    if first & TYPED:
        arguments = () if event.payload is None else tuple(_typed(event, event.payload, names))
    elif source is not None and pattern is not None:
        arguments = tuple(_listed(event, pattern, names))
    else:
        arguments = tuple(Argument(word, 32) for word in event.words[1:])
    shown = arguments if event.payload is not None else _asked(arguments, pattern)
    text = None if pattern is None else format_message(pattern, arguments)
    if text is not None and source is not None:
        text = source.prefix + text
    return Message(text, address, tuple(one.value for one in shown))


def _last_word(event: Event) -> int | None:
    """Return the last word of an event; None if it has fewer than two words."""
    if event.payload is None:
        return event.words[1] if len(event.words) > 1 else None
    if len(event.payload) < 2 * _WORD_BYTES or len(event.payload) % _WORD_BYTES:
        return None
    word: int = struct.unpack(f"{_order(event, event.payload)}I", event.payload[-_WORD_BYTES:])[0]
    return word


def _listed(event: Event, pattern: str, names: Names) -> Iterator[Argument]:
    """Yield the arguments of a Zephyr message without types; look up texts by their address."""
    kinds = []
    for found in _CONVERSION.finditer(pattern):
        if found["kind"] != "%":
            kinds += [("", "d")] * (found["width"] == "*") + [("", "d")] * (
                found["precision"] == "*"
            )
            kinds.append((found["length"] or "", found["kind"]))
    order, words = "<", event.words
    if event.payload is not None:
        order = _order(event, event.payload)
        words = struct.unpack(f"{order}{len(event.payload) // _WORD_BYTES}I", event.payload)
    for (value, bits), (_, kind) in zip(
        list_values(words[1:-1], kinds, order), kinds, strict=False
    ):
        text = names.constant(value) if kind == "s" and isinstance(value, int) else None
        yield Argument(value, bits) if text is None else Argument(text, 0)


def without_format(message: Message, build_id: str) -> str:
    """Describe a message with an unknown format, and name the ELF file that contains the format."""
    parts = [f"format=0x{message.format_address:08x}"]
    parts += [
        json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
        for value in message.arguments
    ]
    build = f"build {build_id[:12]}" if build_id else "the traced build"
    return f"{' '.join(parts)} (its text is in the ELF file of {build}: --elf)"


def format_message(pattern: str, arguments: tuple[Argument, ...]) -> str:
    """Format as printf() does, with arguments of the target.

    Args:
        pattern: the format of printf(); widths and precisions beyond 255 are taken as 255.
        arguments: in order. Integers are unsigned; the conversion determines the sign.
    """
    waiting = iter(arguments)
    return _CONVERSION.sub(lambda found: _convert(found, waiting), pattern)


def _convert(found: re.Match[str], waiting: Iterator[Argument]) -> str:
    kind = found["kind"]
    if kind == "%":
        return "%"
    flags, width = found["flags"], _number(found["width"], waiting)
    precision = None if found["precision"] is None else _number(found["precision"] or "0", waiting)
    if width < 0:
        flags, width = f"{flags}-", -width
    argument = next(waiting, None)
    if argument is None:
        return _UNFIT
    digits = None if precision is None or precision < 0 else min(precision, _WIDEST)
    return _shown(_Shape(flags, min(width, _WIDEST), digits), kind, found["length"] or "", argument)


def _number(digits: str, waiting: Iterator[Argument]) -> int:
    """Return a width or precision, from the format or, for `*`, from the arguments."""
    if digits != "*":
        return int(digits[:4] or "0")
    argument = next(waiting, None)
    value = argument.value if argument is not None else 0
    return _signed(value, 32) if isinstance(value, int) else 0


def _shown(shape: _Shape, kind: str, length: str, argument: Argument) -> str:
    value, bits = argument
    if kind == "s":
        # A number is the address of an unknown text.
        return shape.text(value if isinstance(value, str) else _UNFIT)
    if isinstance(value, float):
        if kind in "aA":
            return value.hex()
        return f"%{shape}{kind}" % value if kind in "fFeEgG" else _UNFIT
    if isinstance(value, str):
        return _UNFIT
    return _integer(shape, kind, value, min(bits, _NARROW.get(length, bits)))


def _integer(shape: _Shape, kind: str, value: int, bits: int) -> str:
    if kind == "c":
        return shape._replace(precision=None).text(chr(value & 0xFF))
    if kind == "p":
        return f"0x{value:x}"
    if kind in "di":
        return f"%{shape}d" % _signed(value, bits)
    if kind not in "uoxX":
        return _UNFIT
    value &= (1 << bits) - 1
    shown = f"%{shape}{'d' if kind == 'u' else kind}" % value
    # printf() prefixes octal numbers with 0, Python with 0o.
    return shown.replace("0o", "0") if kind == "o" else shown


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _asked(arguments: tuple[Argument, ...], pattern: str | None) -> tuple[Argument, ...]:
    """Leave out the second word of a simple event whose format takes no argument."""
    if pattern is None:
        return arguments
    takes = any(found["kind"] != "%" for found in _CONVERSION.finditer(pattern))
    return arguments if takes else ()


def _typed(event: Event, payload: bytes, names: Names) -> Iterator[Argument]:
    """Yield the arguments of a payload with types, up to the first incomplete or unknown one."""
    types = event.words[1] if len(event.words) > 1 else 0
    order = _order(event, payload)
    at = 2 * _WORD_BYTES
    while types:
        kind, types = types & ((1 << _TYPE_BITS) - 1), types >> _TYPE_BITS
        size = _LONG_BYTES if kind in {_LONG, _DOUBLE} else _WORD_BYTES
        raw, at = payload[at : at + size], at + size
        if len(raw) < size or not _WORD <= kind <= _LITERAL:
            return
        number = int.from_bytes(raw, "little" if order == "<" else "big")
        if kind == _DOUBLE:
            yield Argument(struct.unpack(f"{order}d", raw)[0], 0)
        elif kind == _COPIED:
            yield Argument(payload[at : at + number].decode("utf-8", errors="replace"), 0)
            at += number + -number % _WORD_BYTES
        elif kind == _LITERAL:
            known = _NULL if number == 0 else names.constant(number)
            yield Argument(number, 32) if known is None else Argument(known, 0)
        else:
            yield Argument(number, 8 * size)


def _order(event: Event, payload: bytes) -> str:
    """Return the byte order of the words of a payload, as in the `struct` module."""
    words = struct.unpack(f"<{len(event.words)}I", payload[: _WORD_BYTES * len(event.words)])
    return "<" if words == event.words else ">"

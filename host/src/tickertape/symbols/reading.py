"""Format values of variables by their type, for values of up to 32 bits."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

META_KEY: Final = "signal "
"""Prefix of a key in a tape's metadata; the decimal address follows. The value is made by
`Reading.as_json`."""

_WORD: Final = 4
_SIZES: Final = (1, 2, 4)
_LONGEST_NAME: Final = 200
_LONGEST_ADDRESS: Final = 10


class Encoding(Enum):
    """Kinds of values."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"
    FLOAT = "float"
    BOOLEAN = "boolean"
    ENUM = "enum"
    POINTER = "pointer"


@dataclass(frozen=True, slots=True)
class Reading:
    """Format of a variable's value.

    Attributes:
        encoding: kind of value.
        size_bytes: size of the variable: 1, 2 or 4.
        names: names of enumerators, by value.
        is_signed: whether an enumeration has negative values.
    """

    encoding: Encoding
    size_bytes: int
    names: Mapping[int, str] = field(default_factory=dict)
    is_signed: bool = False

    def text(self, word: int) -> str:
        """Return a value as text; bits of `word` beyond the variable's size are ignored."""
        bits = 8 * self.size_bytes
        word &= (1 << bits) - 1
        signed = word - (1 << bits) if word >> (bits - 1) else word
        match self.encoding:
            case Encoding.FLOAT if self.size_bytes == _WORD:
                return _shortest(word)
            case Encoding.SIGNED:
                return str(signed)
            case Encoding.BOOLEAN:
                return {0: "false", 1: "true"}.get(word, str(word))
            case Encoding.ENUM:
                number = signed if self.is_signed else word
                return self.names.get(number, str(number))
            case Encoding.POINTER:
                return f"0x{word:08x}"
        return str(word)

    def as_json(self) -> dict[str, object]:
        """Return this format as JSON values for `reading_of`."""
        found: dict[str, object] = {"type": self.encoding.value, "bytes": self.size_bytes}
        if self.encoding is Encoding.ENUM:
            found |= {"names": {str(value): name for value, name in self.names.items()}}
            found |= {"signed": self.is_signed}
        return found


def _shortest(word: int) -> str:
    """Return the shortest decimal number that gives the same 32-bit float."""
    (value,) = struct.unpack("<f", struct.pack("<I", word))
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        try:
            if struct.unpack("<I", struct.pack("<f", float(text))) == (word,):
                return text
        except OverflowError:
            pass
    return str(value)


def readings_of(meta: Mapping[str, object]) -> dict[int, Reading]:
    """Return the formats in a tape's metadata by address; leave out invalid ones."""
    found: dict[int, Reading] = {}
    for key, values in meta.items():
        address = key.removeprefix(META_KEY)
        if address == key or not (address.isascii() and address.isdecimal()):
            continue
        reading = reading_of(values)
        if reading is not None and len(address) <= _LONGEST_ADDRESS:
            found[int(address)] = reading
    return found


def reading_of(values: object) -> Reading | None:
    """Return the format in JSON values; None if they are invalid."""
    if not isinstance(values, dict) or values.get("bytes") not in _SIZES:
        return None
    try:
        encoding = Encoding(values.get("type"))
        names = {
            int(value): name[:_LONGEST_NAME]
            for value, name in dict(values.get("names", {})).items()
            if isinstance(name, str)
        }
    except (TypeError, ValueError):
        return None
    return Reading(encoding, values["bytes"], names, values.get("signed") is True)

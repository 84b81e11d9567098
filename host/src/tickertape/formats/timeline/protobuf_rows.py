"""Messages of one form by the million: encoded once by the library, then filled in by numpy.

    template = Template(message.SerializeToString(), {"time": TIME, "track": TRACK})
    rows = template.rows({"time": times, "track": tracks})

A number in protobuf takes as many bytes as it needs (varint), but may take more: a reader sees the
same number. So a message is serialized once with a large number in each field that varies, and
these bytes are replaced, row by row, by others of the same length.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tickertape.decode.records import U8

_GROUP_BITS: Final = 7
_MORE: Final = 0x80
_GROUP: Final = 0x7F


class Template:
    """One form of message, with places for numbers.

    Attributes:
        size: of each message, in bytes.
    """

    def __init__(self, message: bytes, fields: Mapping[str, int | float]) -> None:
        """Find the places.

        Args:
            message: serialized, with a number of its own in each field that varies. An int gives
                the length: as many bytes as it takes; a float is a double of eight bytes.
            fields: these numbers, by name.

        Raises:
            ValueError: a number stands nowhere, or more than once.
        """
        self._message = np.frombuffer(message, np.uint8)
        self._places: dict[str, tuple[int, int]] = {}
        self.size = len(message)
        for name, number in fields.items():
            code = struct.pack("<d", number) if isinstance(number, float) else varint(number)
            if message.count(code) != 1:
                raise ValueError(name)
            self._places[name] = (message.index(code), len(code))

    def rows(self, values: Mapping[str, NDArray[Any]]) -> U8:
        """Give messages, a row each.

        Args:
            values: columns of equal length; ints not negative, and not larger than what their
                places have room for.
        """
        count = len(next(iter(values.values())))
        rows = np.empty((count, self.size), np.uint8)
        rows[:] = self._message
        for name, column in values.items():
            begin, width = self._places[name]
            place = rows[:, begin : begin + width]
            if column.dtype.kind == "f":
                place[:] = column.astype("<f8").view(np.uint8).reshape(count, width)
            else:
                _fill(place, column.astype(np.int64, copy=False))
        return rows


def _fill(places: U8, numbers: NDArray[np.int64]) -> None:
    last = places.shape[1] - 1
    for place in range(last):
        # The low byte of a number is its first group, and a bit that is set anyway.
        places[:, place] = numbers >> _GROUP_BITS * place if place else numbers
    places[:, :last] |= _MORE
    places[:, last] = numbers >> _GROUP_BITS * last


def varint(number: int) -> bytes:
    """Encode a number as protobuf does."""
    found = bytearray()
    while number > _GROUP:
        found.append(number & _GROUP | _MORE)
        number >>= _GROUP_BITS
    return bytes([*found, number])

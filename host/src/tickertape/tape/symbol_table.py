"""Build and parse the body of a SYMBOLS chunk: names of code and data, so no ELF file is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.decode.bodies import BadBodyError
from tickertape.protocol.wire import SYMBOL, SYMBOL_BYTES, SYMBOLS, SYMBOLS_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUILD_ID_BYTES = 20
_SYMBOL_DTYPE = np.dtype([(part.name, f"<u{part.sizeof()}") for part in SYMBOL.subcons])


class SymbolRow(NamedTuple):
    """One function or variable: address, size (0: unknown) and name."""

    address: int
    size_bytes: int
    name: str


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """Symbols of one firmware.

    Attributes:
        build_id: build ID of the image, 20 bytes; empty if it has none.
        rows: functions and variables.
    """

    build_id: bytes
    rows: tuple[SymbolRow, ...]


def build_symbols(build_id: bytes, rows: Iterable[SymbolRow]) -> bytes:
    """Return the body of a SYMBOLS chunk."""
    entries, names = [], bytearray()
    for address, size_bytes, name in rows:
        text = name.encode()
        entries.append((address, size_bytes, len(names), len(text)))
        names += text
    exact = build_id.ljust(_BUILD_ID_BYTES, b"\0")[:_BUILD_ID_BYTES]
    head: bytes = SYMBOLS.build({"count": len(entries), "image_id": exact})
    return head + np.array(entries, _SYMBOL_DTYPE).tobytes() + names


def parse_symbols(body: bytes) -> SymbolTable:
    """Parse the body of a SYMBOLS chunk; the result is at most a few times larger than the body.

    Raises:
        BadBodyError: the body is too short for its entries or names.
    """
    if len(body) < SYMBOLS_BYTES:
        raise BadBodyError("it is too short")
    head = SYMBOLS.parse(body)
    behind = SYMBOLS_BYTES + head.count * SYMBOL_BYTES
    if len(body) < behind:
        raise BadBodyError(f"{head.count} symbols do not fit into it")
    entries = np.frombuffer(body, _SYMBOL_DTYPE, head.count, SYMBOLS_BYTES)
    ends = entries["name_offset"].astype(np.uint64) + entries["name_bytes"]
    room = len(body) - behind
    # Names do not overlap, so their sum cannot exceed the bytes after the entries.
    if int(ends.max(initial=0)) > room or int(entries["name_bytes"].sum(dtype=np.uint64)) > room:
        raise BadBodyError("the names of its symbols do not fit into it")
    names = body[behind:]
    rows = tuple(
        SymbolRow(address, size, names[first : first + length].decode("utf-8", errors="replace"))
        for address, size, first, length in entries.tolist()
    )
    return SymbolTable(head.image_id if any(head.image_id) else b"", rows)

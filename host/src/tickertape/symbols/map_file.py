"""Read and write symbol maps: one line per symbol, `address type name`, as in `nm` and System.map.

    # build-id 0b5c...
    00000100 T Reset_Handler
    20000000 b bus

The type is a letter of `nm`: t code, d data, b zeroed data; upper case means global. C++ names are
written as in source code, so a name may contain blanks. The comment with the build ID is an
addition of this program; it shows whether a map belongs to a trace. Other lines that begin with #
are ignored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tickertape.errors import FirmwareError
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINE: Final = re.compile(r"(?:0x)?([0-9a-fA-F]{1,16})\s+(\S)\s+(\S.*?)\s*")
_BUILD_ID: Final = re.compile(r"#\s*build-id\s+((?:[0-9a-f]{2})+)\s*")
_ADDRESS_MASK: Final = 0xFFFF_FFFF
_END: Final = 1 << 32


def map_lines(symbols: Symbols) -> Iterator[str]:
    """Yield the lines of a map, without line ends, in order of address."""
    if symbols.build_id:
        yield f"# build-id {symbols.build_id.hex()}"
    for symbol in symbols:
        yield f"{symbol.address:08x} {symbol.letter} {symbol.name}"


def read_map(path: Path) -> Symbols:
    """Read a map. A symbol extends to the next one, because a map has no sizes.

    Raises:
        FirmwareError: the file cannot be read, or is not a symbol map.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FirmwareError(
            f"cannot read {path}: {error.strerror}", "name a map of `tickertape symbols`"
        ) from error
    except UnicodeDecodeError as error:
        raise _wrong(path, "it is not text") from error
    build_id = b""
    found: dict[int, tuple[str, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            said = _BUILD_ID.fullmatch(line)
            build_id = bytes.fromhex(said[1]) if said else build_id
        elif line.strip():
            fields = _LINE.fullmatch(line)
            if fields is None:
                raise _wrong(path, f"line {number} is not `address type name`")
            found.setdefault(int(fields[1], 16) & _ADDRESS_MASK, (fields[2], fields[3]))
    if not found:
        raise _wrong(path, "it names nothing")
    places = sorted(found)
    ends = [*places[1:], _END]
    return Symbols(
        (
            Symbol(place, end - place, escaped(found[place][1]), found[place][0])
            for place, end in zip(places, ends, strict=True)
        ),
        build_id,
        "symbol map",
    )


def _wrong(path: Path, what: str) -> FirmwareError:
    return FirmwareError(
        f"{path} is not a symbol map: {what}", "make one with `tickertape symbols`"
    )

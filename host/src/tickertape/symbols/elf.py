"""Reads what an ELF file says about a firmware: its build id and the names of code and data.

Formats: System V ABI (ELF), "ELF for the Arm Architecture" (bit 0 of a function's value marks
Thumb code and is no part of the address), GNU build id (note type 3, owner "GNU").
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from tickertape.errors import FirmwareError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_NOTE_BUILD_ID = "NT_GNU_BUILD_ID"
_KINDS = ("STT_FUNC", "STT_OBJECT")
_ADDRESS_MASK = 0xFFFF_FFFF  # a record's word; wider addresses keep their low 32 bits


@dataclass(frozen=True, order=True)
class Symbol:
    """One function or variable.

    Attributes:
        address: low 32 bits of where it begins, without the Thumb bit.
        size_bytes: its size; 0 where the linker does not know.
        name: as the linker knows it.
    """

    address: int
    size_bytes: int
    name: str


class Symbols:
    """Names by address.

    Attributes:
        build_id: GNU build id of the image, empty when it has none.
    """

    def __init__(self, symbols: Iterable[Symbol], build_id: bytes = b"") -> None:
        """Keep `symbols` in order of address; of several at one place the widest counts."""
        widest: dict[int, Symbol] = {}
        for symbol in symbols:
            known = widest.get(symbol.address)
            if known is None or symbol.size_bytes > known.size_bytes:
                widest[symbol.address] = symbol
        self._symbols = [widest[address] for address in sorted(widest)]
        self._addresses = [symbol.address for symbol in self._symbols]
        self.build_id = build_id

    def __len__(self) -> int:
        """Count the symbols."""
        return len(self._symbols)

    def __iter__(self) -> Iterator[Symbol]:
        """Go through the symbols in order of address."""
        return iter(self._symbols)

    def lookup(self, address: int) -> str | None:
        """Name an address as `name` or `name+0x10`; None outside of everything known."""
        index = bisect_right(self._addresses, address) - 1
        if index < 0:
            return None
        symbol = self._symbols[index]
        offset = address - symbol.address
        # Bit 0 of a code address marks Thumb, so an offset of 1 is the begin as well.
        if offset <= 1:
            return symbol.name
        return f"{symbol.name}+0x{offset:x}" if offset < symbol.size_bytes else None

    def require_build(self, build_id: bytes, *, force: bool) -> None:
        """Refuse to name addresses of another build.

        Args:
            build_id: what the traced target said in HELLO; empty or zeros when it has none.
            force: accept whatever it is.

        Raises:
            FirmwareError: the ids differ or cannot be compared.
        """
        traced = build_id if any(build_id) else b""
        if force or (traced and traced == self.build_id):
            return
        here, there = (part.hex()[:12] or "unknown" for part in (self.build_id, traced))
        raise FirmwareError(
            f"the ELF file is build {here}, the traced firmware was build {there}",
            "give the ELF file that was traced, or add --force to use its names anyway",
        )


def read_symbols(path: Path) -> Symbols:
    """Read an ELF file.

    Raises:
        FirmwareError: there is no such file, or it is no ELF file.
    """
    try:
        with path.open("rb") as file:
            return _read(file)
    except OSError as error:
        raise FirmwareError(
            f"cannot read {path}: {error.strerror}", "name the ELF file of the firmware"
        ) from error
    except ELFError as error:
        raise FirmwareError(
            f"{path} is no ELF file: {error}", "name the ELF file of the firmware"
        ) from error


def _read(file: BinaryIO) -> Symbols:
    elf = ELFFile(file)
    return Symbols(_symbols(elf), _build_id(elf))


def _symbols(elf: ELFFile) -> Iterator[Symbol]:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return
    is_arm = elf["e_machine"] == "EM_ARM"
    for entry in table.iter_symbols():
        kind, defined = entry["st_info"]["type"], entry["st_shndx"] != "SHN_UNDEF"
        if not (defined and kind in _KINDS and entry.name):
            continue
        address = entry["st_value"] & _ADDRESS_MASK
        if is_arm and kind == "STT_FUNC":
            address &= ~1
        yield Symbol(address, entry["st_size"], entry.name)


def _build_id(elf: ELFFile) -> bytes:
    section = elf.get_section_by_name(".note.gnu.build-id")
    if not isinstance(section, NoteSection):
        return b""
    for note in section.iter_notes():
        if note["n_type"] == _NOTE_BUILD_ID:
            return bytes.fromhex(note["n_desc"])
    return b""

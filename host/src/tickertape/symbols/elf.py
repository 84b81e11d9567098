"""Read the build ID and the names of code and data from a firmware's ELF file.

Formats: System V ABI (ELF), "ELF for the Arm Architecture" (bit 0 of a function's value marks
Thumb code and is not part of the address), GNU build id (note type 3, owner "GNU").
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from elftools.elf.constants import SH_FLAGS
from elftools.elf.sections import NoteSection, SymbolTableSection

from tickertape.errors import FirmwareError
from tickertape.symbols.demangle import demangle
from tickertape.symbols.elf_file import elf_file
from tickertape.symbols.isr_table import HANDLERS, zephyr_interrupts
from tickertape.symbols.symbol import Symbol
from tickertape.symbols.vectors import interrupt_names, is_vector_table
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import Symbol as ElfSymbol

_NOTE_BUILD_ID = "NT_GNU_BUILD_ID"
_KINDS = ("STT_FUNC", "STT_OBJECT")
_NOWHERE = ("SHN_UNDEF", "SHN_ABS")
_TEXT_BYTES = 4096
_CONSTANT_BYTES = 64 << 20  # limit for all constants together
_ADDRESS_MASK = 0xFFFF_FFFF  # a word of a record; wider addresses keep their low 32 bits


class Symbols:
    """Symbols of a firmware, by address.

    Attributes:
        build_id: GNU build ID of the image; empty if it has none.
        interrupts: names of interrupts by exception number, from their handlers.
        path: the ELF file; None if the names have another source.
    """

    def __init__(
        self,
        symbols: Iterable[Symbol],
        build_id: bytes = b"",
        source: str = "ELF file",
        interrupts: Mapping[int, str] | None = None,
        constants: Iterable[tuple[int, bytes]] = (),
        path: Path | None = None,
    ) -> None:
        """Store `symbols` by address; of several symbols at one address, only the largest.

        Args:
            symbols: functions and variables.
            build_id: build ID of the image.
            source: kind of source, for messages.
            interrupts: names of interrupts by exception number.
            constants: read-only memory: address and content of each section.
            path: the ELF file; None if the names have another source.
        """
        self.path = path
        widest: dict[int, Symbol] = {}
        for symbol in symbols:
            known = widest.get(symbol.address)
            if known is None or symbol.size_bytes > known.size_bytes:
                widest[symbol.address] = symbol
        self._symbols = [widest[address] for address in sorted(widest)]
        self._addresses = [symbol.address for symbol in self._symbols]
        self.build_id = build_id
        self.interrupts = dict(interrupts or {})
        self._source = source
        self._constants = tuple(constants)

    def __len__(self) -> int:
        """Return the number of symbols."""
        return len(self._symbols)

    def __iter__(self) -> Iterator[Symbol]:
        """Iterate over the symbols in order of address."""
        return iter(self._symbols)

    def lookup(self, address: int) -> str | None:
        """Return the name of an address as `name` or `name+0x10`; None outside of all symbols."""
        found = self._find(address)
        if found is None:
            return None
        symbol, offset = found
        # Bit 0 of a code address marks Thumb, so offset 1 is the start of a function as well.
        return symbol.name if offset <= 1 else f"{symbol.name}+0x{offset:x}"

    def place(self, address: int) -> str | None:
        """Return the name of an address as `name+0x10`, always with an offset; None if unknown."""
        found = self._find(address)
        return None if found is None else f"{found[0].name}+0x{found[1]:x}"

    def _find(self, address: int) -> tuple[Symbol, int] | None:
        """Return the symbol at an address and the offset in it; None if unknown, and for 0."""
        index = bisect_right(self._addresses, address) - 1
        if index < 0 or address == 0:
            return None
        symbol = self._symbols[index]
        offset = address - symbol.address
        return (symbol, offset) if offset < max(symbol.size_bytes, 2) else None

    def constant(self, address: int) -> str | None:
        """Return the text at an address in read-only memory; None if there is none.

        A text ends with a zero byte and has at most 4 095 bytes; invalid UTF-8 is replaced.
        """
        for begin, content in self._constants:
            at = address - begin
            if 0 <= at < len(content):
                end = content.find(0, at, at + _TEXT_BYTES)
                return None if end < 0 else content[at:end].decode("utf-8", errors="replace")
        return None

    def require_build(self, build_id: bytes, *, force: bool) -> None:
        """Check that the symbols belong to the traced build.

        Args:
            build_id: build ID from HELLO of the traced target; empty or zeros if it has none.
            force: accept any build.

        Raises:
            FirmwareError: the build IDs differ or are unknown.
        """
        traced = build_id if any(build_id) else b""
        if force or (traced and traced == self.build_id):
            return
        here, there = (part.hex()[:12] or "unknown" for part in (self.build_id, traced))
        raise FirmwareError(
            f"the {self._source} is build {here}, the traced firmware was build {there}",
            f"give the {self._source} that was traced, or add --force to use its names anyway",
        )


def read_symbols(path: Path) -> Symbols:
    """Read the symbols of an ELF file.

    Raises:
        FirmwareError: the file does not exist or is not a valid ELF file.
    """
    with elf_file(path) as elf:
        return _read(elf, path)


def _read(elf: ELFFile, path: Path) -> Symbols:
    symbols = list(_symbols(elf))
    constants = tuple(_constants(elf))
    named = Symbols((), constants=constants)
    return Symbols(
        symbols,
        _build_id(elf),
        interrupts=_interrupts(elf, symbols, named.constant),
        constants=constants,
        path=path,
    )


def _constants(elf: ELFFile) -> Iterator[tuple[int, bytes]]:
    """Yield address and content of the read-only sections: constants and code."""
    room = _CONSTANT_BYTES
    for section in elf.iter_sections():
        flags = section["sh_flags"]
        held = flags & SH_FLAGS.SHF_ALLOC and section["sh_type"] == "SHT_PROGBITS"
        if not held or flags & (SH_FLAGS.SHF_WRITE | SH_FLAGS.SHF_COMPRESSED):
            continue
        elf.stream.seek(section["sh_offset"])
        content = elf.stream.read(min(section["sh_size"], room))
        room -= len(content)
        yield section["sh_addr"] & _ADDRESS_MASK, content


def _interrupts(
    elf: ELFFile, symbols: Sequence[Symbol], text: Callable[[int], str | None]
) -> Mapping[int, str]:
    """Return interrupt names from the vector table of an Arm image, or from Zephyr's tables."""
    if elf["e_machine"] != "EM_ARM":
        return {}

    def read(address: int, size_bytes: int) -> bytes:
        offset = next(elf.address_offsets(address, size_bytes), None)
        if offset is None:
            return b""
        elf.stream.seek(offset)
        return bytes(elf.stream.read(size_bytes))

    order = "<" if elf.little_endian else ">"
    if any(symbol.name == HANDLERS for symbol in symbols):
        return zephyr_interrupts(symbols, order, read, text)
    tables = [symbol for symbol in symbols if is_vector_table(symbol)]
    if not tables:
        return {}
    place = max(tables, key=lambda symbol: symbol.size_bytes)
    return interrupt_names(read(place.address, place.size_bytes), order, symbols)


def _symbols(elf: ELFFile) -> Iterator[Symbol]:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return
    is_arm = elf["e_machine"] == "EM_ARM"
    for entry in table.iter_symbols():
        kind, where = entry["st_info"]["type"], entry["st_shndx"]
        # An absolute symbol is a number, not an address (Zephyr defines its configuration so).
        if where in _NOWHERE or kind not in _KINDS or not entry.name:
            continue
        address = entry["st_value"] & _ADDRESS_MASK
        if is_arm and kind == "STT_FUNC":
            address &= ~1
        name = demangle(entry.name)
        linker_name = "" if name == entry.name else entry.name
        yield Symbol(address, entry["st_size"], escaped(name), _letter(elf, entry), linker_name)


def _letter(elf: ELFFile, entry: ElfSymbol) -> str:
    """Return the type letter of a symbol, as in `nm`."""
    where, letter = entry["st_shndx"], "?"
    if entry["st_info"]["type"] == "STT_FUNC":
        letter = "t"
    elif isinstance(where, int) and where < elf.num_sections():
        section = elf.get_section(where)
        zeroed, writable = (
            section["sh_type"] == "SHT_NOBITS",
            section["sh_flags"] & SH_FLAGS.SHF_WRITE,
        )
        letter = "b" if zeroed else "d" if writable else "r"
    return letter if entry["st_info"]["bind"] == "STB_LOCAL" else letter.upper()


def _build_id(elf: ELFFile) -> bytes:
    section = elf.get_section_by_name(".note.gnu.build-id")
    if not isinstance(section, NoteSection):
        return b""
    for note in section.iter_notes():
        if note["n_type"] == _NOTE_BUILD_ID:
            return bytes.fromhex(note["n_desc"])
    return b""

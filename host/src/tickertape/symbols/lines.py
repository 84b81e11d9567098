"""Find the source lines of code addresses in the line tables of an ELF file (DWARF).

lines = read_lines(Path("firmware.elf"))
lines.lookup(0x0800_0123)  # SourceLine("src/control.c", 41), or None
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from tickertape.symbols.elf_file import elf_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from elftools.dwarf.dwarfinfo import DWARFInfo
    from elftools.dwarf.lineprogram import LineProgram

_DWARF_5 = 5


class SourceLine(NamedTuple):
    """A line of a source file; `file` is the path as passed to the compiler."""

    file: str
    line: int


class Lines:
    """Source lines by address."""

    def __init__(self, parts: Iterable[tuple[int, int, SourceLine]]) -> None:
        """Store parts of the code as (begin, end, line); ignore empty parts."""
        self._parts = sorted((part for part in parts if part[0] < part[1]), key=itemgetter(0))
        self._begins = [begin for begin, _, _ in self._parts]

    def lookup(self, address: int) -> SourceLine | None:
        """Return the line of an instruction; None if the table has none."""
        index = bisect_right(self._begins, address) - 1
        if index < 0:
            return None
        _, end, line = self._parts[index]
        return line if address < end else None


def read_lines(path: Path) -> Lines:
    """Read the line tables of an ELF file; without debug information they are empty.

    Raises:
        FirmwareError: the file does not exist, is not an ELF file, or its tables are damaged.
    """
    with elf_file(path) as elf:
        return Lines(_parts(elf.get_dwarf_info()) if elf.has_dwarf_info() else ())


def _parts(dwarf: DWARFInfo) -> Iterator[tuple[int, int, SourceLine]]:
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        names = _names(program)
        before = None
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            # Skip code removed by the linker: it begins at 0, the address of the vector table.
            if before is not None and before.address:
                name = names.get(before.file, "?")
                yield before.address, state.address, SourceLine(name, before.line)
            before = None if state.end_sequence else state


def _names(program: LineProgram) -> dict[int, str]:
    """Return the file names of a unit by file number."""
    header = program.header
    first = 0 if header["version"] >= _DWARF_5 else 1
    folders = [_text(folder) for folder in header["include_directory"]]
    if first:
        folders.insert(0, "")
    found = {}
    for number, entry in enumerate(header["file_entry"], start=first):
        folder = folders[entry.dir_index] if entry.dir_index < len(folders) else ""
        # Folder 0 is the compiler's working folder: names in it are as passed to the compiler.
        name = PurePosixPath(_text(entry.name))
        found[number] = str(PurePosixPath(folder) / name if entry.dir_index else name)
    return found


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", errors="replace")

"""A damaged ELF file is read or refused: no traceback, endless loop or exhausted memory."""

from __future__ import annotations

import struct
import subprocess
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st

from tickertape.errors import FirmwareError, TickertapeError
from tickertape.formats.image.memory import read_constants, read_image
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.variables import Variables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOURCE = """
typedef int number; struct node { number count; struct node *next; } nodes[3] = {{1, 0}};
const char text[] = "constant";
static inline __attribute__((always_inline)) number add(number m) { return nodes[1].count + m; }
int main(void) { return add(nodes[0].count); }
"""
READERS: list[Callable[[Path], object]] = [
    read_symbols,
    read_constants,
    lambda path: read_image(path, 0),
    lambda path: Variables.read(path, {"program.c"}),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("damaged")
    (folder / "program.c").write_text(SOURCE)
    command = ["gcc", "-g", "-gdwarf-4", "-no-pie", "program.c", "-o", "program"]
    subprocess.run(command, check=True, cwd=folder)
    return folder / "program"


@given(
    tables=st.lists(st.tuples(st.integers(0, 2500), st.integers(0, 255)), max_size=3),
    heads=st.lists(st.tuples(st.integers(16, 63), st.integers(0, 255)), max_size=2),
    cut=st.one_of(st.just(0), st.integers(0, 20_000)),
)
def test_any_damage_is_read_or_refused(
    program: Path, tables: list[tuple[int, int]], heads: list[tuple[int, int]], cut: int
) -> None:
    content = bytearray(program.read_bytes())
    sections = int.from_bytes(content[40:48], "little")
    for at, value in [*heads, *((sections + at, value) for at, value in tables)]:
        if at < len(content):
            content[at] = value
    damaged = program.with_name("any")
    damaged.write_bytes(content[: len(content) - cut])
    for read in READERS:
        try:
            read(damaged)
        except TickertapeError:
            continue


def test_types_in_a_circle_are_refused(program: Path) -> None:
    content = bytearray(program.read_bytes())
    with program.open("rb") as file:
        elf = ELFFile(file)
        information = elf.get_section_by_name(".debug_info")
        assert information is not None
        begin = information["sh_offset"]
        [unit] = [
            unit
            for unit in elf.get_dwarf_info().iter_CUs()
            if unit.get_top_DIE().attributes["DW_AT_name"].value.endswith(b"program.c")
        ]
        [alias] = [die for die in unit.iter_DIEs() if die.tag == "DW_TAG_typedef"]
        place = begin + alias.attributes["DW_AT_type"].offset
        content[place : place + 4] = struct.pack("<I", alias.offset - unit.cu_offset)
    circle = program.with_name("circle")
    circle.write_bytes(content)
    with pytest.raises(FirmwareError, match="part of a circle"):
        Variables.read(circle, {"program.c"})


@pytest.mark.parametrize(
    ("sections", "entry_bytes", "count", "message"),
    [
        # Without a section count in the header, the size of the first section is the count.
        ([(0, 0, 0, 1 << 32)], 0, 0, "reaches past the end|Too small e_shentsize"),
        ([(0, 0, 0, 1 << 32)], 64, 0, "a table of sections or segments reaches past the end"),
        ([(0, 1, 0, 1 << 40)], 64, 1, "reaches past the end of the file"),
        ([(0, 8, 0, 1 << 40)], 64, 1, "claims 1099511627776 bytes"),
    ],
)
def test_sizes_that_the_file_does_not_have_are_refused(
    tmp_path: Path,
    sections: list[tuple[int, int, int, int]],
    entry_bytes: int,
    count: int,
    message: str,
) -> None:
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, 64, 0, 64, 56, 0, entry_bytes, count, 0)
    table = b"".join(
        struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, 0, 0, 0, 0)
        for name, kind, offset, size in sections
    )
    path = tmp_path / "sizes.elf"
    path.write_bytes(head + table)
    for read in (read_symbols, read_constants):
        with pytest.raises(FirmwareError, match=message):
            read(path)

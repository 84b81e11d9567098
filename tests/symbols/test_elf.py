"""Symbols of real ELF files, made here with the compiler of the machine."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tickertape.errors import FirmwareError
from tickertape.symbols.elf import Symbol, Symbols, read_symbols

if TYPE_CHECKING:
    from pathlib import Path

BUILD_ID = bytes(range(1, 21))
SOURCE = "int table[8]; int other; int main(void) { return table[3] + other; }"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("elf")
    (folder / "program.c").write_text(SOURCE)
    subprocess.run(
        [
            *("gcc", "-no-pie", f"-Wl,--build-id=0x{BUILD_ID.hex()}"),
            *(folder / "program.c", "-o", folder / "program"),
        ],
        check=True,
    )
    return folder / "program"


def address_of(symbols: Symbols, name: str) -> int:
    return next(symbol.address for symbol in symbols if symbol.name == name)


def test_build_id_and_names(program: Path) -> None:
    symbols = read_symbols(program)
    assert symbols.build_id == BUILD_ID
    table = address_of(symbols, "table")
    assert symbols.lookup(table) == "table"
    assert symbols.lookup(table + 12) == "table+0xc"
    assert symbols.lookup(address_of(symbols, "main") + 2) == "main+0x2"


def test_an_image_without_symbols_names_nothing(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(
        ["strip", "-s", "--remove-section=.note.gnu.build-id", "-o", stripped, program], check=True
    )
    symbols = read_symbols(stripped)
    assert len(symbols) == 0
    assert symbols.build_id == b""
    assert symbols.lookup(0x1000) is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (0x0FFF, None),  # before everything
        (0x1000, "wide"),  # of two at one place the widest
        (0x1001, "wide"),  # with the Thumb bit
        (0x100F, "wide+0xf"),
        (0x1010, None),  # just behind it
        (0x2000, "label"),  # no size: its own address only
        (0x2002, None),
    ],
)
def test_lookup_keeps_inside_a_symbol(address: int, name: str | None) -> None:
    symbols = Symbols(
        [Symbol(0x1000, 4, "narrow"), Symbol(0x2000, 0, "label"), Symbol(0x1000, 16, "wide")]
    )
    assert symbols.lookup(address) == name


@pytest.mark.parametrize("traced", [bytes(20), b"", bytes(19) + b"\1"])
def test_another_build_is_refused_unless_forced(traced: bytes) -> None:
    symbols = Symbols([], BUILD_ID)
    symbols.require_build(BUILD_ID, force=False)
    symbols.require_build(traced, force=True)
    with pytest.raises(FirmwareError, match="add --force"):
        symbols.require_build(traced, force=False)


def test_two_images_without_id_are_not_the_same_build() -> None:
    with pytest.raises(FirmwareError, match="unknown"):
        Symbols([]).require_build(bytes(20), force=False)


@pytest.mark.parametrize("content", [b"", b"no ELF at all", b"\x7fELF"])
def test_a_wrong_file_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_bytes(content)
    with pytest.raises(FirmwareError, match=r"is no ELF file.*name the ELF file"):
        read_symbols(wrong)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FirmwareError, match="No such file"):
        read_symbols(tmp_path / "missing")

"""A fault of the core ends the program and reports its place and address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.workbench import build, run_qemu
from tickertape.symbols.elf import read_symbols

SOURCE: Final = Path(__file__).parent / "core_fault"
PANIC: Final = 70


@pytest.mark.parametrize("board", ["mps2-an385", "mps2-an386", "mps2-an521", "mps3-an547"])
@pytest.mark.parametrize(
    ("crime", "said"),
    [
        (0, r"fault at pc f0000000, CFSR \w{8}\n"),
        (1, r"fault at pc (\w{8}), CFSR \w{8}, address 4f000000\n"),
        (2, r"fault with stack pointer 4effff\w\w, CFSR \w{8}(, address 4effff\w\w)?\n"),
        (3, r"fault at pc (\w{8}), CFSR 00010000\n"),
    ],
)
def test_a_fault_reports_its_own_place_and_address(board: str, crime: int, said: str) -> None:
    program = build(board, "core_fault", SOURCE_DIR=str(SOURCE))
    done = run_qemu(board, program, f"crime={crime}")
    assert done.returncode == PANIC
    found = re.fullmatch(said, done.stdout)
    assert found is not None, done.stdout
    if found.re.groups and found[1] and not found[1].startswith(","):
        place = read_symbols(program).lookup(int(found[1], 16))
        assert str(place).startswith("run+")

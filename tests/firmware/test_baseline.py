"""The image contains only instructions of ARMv8-M Baseline (Cortex-M23), which QEMU lacks.

The disassembled image is that of the micro:bit with recorder, kernel and example, built for M23.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

from tests.support.workbench import build

if TYPE_CHECKING:
    from pathlib import Path

# Instructions in Arm's ARMv8-M manual (DDI 0553) without a note that requires Mainline.
_WORDS: Final = """
adcs add adds adr ands asrs b bcc bcs beq bge bgt bhi bic bics bkpt bl ble bls blt blx blxns bmi bne
bpl bvc bvs bx bxns cbnz cbz clrex cmn cmp cpsid cpsie dmb dsb eors isb lda ldab ldaex ldaexb ldaexh
ldah ldmia ldr ldrb ldrex ldrexb ldrexh ldrh ldrsb ldrsh lsls lsrs mov movs movt movw mrs msr muls
mvns negs nop orrs pop push rev rev16 revsh rsbs sbcs sdiv sev sg stl stlb stlex stlexb stlexh stlh
stmia str strb strex strexb strexh strh sub subs svc sxtb sxth tst tt tta ttat ttt udf udiv uxtb
uxth wfe wfi yield
"""
BASELINE: Final = frozenset(_WORDS.split())
_NO_REGISTERS: Final = ("BASEPRI", "FAULTMASK")


def lacking(listing: str) -> set[str]:
    """Return the instructions in a disassembly that ARMv8-M Baseline lacks."""
    found = set()
    for line in listing.splitlines():
        row = re.match(r"\s*[0-9a-f]+:\t(\S+)\s*([^@;]*)", line)
        if row is None or row[1].startswith((".word", ".short", ".byte")):
            continue
        # Only branches and moves have a wide form in Baseline.
        word, _, width = row[1].partition(".")
        is_wide = width == "w" and word not in {"b", "bl", "movw", "movt"}
        if word not in BASELINE or is_wide or any(one in row[2] for one in _NO_REGISTERS):
            found.add(f"{row[1]} {row[2]}".strip())
    return found


def disassembled(program: Path) -> str:
    """Disassemble the objects of a program; objects have their constants in separate sections."""
    objects = sorted(map(str, program.with_suffix(".obj").rglob("*.o")))
    command = ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", *objects]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_cortex_m23_has_every_instruction() -> None:
    variables = {"EXTRA_CFLAGS": "-mcpu=cortex-m23", "BUILD": "../build/m23"}
    listing = disassembled(build("microbit", "first_tape", **variables))
    assert "<tt_record" in listing
    assert "<kernel_port_exchange>" in listing
    assert lacking(listing) == set()
    assert re.search(r"\tldrex\t", listing), "compiled for a Cortex-M0"


@pytest.mark.parametrize(
    ("instruction", "is_lacking"),
    [
        ("it\teq", True),
        ("ldrd\tr0, r1, [r2]", True),
        ("msr\tBASEPRI, r0", True),
        ("clz\tr0, r0", True),
        ("ldr.w\tr0, [r1, #4]", True),
        ("udiv\tr0, r0, r1", False),
        ("b.w\t100 <main>", False),
        ("bne.n\t100 <main>", False),
        ("msr\tPRIMASK, r0", False),
        (".word\t0xf0000000", False),
    ],
)
def test_the_scan_finds_instructions_of_mainline(instruction: str, *, is_lacking: bool) -> None:
    assert bool(lacking(f"  1a2c:\t{instruction}\t; a comment")) == is_lacking

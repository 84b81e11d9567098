"""Kernel calls from interrupts where CONTROL.SPSEL reads as 1 (control_register/main.c)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workbench import build, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader

SOURCE = Path(__file__).parent / "control_register"


@pytest.mark.parametrize(
    ("board", "says"), [("mps2-an521", "SPSEL was 1"), ("mps2-an386", "SPSEL was 0")]
)
def test_an_interrupt_calls_the_kernel_whatever_spsel_reads(
    tmp_path: Path, board: str, says: str
) -> None:
    program = build(board, "control_register", SOURCE_DIR=str(SOURCE))
    done = run_qemu(board, program, trace=f"file:{tmp_path / 'x.bin'}")
    assert (done.returncode, done.stdout) == (0, f"{says}\n")
    trace = MemoryLink([(tmp_path / "x.bin").read_bytes()])
    capture(trace, tmp_path / "x.tape", CaptureOptions(handle_signals=False))
    with TapeReader(tmp_path / "x.tape") as reader:
        balance = balance_of(reader)
    assert balance.final
    assert balance.total.holds
    assert balance.total.offered == balance.total.delivered > 0

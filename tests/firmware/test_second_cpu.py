"""A link that CPU 1 writes to while CPU 0 handles its interrupts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.workbench import build, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from tests.support.command import Command

SOURCE = Path(__file__).parent / "second_cpu"


def test_what_cpu_1_puts_leaves_while_cpu_0_puts_nothing(
    tickertape: Command, tmp_path: Path
) -> None:
    program = build("mps2-an521", "second_cpu", SOURCE_DIR=str(SOURCE))
    done = run_qemu("mps2-an521", program, trace=f"file:{tmp_path / 'x.bin'}")
    assert (done.returncode, done.stdout) == (0, "")
    captured = tickertape("capture", "-q", "file:x.bin", "-o", "x.tape")
    assert (captured.returncode, captured.stderr) == (0, "")
    with TapeReader(tmp_path / "x.tape") as reader:
        balance = balance_of(reader)
    assert balance.final
    assert balance.total.holds
    assert balance.total.offered == balance.total.delivered > 0

"""TraceEvent() of the QNX names (qnx/main.c), on every board."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workbench import build, run_native, run_qemu

SOURCE = Path(__file__).parent / "qnx"


@pytest.mark.parametrize("board", ["native", "mps2-an385", "mps2-an386", "mps2-an521"])
def test_every_command_does_what_it_says(board: str) -> None:
    program = build(board, "qnx", SOURCE_DIR=str(SOURCE))
    done = run_native(program) if board == "native" else run_qemu(board, program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

"""Build programs with firmware/Makefile and run them, as Linux programs or in QEMU."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.patience import HANG_S
from tickertape.targets.qemu import MACHINES

FIRMWARE = Path(__file__).parents[2] / "firmware"
BUILD_SECONDS = 300
RUN_SECONDS = HANG_S

# The clock counts instructions and never sleeps, so a run does not depend on the host machine.
_DETERMINISTIC = ["-icount", "shift=0,sleep=off"]


def build(board: str, example: str = "first_tape", **variables: str) -> Path:
    """Build a program and return its path; fail the test if it does not build."""
    command = ["make", "-s", "-C", str(FIRMWARE), f"BOARD={board}", f"EXAMPLE={example}"]
    command += [f"{name}={value}" for name, value in variables.items()]
    built = _run(command, BUILD_SECONDS)
    if built.returncode != 0:
        pytest.fail(f"{' '.join(command)}\n{built.stderr}")
    where = _run([*command, "--no-print-directory", "where"], BUILD_SECONDS)
    return Path(where.stdout.strip())


def run_native(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a Linux program to its end."""
    return _run([str(program), *options], RUN_SECONDS)


def qemu_command(board: str, program: Path, trace: str, *options: str) -> list[str]:
    """Return the command that runs a program in QEMU, with its trace at device `trace`."""
    machine = MACHINES[board]
    return [
        shutil.which("qemu-system-arm") or "qemu-system-arm",
        *("-M", machine.name, "-kernel", str(program), "-display", "none", "-monitor", "none"),
        *_DETERMINISTIC,
        *machine.wiring(trace, [program.stem, *options]),
    ]


def run_qemu(
    board: str, program: Path, *options: str, trace: str = "null"
) -> subprocess.CompletedProcess[str]:
    """Run a program in QEMU to its end."""
    return _run(qemu_command(board, program, trace, *options), RUN_SECONDS)


def _run(command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )

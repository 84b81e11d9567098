"""The kernel's own tests, programs in C (main.c and the suites beside it), on every port.

They use a recorder that stores events in memory, so they also test the kernel's hooks.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.patience import HANG_S
from tests.support.workbench import build, qemu_command, run_native, run_qemu

VARIABLES = {"SOURCE_DIR": str(Path(__file__).parent), "RECORDER": "core/event_table.c"}
PASSED = "all kernel tests passed"


@pytest.mark.parametrize("sanitizers", ["", "address,undefined", "thread"])
def test_kernel_on_linux(sanitizers: str) -> None:
    program = build("native", "kernel_tests", SANITIZE=sanitizers, **VARIABLES)
    done = run_native(program)
    assert (done.returncode, done.stderr.strip()) == (0, PASSED)


@pytest.mark.parametrize(
    "board",
    ["mps2-an385", "mps2-an386", "mps2-an500", "mps2-an505", "mps2-an521", "mps3-an547"],
)
@pytest.mark.parametrize("tick", ["cmsdk", "systick"])
def test_kernel_in_the_emulator(board: str, tick: str) -> None:
    program = build(board, f"kernel_tests_{tick}", TICK=tick, DEFINES="KERNEL_CPUS=1", **VARIABLES)
    done = run_qemu(board, program)
    assert (done.returncode, done.stdout.strip()) == (0, PASSED)


@pytest.mark.parametrize("tick", ["cmsdk", "systick"])
def test_kernel_on_two_cpus(tick: str) -> None:
    program = build("mps2-an521", f"kernel_tests_two_{tick}", TICK=tick, **VARIABLES)
    done = run_qemu("mps2-an521", program)
    assert (done.returncode, done.stdout.strip()) == (0, PASSED)


def test_threads_end_on_two_cpus_at_the_same_time() -> None:
    """Each CPU runs in its own host thread; one ends a thread that is in a kernel call."""
    program = build("mps2-an521", "kernel_tests_two_cmsdk", TICK="cmsdk", **VARIABLES)
    command = qemu_command("mps2-an521", program, "null", "only_ending=1")
    at = command.index("-icount")
    command[at : at + 2] = ["-accel", "tcg,thread=multi"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert (done.returncode, done.stdout.strip()) == (0, PASSED)

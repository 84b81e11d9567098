"""Unprivileged tasks under an MPU record their own events by a system call."""

from __future__ import annotations

import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.freertos_boards import (
    APPS,
    BOARDS,
    BUILD_SECONDS,
    COUNTED,
    RUN_SECONDS,
    SAMPLES,
    build,
    kernels,
    needs_freertos,
    run,
)
from tickertape.analysis.kernel_findings import Law, Verdict
from tickertape.analysis.kernel_laws import kernel_laws_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path


def has_port(kernel: Path, board: str) -> bool:
    """Return whether the kernel supports the board's MPU; the emulated M33 has 16 regions."""
    if board != "mps2-an505":
        return True
    port = kernel / "portable/GCC/ARM_CM33_NTZ/non_secure/port.c"
    return port.is_file() and "configTOTAL_MPU_REGIONS" in port.read_text()


CASES = [
    pytest.param(kernel, board, id=f"{kernel.name}-{board}")
    for kernel in kernels()
    for board in BOARDS
    if has_port(kernel, board)
] or [pytest.param(None, None, id="none")]
STEPS = 30
GUESTS = {"first": 1, "second": 2}


@needs_freertos
@pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS)
@pytest.mark.parametrize(("kernel", "board"), CASES)
def test_tasks_without_privilege(kernel: Path, board: str, tmp_path: Path) -> None:
    calls = ("TT_FREERTOS_CALLS=1",) if board == "mps2-an385" else ()
    program = build(APPS / "guests", board, kernel, *calls, variables=("MPU=1",))
    trace = run(program, board, tmp_path / "T.tape")
    names = {tid: name for name, tid in trace.tids.items()}
    running, steps, told = None, list[tuple[str, int, int]](), dict[str, list[int]]()
    taken: Counter[str] = Counter()
    for event in trace.events:
        if event.name in {"THREAD.RUNNING", "SCHED.CONTEXT_SWITCH"}:
            running = names[event.words[1]]
        elif event.name == "USER.USER_1":
            assert running is not None
            steps.append((running, event.words[0], event.words[1]))
        elif event.name.startswith("USER."):
            assert running == ("intruder" if event.name == "USER.USER_4" else "main")
            told.setdefault(event.name, []).append(event.words[0])
        elif event.name == "SYNC.MUTEX_LOCK_GRANTED":
            assert names[event.words[1]] == running
            taken[running] += 1
    for name, number in GUESTS.items():
        mine = [step for step in steps if step[0] == name]
        assert mine == [(name, i, number) for i in range(STEPS)]
    assert len(steps) == len(GUESTS) * STEPS, "what the intruder wrote itself is not there"
    assert taken == dict.fromkeys(GUESTS, STEPS)
    assert sorted(told["USER.USER_2"]) == sorted([*range(STEPS), *range(STEPS)])
    assert told["USER.USER_3"] == [STEPS] * len(GUESTS), "what the guests have counted"
    assert told["USER.USER_4"] == [1], "the intruder faulted"
    with TapeReader(trace.tape) as reader:
        laws = kernel_laws_of(reader)
    for law in (Law.ONE_OWNER, Law.READY_FIRST, Law.MOST_URGENT):
        assert laws[law].verdict is Verdict.HOLDS, laws[law]


def refused(*command: str | Path) -> str:
    """Run a program that must end with an error; return its output."""
    board = ("qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none")
    options = (*COUNTED, "-serial", "null", "-semihosting-config", "enable=on,target=native")
    done = subprocess.run(
        [*board, *options, "-kernel", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_SECONDS,
    )
    assert done.returncode == 1, done.stderr
    return done.stderr


@needs_freertos
@pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS)
@pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name)
def test_the_start_is_refused_without_the_handler(kernel: Path) -> None:
    program = build(
        APPS / "guests", "mps2-an385", kernel, "SAMPLE_KERNEL_SVC", variables=("MPU=1",)
    )
    assert "tt_freertos_start" in refused(program)


@needs_freertos
@pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS)
@pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name)
def test_the_start_is_refused_where_tasks_reach_the_recorder(kernel: Path, tmp_path: Path) -> None:
    """The start is refused if the linker script puts the recorder into memory of all tasks."""
    folder = SAMPLES / "mps2"
    sections = (folder / "mpu_sections.ld").read_text()
    memory = (folder / "mpu_an385.ld").read_text()
    ours = [line for line in sections.splitlines() if line.lstrip().startswith("*firmware/")]
    assert len(ours) == 2
    for line in ours:
        sections = sections.replace(line, "")
    (tmp_path / "open.ld").write_text(memory.replace("INCLUDE mpu_sections.ld", sections))
    script = (f"MEMORY={tmp_path / 'open'}",)
    program = build(APPS / "guests", "mps2-an385", kernel, variables=("MPU=1", *script))
    assert "tt_freertos_start" in refused(program)

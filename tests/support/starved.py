"""Run a program on a busy machine and measure how long its threads wait for a processor."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SAMPLE_S = 0.02
_HOGS = 4
"""Number of busy programs. With each, a thread of policy SCHED_IDLE waits about a second longer."""


@dataclass(frozen=True)
class Starved:
    """A thread of a program that gets almost no processor time for a while.

    Attributes:
        name: beginning of the thread's name.
        output: a file; the time begins when the program has written something to it.
        seconds: length of the time.
    """

    name: str
    output: Path
    seconds: float


def waiting_ns(command: Sequence[str], starved: Starved | None = None) -> int:
    """Run a program to its end; return the sum of the times that its threads waited, in ns.

    No thread of the program is late by more than this sum. If Linux does not count the time, return
    the time of the whole run.

    Args:
        command: command line of the program; its exit code must be 0.
        starved: a thread to starve; None: no thread.
    """
    begin_s = sampled_s = time.monotonic()
    waits: dict[str, int] = {}
    unseen_s = 0.0
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            if starved is not None:
                _starve(process, starved)
            while process.poll() is None:
                assert time.monotonic() - begin_s < HANG_S
                now_s = time.monotonic()
                unseen_s, sampled_s = max(unseen_s, now_s - sampled_s), now_s
                waits |= _waits(process.pid)
                time.sleep(_SAMPLE_S)
        finally:
            process.kill()
    assert process.returncode == 0
    end_s = time.monotonic()
    if not waits:
        return int((end_s - begin_s) * 1e9)
    return sum(waits.values()) + int(max(unseen_s, end_s - sampled_s) * 1e9)


def _waits(pid: int) -> dict[str, int]:
    """Return the time that each thread of a process has waited on a run queue so far, in ns."""
    found = {}
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            found[task.parent.name] = int(task.read_text().split()[1])
        except (OSError, IndexError):  # the thread has ended
            continue
    return found


def _starve(process: subprocess.Popen[bytes], starved: Starved) -> None:
    """Starve a thread of a program for `seconds`, or until the program ends."""
    end_s = time.monotonic() + HANG_S
    while not starved.output.exists() or starved.output.stat().st_size == 0:
        assert time.monotonic() < end_s
        time.sleep(_SAMPLE_S)
    tid = _thread(process.pid, starved.name)
    if tid is None:
        assert process.poll() is not None, f"the program has no thread {starved.name}"
        return
    with _starving(tid), suppress(subprocess.TimeoutExpired):
        process.wait(starved.seconds)


def _thread(pid: int, name: str) -> int | None:
    """Return the id of the thread whose name begins with `name`; None if there is none."""
    for task in Path(f"/proc/{pid}/task").glob("*/comm"):
        with suppress(OSError):  # the thread has ended
            if task.read_text().startswith(name):
                return int(task.parent.name)
    return None


@contextmanager
def _starving(tid: int) -> Iterator[None]:
    """Give a thread only the time that busy programs leave on one processor."""
    cpu = min(os.sched_getaffinity(0))
    busy = ["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]
    hogs = [subprocess.Popen(busy) for _ in range(_HOGS)]
    try:
        with suppress(ProcessLookupError):  # the thread has ended
            usual = os.sched_getaffinity(tid)
            os.sched_setaffinity(tid, {cpu})
            os.sched_setscheduler(tid, os.SCHED_IDLE, os.sched_param(0))
        yield
        with suppress(ProcessLookupError):
            os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))
            os.sched_setaffinity(tid, usual)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()

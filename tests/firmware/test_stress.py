"""Random operations on every kind of kernel object, checked by the laws on the trace.

STRESS_OPERATIONS=1000000 in the environment makes the run on Linux longer (100 000 otherwise).
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.starved import Starved, waiting_ns
from tests.support.workbench import build, qemu_command, run_native
from tickertape.analysis.kernel_findings import Law, Verdict
from tickertape.analysis.kernel_laws import KernelLaws, kernel_laws_of
from tickertape.analysis.summary import summary_of
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SyncEvent, ThreadEvent
from tickertape.protocol.wire import HelloFlag
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import EventColumns

OPERATIONS = int(os.environ.get("STRESS_OPERATIONS", "100000"))
HOLDS = dict.fromkeys(Law, Verdict.HOLDS)
SECONDS_FOR_A_MILLION = 300
OTHERS_RUN_ON_BOTH = 8
OUTSIDE_LOCKS = {"SOURCE_DIR": "examples/stress", "DEFINES": "TT_CONFIG_HOOKS_OUTSIDE_LOCKS=1"}
KERCALLS, EXITS = 128, 256
ANSWER_NS = 1_000_000_000
"""Longest time in which a CPU responds to another one while the threads of both are running."""


def stress(tickertape: Command, target: str, operations: int, seed: int) -> None:
    done = tickertape(
        *("run", "-q", "--target", target, "--example", "stress", "-o", "x.tape"),
        *(f"--option=operations={operations}", f"--option=seed={seed}"),
        timeout=100 + SECONDS_FOR_A_MILLION * operations / 1e6,
    )
    assert (done.returncode, done.stderr) == (0, "")


def check_whole_and_lawful(path: Path) -> None:
    with TapeReader(path) as reader:
        assert summary_of(reader).complete
        judgements = kernel_laws_of(reader)
    shown = [violation for one in judgements.values() for violation in one.violations]
    assert {law: one.verdict for law, one in judgements.items()} == HOLDS, shown


def results_by_call(path: Path) -> dict[int, set[int]]:
    """Return the results of each kernel call; results above 0 count as 1."""
    results: dict[int, set[int]] = {}
    with TapeReader(path) as reader:
        for columns in iter_events(reader):
            ended = (columns.cls == EventClass.KERCALL) & (columns.event >= KERCALLS)
            calls = (columns.event[ended] - KERCALLS).tolist()
            words = np.minimum(columns.data0[ended].astype(np.int32), 1).tolist()
            for call, result in zip(calls, words, strict=True):
                results.setdefault(call, set()).add(result)
    return results


def test_the_laws_hold_on_linux(tickertape: Command, tmp_path: Path) -> None:
    stress(tickertape, "native", OPERATIONS, seed=3)
    check_whole_and_lawful(tmp_path / "x.tape")
    results = results_by_call(tmp_path / "x.tape")
    # Every call occurred, and every way in which a wait can end.
    calls = {11, 14, 15, 20, 36, 46, 47, 50, 72, 79, 80, 81, 82, 83, 84, 85, 89, 90}
    calls |= {102, 104, 105, 106, 107, 108, 109}
    assert set(results) >= calls
    for call, done in {11: 0, 14: 0, 80: 0, 82: 0, 85: 0, 106: 1}.items():
        assert results[call] >= {done, -3, -4, -8}, call


@pytest.mark.parametrize("seed", [2, 3])
def test_the_laws_hold_in_the_emulator(tickertape: Command, tmp_path: Path, seed: int) -> None:
    stress(tickertape, "qemu", 10_000, seed)
    check_whole_and_lawful(tmp_path / "x.tape")


@pytest.mark.parametrize("seed", [1, 6])
def test_the_laws_hold_on_two_cpus(tickertape: Command, tmp_path: Path, seed: int) -> None:
    stress(tickertape, "qemu-dual", 10_000, seed)
    check_whole_and_lawful(tmp_path / "x.tape")
    with TapeReader(tmp_path / "x.tape") as reader:
        switches = [0, 0]
        workers: list[set[int]] = [set(), set()]
        for columns in iter_events(reader):
            rows = columns.code == event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
            for cpu, tid in zip(
                columns.cpu[rows].tolist(), columns.data1[rows].tolist(), strict=True
            ):
                switches[cpu] += 1
                workers[cpu].add(tid)
    assert min(switches) > 1000
    assert len(workers[0] & workers[1]) > OTHERS_RUN_ON_BOTH


@pytest.mark.parametrize("starved_s", [0, 3])
def test_the_laws_hold_on_two_cpus_that_run_at_the_same_time(
    tickertape: Command, tmp_path: Path, starved_s: float
) -> None:
    """Without counted instructions, QEMU runs each CPU in its own thread.

    The response time of a CPU then depends on this machine: a busy machine delayed a CPU by more
    than a second. The rings keep all records even with a slow link.
    """
    program = build(
        "mps2-an521",
        "stress_parallel",
        SOURCE_DIR="examples/stress",
        DEFINES="TT_CONFIG_BUFFERS=255 TT_CONFIG_CPUS=2 KERNEL_CPUS=2",
    )
    command = qemu_command("mps2-an521", program, f"file:{tmp_path / 'x.bin'}", "operations=3000")
    counted = command.index("-icount")
    del command[counted : counted + 2]
    command += ["-name", "stress,debug-threads=on"]
    starved = Starved("CPU 1", tmp_path / "x.bin", starved_s) if starved_s else None
    waited_ns = waiting_ns(command, starved)
    done = tickertape("capture", "-q", "file:x.bin", "-o", "x.tape")
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(tmp_path / "x.tape") as reader:
        assert summary_of(reader).complete
        judgements = kernel_laws_of(reader, overhead_ns=ANSWER_NS + waited_ns)
    shown = [violation for one in judgements.values() for violation in one.violations]
    assert {law: one.verdict for law, one in judgements.items()} == HOLDS, shown


def test_a_kernel_says_that_its_hooks_lie_outside_of_its_locks(
    tickertape: Command, tmp_path: Path
) -> None:
    """With this flag, only conclusions from the order of threads are lost."""
    program = build("native", "stress_outside", **OUTSIDE_LOCKS)
    trace = f"file:{tmp_path / 'x.bin'}"
    run_native(program, "--operations", "2000", "--seed", "5", "--trace", trace)
    done = tickertape("capture", "-q", "file:x.bin", "-o", "x.tape")
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(tmp_path / "x.tape") as reader:
        assert summary_of(reader).complete
        assert reader.hello is not None
        assert reader.hello.flags == HelloFlag.HOOKS_OUTSIDE_LOCKS
        judgements = kernel_laws_of(reader)
    for law, one in judgements.items():
        assert one.violations == [], law
        assert one.held > one.unknown, law


@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_it_is_clean_under_sanitizers(sanitizers: str, tmp_path: Path) -> None:
    program = build("native", "stress", SANITIZE=sanitizers)
    trace = f"file:{tmp_path / 'trace.bin'}"
    done = run_native(program, "--operations", "10000", "--seed", "4", "--trace", trace)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def real(tickertape: Command, tmp_path: Path) -> list[EventColumns]:
    """Return the events of a real run, for tests that manipulate them."""
    stress(tickertape, "native", 2000, seed=5)
    with TapeReader(tmp_path / "x.tape") as reader:
        return list(iter_events(reader))


def verdicts(parts: list[EventColumns]) -> dict[Law, Verdict]:
    laws = KernelLaws(overhead_ticks=5000)
    for part in parts:
        laws.feed(part)
    return {law: one.verdict for law, one in laws.judgements.items()}


def without(part: EventColumns, kind: int) -> EventColumns:
    """Return the events without every tenth event of a kind, as if it had not been recorded."""
    rows = np.flatnonzero(part.code == kind)[5::10]
    return part.take(np.setdiff1d(np.arange(len(part)), rows))


DOCTORED = {
    "unlocking left out": (Law.ONE_OWNER, (EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)),
    "becoming ready left out": (Law.READY_FIRST, (EventClass.THREAD, ThreadEvent.READY)),
    "context switches left out": (Law.ONE_CPU, (EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)),
    "priorities left out": (Law.MOST_URGENT, (EventClass.SCHED, SchedEvent.PRIORITY)),
}


@pytest.mark.parametrize("name", DOCTORED)
def test_a_doctored_trace_is_found_out(real: list[EventColumns], name: str) -> None:
    law, (cls, event) = DOCTORED[name]
    assert verdicts(real) == HOLDS
    assert verdicts([without(part, event_code(cls, event)) for part in real])[law] is Verdict.BROKEN


def test_another_thread_than_the_most_urgent_is_found_out(real: list[EventColumns]) -> None:
    """Exchange two priorities in the records of priority changes."""
    part = real[0]
    is_change = part.code == event_code(EventClass.SCHED, SchedEvent.PRIORITY)
    data1 = np.where(is_change, 12 - part.data1, part.data1).astype(np.uint32)
    assert verdicts([replace(part, data1=data1), *real[1:]])[Law.MOST_URGENT] is Verdict.BROKEN

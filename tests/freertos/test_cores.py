"""A real FreeRTOS kernel V11 on two emulated cores: its records are complete and true.

FreeRTOS has no port for a dual-core machine of QEMU; `smp_port` is our own port for these tests.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.boots import boots
from tests.support.freertos_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    SAMPLES,
    SMP_BOARD,
    Trace,
    build,
    kernels,
    needs_freertos,
    run,
)
from tickertape.analysis.balance import balance_of
from tickertape.analysis.kernel_findings import Law, Verdict
from tickertape.analysis.kernel_laws import kernel_laws_of
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.write import export_btf
from tickertape.formats.source import Source
from tickertape.model.names import Names
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tickertape.decode.events import Event


def has_cores(kernel: Path) -> bool:
    """Return whether this kernel supports several cores."""
    return "configNUMBER_OF_CORES" in (kernel / "include/FreeRTOS.h").read_text()


SMP_KERNELS = [path for path in kernels() if (path / "tasks.c").is_file() and has_cores(path)]
pytestmark = [
    needs_freertos,
    pytest.mark.skipif(not SMP_KERNELS, reason="FREERTOS_KERNEL names no kernel of V11 or later"),
    pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS),
    pytest.mark.parametrize("kernel", SMP_KERNELS or [None], ids=lambda path: path and path.name),
]

CORES = APPS / "cores"
LARGE = "TT_CONFIG_BUFFERS=64"
ROUNDS, ITEMS, PINNED, MOVED, VICTIM = 40, 100, 1, 2, 3
OVERHEAD_NS = 5_000_000
"""Longest time for which an urgent task may be ready without a core. The emulator runs the cores in
turns, and the link's interrupt, which is not traced, lasts up to 4.7 ms."""


def assert_laws(trace: Trace, *laws: Law) -> None:
    with TapeReader(trace.tape) as reader:
        judged = kernel_laws_of(reader, overhead_ns=OVERHEAD_NS)
    for law in laws or Law:
        assert judged[law].verdict is Verdict.HOLDS, judged[law]


def numbers(events: Sequence[Event], number: int) -> list[int]:
    """Return the values of the program's events USER_`number`."""
    return [event.words[0] for event in events if event.name == f"USER.USER_{number}"]


def in_step(trace: Trace, step: int) -> list[Event]:
    """Return the events from the beginning of a step to that of the next step."""
    begins = [row for row, event in enumerate(trace.events) if event.name == "USER.USER_0"]
    assert [trace.events[row].words[0] for row in begins] == list(range(8))
    return trace.events[begins[step] : begins[step + 1]]


def assert_each_core_counts(trace: Trace) -> None:
    """Check USER events: the second word is the core, and the counts equal the program's."""
    told = [event for event in trace.events if event.name.startswith("USER.")]
    (counts,) = [event.words for event in told if event.name == "USER.USER_7"]
    mine = [event for event in told if event.name != "USER.USER_7"]
    assert all(event.cpu == event.words[1] for event in mine)
    assert Counter(event.cpu for event in mine) == dict(enumerate(counts))


def assert_objects(trace: Trace) -> None:
    """Check the events of the workers' objects against the workers' own counts."""
    objects = {
        event.text: event.words[1] for event in trace.events if event.name == "SYSTEM.MAPNAME"
    }
    wanted = (
        ("lock0", "SYNC.MUTEX_LOCK_GRANTED"),
        ("lock1", "SYNC.MUTEX_LOCK_GRANTED"),
        ("queue", "COMM.SPULSE"),
        ("queue", "COMM.RPULSE"),
        ("permits", "SYNC.SEM_SIGNAL"),
        ("permits", "SYNC.SEM_WAIT_GRANTED"),
    )
    events = Counter((event.name, event.words[0]) for event in in_step(trace, 6))
    found = [events[name, objects[text]] for text, name in wanted]
    assert found == numbers(trace.events, 6)
    assert min(found) > 0


@pytest.mark.parametrize("calls", [0, 1])
def test_two_cores(calls: int, kernel: Path, tmp_path: Path) -> None:
    program = build(CORES, SMP_BOARD, kernel, LARGE, f"TT_FREERTOS_CALLS={calls}")
    trace = run(program, SMP_BOARD, tmp_path / "T.tape")
    assert_laws(trace)
    assert_each_core_counts(trace)
    assert_objects(trace)
    with TapeReader(trace.tape) as reader:
        rings = balance_of(reader).rings
    assert [ring.balance.offered for ring in rings] == [ring.balance.delivered for ring in rings]
    assert {ring.ring.cpu for ring in rings} == {0, 1}
    assert all(ring.balance.offered > 1000 for ring in rings)
    # The first task of each core is its idle task, which is thread 0.
    begun = [(event.cpu, event.words[1]) for event in trace.events if event.name == "THREAD.CREATE"]
    assert [cpu for cpu, tid in begun if tid == 0] == [0, 1]
    assert any(event.name == "KERCALL.SYNC_MUTEX_LOCK_ENTER" for event in trace.events) == calls


def test_who_spins_for_a_lock_of_the_kernel_polls(kernel: Path, tmp_path: Path) -> None:
    program = build(CORES, SMP_BOARD, kernel, LARGE, "PORT_TRACES_LOCKS=1")
    trace = run(program, SMP_BOARD, tmp_path / "T.tape")
    assert_laws(trace)
    found = Counter(event.name for event in trace.events)
    assert found["IRQSTATE.SPIN_LOCK"] > found["IRQSTATE.SPIN_WAIT"] > 0
    with TapeReader(trace.tape) as reader:
        rings = balance_of(reader).rings
        assert all(ring.balance.offered == ring.balance.delivered for ring in rings)
        named = boots(lambda epoch: Names(reader.names(epoch)))
        export_btf(Source(reader, named), tmp_path / "T.btf")
    # Often a running task takes a mutex or permit before the task that was woken for it does.
    assert not check_btf(tmp_path / "T.btf", strict=True).findings.listed
    lines = (tmp_path / "T.btf").read_text(encoding="utf-8").splitlines()
    polls = sum(line.endswith(",poll") for line in lines)
    assert 0 < sum(line.endswith(",run") for line in lines) <= polls <= found["IRQSTATE.SPIN_WAIT"]


def test_tasks_bound_to_a_core(kernel: Path, tmp_path: Path) -> None:
    trace = run(build(CORES, SMP_BOARD, kernel, LARGE), SMP_BOARD, tmp_path / "T.tape")
    told = [event for event in in_step(trace, 0) if event.name == f"USER.USER_{PINNED}"]
    assert Counter((event.cpu, event.words[0]) for event in told) == {
        (core, number): 1 for core in (0, 1) for number in range(ROUNDS)
    }
    bound = {event.words for event in trace.events if event.name == "SCHED.CPUS"}
    for core in (0, 1):
        assert (trace.tids[f"pinned{core}"], 1 << core) in bound
    assert {(trace.tids["tickertape"], 1), (trace.tids["tickertape poll"], 2)} <= bound
    # One task moves from core to core. During a change, its mask is the common part of both masks.
    moves = in_step(trace, 1)
    moved = [event for event in moves if event.name == f"USER.USER_{MOVED}"]
    assert [(event.words[0], event.cpu) for event in moved] == [(i, i % 2) for i in range(ROUNDS)]
    main = trace.tids["main"]
    masks = [event.words[1] for event in moves if event.name == "SCHED.CPUS"]
    assert masks == [1, 1, *[mask for i in range(1, ROUNDS) for mask in (0, 1 << i % 2)], 2, 3]
    switches = [event for event in moves if event.name == "SCHED.CONTEXT_SWITCH"]
    assert sum(event.words[1] == main for event in switches) >= ROUNDS - 1


def test_a_mutex_and_a_queue_between_cores(kernel: Path, tmp_path: Path) -> None:
    trace = run(build(CORES, SMP_BOARD, kernel, LARGE), SMP_BOARD, tmp_path / "T.tape")
    low, high = trace.tids["low"], trace.tids["high"]
    shared = [
        (event.cpu, event.name.partition(".")[2], event.words[1 if "LOCK" in event.name else 0])
        for event in in_step(trace, 2)
        if event.name.startswith("SYNC.MUTEX_")
    ]
    assert shared == ROUNDS * [
        (0, "MUTEX_LOCK_GRANTED", low),
        (1, "MUTEX_LOCK_DENIED", low),
        (1, "MUTEX_INHERIT", low),
        (0, "MUTEX_UNLOCK", low),
        (0, "MUTEX_RESTORE", low),
        (1, "MUTEX_LOCK_GRANTED", high),
        (1, "MUTEX_UNLOCK", high),
    ]
    step = in_step(trace, 3)
    sent = [event for event in step if event.name == "COMM.SPULSE"]
    queue = next(
        event.words[1]
        for event in trace.events
        if event.name == "SYSTEM.MAPNAME" and event.text == "queue"
    )
    passed = [event for event in step if event.words[0] == queue and event.name.startswith("COMM")]
    assert {event.cpu for event in passed if event in sent} == {0}
    assert {event.cpu for event in passed if event not in sent} == {1}
    filled = 0
    for event in passed:
        filled += 1 if event in sent else -1
        assert 0 <= filled <= 4, "never more than the queue holds"
    assert (len(passed), filled) == (2 * ITEMS, 0)


def test_deleted_and_suspended_by_another_core(kernel: Path, tmp_path: Path) -> None:
    """The task's own core records the end or stop of the task, directly before the switch."""
    trace = run(build(CORES, SMP_BOARD, kernel, LARGE), SMP_BOARD, tmp_path / "T.tape")
    for step, name, stops in ((4, "victim", 0), (5, "sleeper", 5)):
        events, tid = in_step(trace, step), trace.tids[name]
        told = numbers(events, VICTIM)
        assert told == list(range(len(told)))
        assert numbers(events, 4) == [len(told)], "what the task itself has counted"
        states = [
            (row, event.name, event.cpu)
            for row, event in enumerate(events)
            if event.name in {"THREAD.DEAD", "THREAD.STOPPED", "THREAD.DESTROY"}
            and event.words[1] == tid
        ]
        ends = ["THREAD.DEAD", "THREAD.DESTROY"]
        assert [event for _, event, _ in states] == ["THREAD.STOPPED"] * stops + ends
        assert {cpu for _, _, cpu in states} == {1}
        for row, _, _ in [*states[:stops], states[-1]]:
            after = next(event for event in events[row + 1 :] if event.cpu == 1)
            assert (after.name, after.words[0]) == ("SCHED.CONTEXT_SWITCH", tid)


def test_losses_are_counted_for_each_core(kernel: Path, tmp_path: Path) -> None:
    small = ("TT_CONFIG_BUFFERS=2", "TT_CONFIG_BUFFER_RECORDS=16")
    program = build(CORES, SMP_BOARD, kernel, *small)
    trace = run(program, SMP_BOARD, tmp_path / "T.tape", loses=True)
    with TapeReader(trace.tape) as reader:
        laws = kernel_laws_of(reader, overhead_ns=OVERHEAD_NS)
        rings = balance_of(reader).rings
    # Losses may hide changes of core masks, so the laws that need masks are not judged here.
    judged = (Law.ONE_CPU, Law.ONE_OWNER, Law.READY_FIRST)
    assert all(laws[law].verdict is not Verdict.BROKEN for law in judged), laws
    assert all(ring.balance.lost > 0 for ring in rings)


def test_philosophers_on_two_cores(kernel: Path, tmp_path: Path) -> None:
    program = build(SAMPLES / "philosophers", SMP_BOARD, kernel, LARGE)
    trace = run(program, SMP_BOARD, tmp_path / "T.tape")
    assert_laws(trace)
    assert {event.cpu for event in trace.events if event.name == "SYNC.MUTEX_UNLOCK"} == {0, 1}


def test_cores_at_the_same_time(kernel: Path, tmp_path: Path) -> None:
    """QEMU runs each core in its own thread, by the host's clock, so runs are not repeatable."""
    program = build(CORES, SMP_BOARD, kernel, LARGE)
    trace = run(program, SMP_BOARD, tmp_path / "T.tape", clock=("-accel", "tcg,thread=multi"))
    assert_laws(trace, Law.ONE_CPU, Law.ONE_OWNER, Law.READY_FIRST)
    assert_each_core_counts(trace)
    assert_objects(trace)


def test_one_priority_at_a_time(kernel: Path, tmp_path: Path) -> None:
    """The kernel is configured to leave a core idle although a task of lower priority is ready."""
    program = build(CORES, SMP_BOARD, kernel, LARGE, "configRUN_MULTIPLE_PRIORITIES=0")
    trace = run(program, SMP_BOARD, tmp_path / "T.tape")
    assert_laws(trace, Law.ONE_CPU, Law.ONE_OWNER, Law.READY_FIRST)
    assert_each_core_counts(trace)
    assert_objects(trace)


def test_a_task_that_disables_its_preemption(kernel: Path, tmp_path: Path) -> None:
    """While it runs, no task preempts it; while ready or waiting, it has its own priority."""
    trace = run(build(APPS / "undisturbed", SMP_BOARD, kernel, LARGE), SMP_BOARD, tmp_path / "T")
    assert_laws(trace)
    busy, undisturbed = trace.tids["busy"], 8
    rounds = 20
    running, priority, told = None, 2, []
    for event in trace.events:
        if event.name == "SCHED.CONTEXT_SWITCH" and event.cpu == 1:
            assert event.words[0] != busy or priority < undisturbed, "it leaves the core"
            running = event.words[1]
        elif event.name in {"SCHED.PRIORITY", "SYNC.MUTEX_INHERIT", "SYNC.MUTEX_RESTORE"}:
            priority = event.words[1] if event.words[0] == busy else priority
        elif event.name == "USER.USER_2":
            assert (running, priority) == (busy, undisturbed)
            told.append(event.words)
    assert told == [(i + (i % 4 == 3), i) for i in range(rounds)]
    assert numbers(trace.events, 3) == list(range(rounds))
    inherited = Counter(event.words for event in trace.events if event.name == "SYNC.MUTEX_INHERIT")
    assert inherited == {(busy, 3): rounds // 4}
    assert priority == 2

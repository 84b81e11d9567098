"""Programs that FreeRTOS users know: the trace equals the values that the programs record."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.freertos_boards import (
    APPS,
    BOARDS,
    BUILD_SECONDS,
    RUN_SECONDS,
    Trace,
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

pytestmark = [
    needs_freertos,
    pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS),
    pytest.mark.parametrize("board", BOARDS),
    pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name),
]

ITEMS = 60
RAISED = 40
MEETINGS = 10
LOW_PRIORITIES = [2, 3, 4, 4, 2]
"""Priorities of the task with two mutexes: its own, two inherited ones, then its own again."""
MOST_TICKS = 2_000
"""Allowed difference, 0.1 ms: the kernel reads the clock some instructions before the record."""
PRIORITY = {"SCHED.PRIORITY", "SYNC.MUTEX_INHERIT", "SYNC.MUTEX_RESTORE"}


def address_of(trace: Trace, name: str) -> int:
    """Return the address of the object with a name."""
    (found,) = {
        event.words[1]
        for event in trace.events
        if event.name == "SYSTEM.MAPNAME" and event.text == name
    }
    return found


def assert_no_law_is_broken(trace: Trace, *, has_mutexes: bool = True) -> None:
    with TapeReader(trace.tape) as reader:
        laws = kernel_laws_of(reader)
    expected = Verdict.HOLDS if has_mutexes else Verdict.UNKNOWN
    assert laws[Law.ONE_OWNER].verdict is expected, laws[Law.ONE_OWNER].violations
    assert laws[Law.READY_FIRST].verdict is Verdict.HOLDS, laws[Law.READY_FIRST].violations
    assert all(laws[law].verdict is not Verdict.BROKEN for law in Law)


def test_programs_that_users_know(kernel: Path, board: str, tmp_path: Path) -> None:
    program = build(APPS / "truth", board, kernel, "TT_CONFIG_BUFFERS=64")
    trace = run(program, board, tmp_path / "T.tape")
    addresses = {address_of(trace, name): name for name in ("stream", "group")}
    names = [event.words[0] for event in trace.events if event.name == "USER.USER_2"]
    assert len(names) == 2 * ITEMS
    (queue,) = {
        event.words[1]
        for event in trace.events
        if event.name == "SYSTEM.MAPNAME" and event.text == "queue"
    }
    moved: Counter[tuple[str, str]] = Counter()
    waiting = flags = 0
    low, priorities, values = None, [], []
    cleared = 0
    for event in trace.events:
        name = addresses.get(event.words[0])
        if event.name in {"COMM.SPULSE", "COMM.RPULSE"} and event.words[0] == queue:
            waiting += 1 if event.name == "COMM.SPULSE" else -1
            moved["queue", event.name] += 1
        elif name == "stream":
            moved["stream", event.name] += 1
        elif event.name == "SYNC.FLAGS_SET":
            flags |= event.words[1]
        elif event.name == "SYNC.FLAGS_CLEAR":
            cleared += 1
            flags &= ~event.words[1]
        elif event.name in PRIORITY and event.words[0] == trace.tids["low"]:
            low = event.words[1]
        elif event.name == "USER.USER_2":
            assert event.words[0] == waiting, "as uxQueueMessagesWaiting() returns"
        elif event.name == "USER.USER_3":
            priorities.append(event.words[0])
            assert event.words[0] == low, "as uxTaskPriorityGet() returns"
        elif event.name == "USER.USER_4":
            values.append(event.words[0])
            assert event.words[0] == flags, "as xEventGroupGetBits() returns"
    told = [tuple(event.words[:2]) for event in trace.events if event.name == "USER.USER_1"]
    assert told[:2] == [(ITEMS, ITEMS), (3, 3)]
    assert moved["queue", "COMM.SPULSE"] == moved["queue", "COMM.RPULSE"] == ITEMS
    assert priorities == LOW_PRIORITIES
    (raised, receptions) = told[2]
    assert raised == RAISED
    assert moved["stream", "COMM.SPULSE"] == RAISED
    assert moved["stream", "COMM.RPULSE"] == receptions
    assert len(set(values)) > 4, "the group had several values"
    assert cleared > MEETINGS
    assert_no_law_is_broken(trace)


def cpu_times(trace: Trace, end: int) -> Counter[int]:
    """Return the run time of each thread up to a row, computed from the context switches.

    The first task counts from the start of the clock, as in the kernel.
    """
    times: Counter[int] = Counter()
    running, since = None, 0
    for event in trace.events[:end]:
        if event.name == "THREAD.RUNNING":
            running = event.words[1]
        elif event.name == "SCHED.CONTEXT_SWITCH":
            assert event.words[0] == running
            times[event.words[0]] += event.time_ticks - since
            running, since = event.words[1], event.time_ticks
    return times


def test_stress_and_processor_times(kernel: Path, board: str, tmp_path: Path) -> None:
    options = ("TT_CONFIG_BUFFERS=64", "configGENERATE_RUN_TIME_STATS=1")
    trace = run(build(APPS / "stress", board, kernel, *options), board, tmp_path / "T.tape")
    done: dict[str, Counter[int]] = {"given": Counter(), "taken": Counter()}
    kinds = {
        **dict.fromkeys(("COMM.SPULSE", "SYNC.SEM_SIGNAL", "SYNC.MUTEX_UNLOCK"), "given"),
        **dict.fromkeys(
            ("COMM.RPULSE", "SYNC.SEM_WAIT_GRANTED", "SYNC.MUTEX_LOCK_GRANTED"), "taken"
        ),
    }
    told: dict[str, Counter[int]] = {"given": Counter(), "taken": Counter()}
    for event in trace.events:
        if event.name in kinds:
            done[kinds[event.name]][event.words[0]] += 1
        elif event.name in {"USER.USER_1", "USER.USER_2"}:
            told["given" if event.name == "USER.USER_1" else "taken"][event.words[0]] = event.words[
                1
            ]
    for kind, sums in told.items():
        assert len(sums) == 4
        assert {address: done[kind][address] for address in sums} == dict(sums)
        assert all(sums.values())
    rows = [row for row, event in enumerate(trace.events) if event.name == "USER.USER_3"]
    times = cpu_times(trace, rows[0])
    counted = {trace.events[row].words[0]: trace.events[row].words[1] for row in rows}
    idle = next(number for number in counted if number not in trace.tids.values())
    numbers = {number: 0 if number == idle else number for number in counted}
    worst = max(abs(counted[number] - times[numbers[number]]) for number in counted)
    assert worst < MOST_TICKS, "less than a tick of the kernel, which is 1 ms"
    assert_no_law_is_broken(trace)


SPARE, URGENT = 16 + 30, 16 + 31
ROUNDS = 10


def test_interrupts_nest_and_the_kernel_masks_one_of_them(
    kernel: Path, board: str, tmp_path: Path
) -> None:
    options = ("TT_CONFIG_BUFFERS=64", "TT_FREERTOS_VECTORS=64")
    trace = run(build(APPS / "interrupts", board, kernel, *options), board, tmp_path / "T.tape")
    stack: list[int] = []
    nested: Counter[tuple[int, ...]] = Counter()
    masked: int | None = None
    for event in trace.events:
        if event.name == "INT.ENTRY":
            stack.append(event.words[0])
            nested[tuple(number for number in stack if number in {SPARE, URGENT})] += 1
            assert masked is None or event.words[0] == URGENT, "no other one in a critical section"
        elif event.name == "INT.EXIT":
            assert stack.pop() == event.words[0]
        elif event.name == "SCHED.CONTEXT_SWITCH":
            assert not stack, "the switch follows the exit"
        elif event.name in {"USER.USER_1", "USER.USER_2"}:
            assert stack[-1] == SPARE
        elif event.name == "USER.USER_3":
            assert stack[-1] == URGENT
        elif event.name == "USER.USER_4":
            masked = event.words[0] if event.words[1] == 0 else None
    assert not stack
    assert nested[SPARE, URGENT] == nested[SPARE,] == 2 * ROUNDS
    assert nested[URGENT,] == ROUNDS
    assert_no_law_is_broken(trace, has_mutexes=False)

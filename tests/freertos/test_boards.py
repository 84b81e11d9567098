"""Programs with a real FreeRTOS kernel on emulated boards: their records are complete and true."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING

import pytest

from tests.support.freertos_boards import (
    APPS,
    BOARDS,
    BUILD_SECONDS,
    RUN_SECONDS,
    SAMPLES,
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

    from tickertape.decode.events import Event

pytestmark = [
    needs_freertos,
    pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS),
    pytest.mark.parametrize("board", BOARDS),
    pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name),
]

MEALS = 40
PHILOSOPHERS = ("Thales", "Hypatia", "Epicurus", "Zeno", "Aspasia")

# Events that `main` of the program `objects` records in each step.
STEPS = {
    "semaphore, too late": "SEM_WAIT_BLOCKED SEM WAIT_TIMEOUT",
    "semaphore, tried": "SEM_TRY_REFUSED",
    "semaphore, given twice": "SEM_SIGNAL=1 SEM_SIGNAL=2",
    "semaphore, taken": "SEM_WAIT_GRANTED=1",
    "semaphore, given by an interrupt": "SEM_WAIT_GRANTED=0",
    "mutex": "MUTEX_LOCK_GRANTED MUTEX_UNLOCK",
    "mutex, recursive": "MUTEX_LOCK_GRANTED MUTEX_UNLOCK",
    "mutex, tried": "MUTEX_TRY_REFUSED",
    "mutex, too late": "MUTEX_LOCK_DENIED MUTEX_INHERIT=3 MUTEX MUTEX_RESTORE=2 WAIT_TIMEOUT",
    "mutex, waiting": ("MUTEX_LOCK_DENIED MUTEX_INHERIT=3 MUTEX MUTEX_LOCK_GRANTED MUTEX_UNLOCK"),
    "queue": "SPULSE RPULSE",
    "queue, empty": "RECEIVE RPULSE",
    "queue, full": "SEND SPULSE",
    "queue, full for too long": "SEND WAIT_TIMEOUT",
    "notification": "RECEIVE RPULSE",
    "notification, too late": "RECEIVE WAIT_TIMEOUT",
    "event group": "FLAGS_WAIT SIGWAITINFO",
    "event group, set and cleared": "FLAGS_SET FLAGS_CLEAR",
    "event group, too late": "FLAGS_WAIT SIGWAITINFO WAIT_TIMEOUT",
    "stream buffer": "SPULSE RPULSE",
    "stream buffer, empty": "RECEIVE RPULSE RPULSE",  # woken by a notification
    "timer, started": "SPULSE READY",
    "delay": "NANOSLEEP",
    "suspend, resume": "STOPPED READY",
    "priority": "PRIORITY=1 PRIORITY=2",
    "create": "WRITE WRITE CREATE NAME PRIORITY=1 MAPNAME READY",
    "delete": "DEAD DESTROY WRITE WRITE",
}
CREATIONS = 3
# Value that the program read from the kernel, by step.
ANSWERS = {2: 2, 3: 1, 8: 2, 9: 2, 11: 7, 20: 7, 24: 2}
WITH_VALUES = {
    *("SEM_SIGNAL", "SEM_WAIT_GRANTED", "MUTEX_INHERIT", "MUTEX_RESTORE", "PRIORITY"),
}


def steps_of(trace: Trace) -> list[tuple[int, str, int]]:
    """Return number, events of main, and read value of each step of the program `objects`."""
    steps: list[tuple[int, list[str], int]] = []
    running, inside, in_step = None, 0, False
    for event in trace.events:
        kind, name = event.name.split(".")
        if event.name == "THREAD.RUNNING":
            running = event.words[1]
        elif event.name == "SCHED.CONTEXT_SWITCH":
            assert event.words[0] == running
            running = event.words[1]
        elif kind == "INT":
            inside += 1 if name == "ENTRY" else -1
        elif running != trace.tids["main"] or inside or name == "TICK":
            continue
        elif name == "USER_0":
            steps.append((event.words[0], [], 0))
            in_step = True
        elif name == "USER_1":
            steps[-1] = (*steps[-1][:2], event.words[0])
            in_step = False
        elif in_step:
            steps[-1][1].append(f"{name}={event.words[1]}" if name in WITH_VALUES else name)
    return [(number, " ".join(names), answer) for number, names, answer in steps]


def assert_laws(trace: Trace, *, has_mutexes: bool = True) -> None:
    """Check the laws of kernels; ONE_CPU may be unknown because of the first switch."""
    with TapeReader(trace.tape) as reader:
        laws = kernel_laws_of(reader)
    for law in (Law.ONE_OWNER, Law.READY_FIRST, Law.MOST_URGENT):
        expected = Verdict.HOLDS if has_mutexes or law is not Law.ONE_OWNER else Verdict.UNKNOWN
        assert laws[law].verdict is expected, laws[law].violations
    assert laws[Law.ONE_CPU].verdict is not Verdict.BROKEN, laws[Law.ONE_CPU].violations


def test_every_kind_of_object(kernel: Path, board: str, tmp_path: Path) -> None:
    trace = run(build(APPS / "objects", board, kernel), board, tmp_path / "T.tape")
    steps = steps_of(trace)
    each = [step for number, step in enumerate(steps) if step[0] < 25 or number in {25, 26}]
    assert dict(zip(STEPS, [names for _, names, _ in each], strict=False)) == STEPS
    assert {number: answer for number, _, answer in steps if number in ANSWERS} == ANSWERS
    created = [answer for number, _, answer in steps if number == 25]
    assert len(created) == CREATIONS
    assert len(set(created)) < CREATIONS, "memory of a task is used again"
    guests = [
        event.words[1]
        for event in trace.events
        if event.text == "guest" and "NAME" in event.name and event.name == "THREAD.NAME"
    ]
    assert len(set(guests)) == CREATIONS, "its number is not"
    assert_laws(trace)


def test_ticks_are_counted_once(kernel: Path, board: str, tmp_path: Path) -> None:
    """Ticks count once, also with a suspended scheduler; the program reads the count at the end."""
    trace = run(build(APPS / "objects", board, kernel), board, tmp_path / "T.tape")
    ticks = [event.words[0] for event in trace.events if event.name == "SCHED.TICK"]
    assert ticks == list(range(1, len(ticks) + 1))
    (last,) = [answer for number, _, answer in steps_of(trace) if number == 27]
    ends = [row for row, event in enumerate(trace.events) if event.name == "USER.USER_1"]
    before = [event for event in trace.events[: ends[-1]] if event.name == "SCHED.TICK"]
    assert before[-1].words[0] == last
    expired = [event.words[1] for event in trace.events if event.name == "SCHED.TIMER"]
    assert expired == [1, 2, 3]


def test_philosophers(kernel: Path, board: str, tmp_path: Path) -> None:
    trace = run(build(SAMPLES / "philosophers", board, kernel), board, tmp_path / "T.tape")
    names = {tid: name for name, tid in trace.tids.items()}
    told = {event.words[0]: event.words[1] for event in trace.events if event.name == "USER.USER_2"}
    assert told == dict.fromkeys(range(len(PHILOSOPHERS)), MEALS)
    taken = Counter(
        names[event.words[1]] for event in trace.events if event.name == "SYNC.MUTEX_LOCK_GRANTED"
    )
    given = Counter(
        names[event.words[1]] for event in trace.events if event.name == "SYNC.MUTEX_UNLOCK"
    )
    assert taken == given == dict.fromkeys(PHILOSOPHERS, 2 * MEALS)
    dead = [names[event.words[1]] for event in trace.events if event.name == "THREAD.DESTROY"]
    assert len(dead) == len(PHILOSOPHERS) - 1, "the last one wakes who ends the program"
    assert any(event.name == "SYNC.MUTEX_INHERIT" for event in trace.events)
    assert_laws(trace)


def test_losses_are_counted(kernel: Path, board: str, tmp_path: Path) -> None:
    """Two buffers of 16 records are too small for the period of the drain."""
    small = ("TT_CONFIG_BUFFERS=2", "TT_CONFIG_BUFFER_RECORDS=16")
    program = build(SAMPLES / "philosophers", board, kernel, *small)
    trace = run(program, board, tmp_path / "T.tape", loses=True)
    with TapeReader(trace.tape) as reader:
        laws = kernel_laws_of(reader)
    assert all(laws[law].verdict is not Verdict.BROKEN for law in Law)


def test_hello_tape(kernel: Path, board: str, tmp_path: Path) -> None:
    trace = run(build(SAMPLES / "hello_tape", board, kernel), board, tmp_path / "T.tape")
    assert {"sensor", "logger", "tickertape", "IDLE", "Tmr Svc"} == trace.tids.keys()
    assert trace.tids["IDLE"] == 0
    samples = [event.words[0] for event in trace.events if event.name == "USER.USER_0"]
    assert samples == list(range(100))
    first = next(event for event in trace.events if event.name == "SCHED.CONTEXT_SWITCH")
    assert first.words[0] != 0, "no thread ran before the first one"
    assert_laws(trace)


EXTRAS = APPS / "extras"
CALLS = {
    3: "QUEUE_PUT:1 QUEUE_GET:1 QUEUE_GET:0",
    4: "SYNC_MUTEX_LOCK:1 SYNC_MUTEX_UNLOCK:1 SYNC_SEM_WAIT:0",
    5: "SCHED_SET:0 THREAD_SUSPEND:0 THREAD_RESUME:0 MSG_SEND_PULSE:1 MSG_RECEIVEV:0",
    6: "FLAGS_SET:4 FLAGS_WAIT:4 FLAGS_CLEAR:0",
    7: "THREAD_SLEEP:0",
}
"""The calls of each step with their results; kernels from V11 on report them."""
SPARE_IRQ = 16 + 30
RAISED = 5


def calls_of(trace: Trace) -> dict[int, str]:
    """Return the calls of main with their results, by step."""
    found: dict[int, list[str]] = {}
    running, step, begun = None, 0, ""
    for event in trace.events:
        kind, name = event.name.split(".")
        if event.name in {"THREAD.RUNNING", "SCHED.CONTEXT_SWITCH"}:
            running = event.words[1]
        elif running != trace.tids["main"]:
            continue
        elif name == "USER_0":
            step = event.words[0]
        elif kind == "KERCALL" and name.endswith("_ENTER"):
            begun = name.removesuffix("_ENTER")
        elif kind == "KERCALL":
            assert name == f"{begun}_EXIT"
            found.setdefault(step, []).append(f"{begun}:{event.words[0]}")
    return {number: " ".join(names) for number, names in found.items()}


def test_calls_heap_and_wrapped_handlers(kernel: Path, board: str, tmp_path: Path) -> None:
    options = ("TT_FREERTOS_CALLS=1", "TT_FREERTOS_VECTORS=64")
    trace = run(build(EXTRAS, board, kernel, *options), board, tmp_path / "T.tape")
    found = calls_of(trace)
    is_v11 = "traceENTER_vTaskDelay" in (kernel / "include/FreeRTOS.h").read_text()
    assert {step: found.get(step) for step in CALLS} == (CALLS if is_v11 else dict.fromkeys(CALLS))
    # The free heap, which the program reads after each change.
    rows = [event for event in trace.events if event.name in {"SIGNAL.WRITE", "USER.USER_2"}]
    asked = [row for row, event in enumerate(rows) if event.name == "USER.USER_2"]
    assert len(asked) == 6
    assert all(rows[row - 1].words[1] == rows[row].words[0] for row in asked)
    assert [event.words[1] for event in rows[asked[-1] + 1 :]] == [1], "refused once"
    # Unused stacks, which the kernel reports before and after.
    rows = [event for event in trace.events if event.name in {"SYSTEM.STACK_UNUSED", "USER.USER_4"}]
    stacks = rows[1::3]
    assert [event.words[0] for event in stacks] == [trace.tids["main"], trace.tids["helper"]]
    for before, one, after in zip(rows[::3], stacks, rows[2::3], strict=True):
        assert 0 < after.words[0] <= one.words[1] <= before.words[0]
    # An interrupt handler without a call of the tracer.
    mine = [event for event in trace.events if event.words[0] == SPARE_IRQ]
    assert [event.name for event in mine] == ["INT.ENTRY", "INT.EXIT"] * RAISED
    (handled,) = [event.words[0] for event in trace.events if event.name == "USER.USER_3"]
    assert handled == RAISED
    given = [event for event in trace.events if event.name == "SYNC.SEM_SIGNAL"]
    for begin, end, signal in zip(mine[::2], mine[1::2], given, strict=True):
        assert begin.time_ticks <= signal.time_ticks <= end.time_ticks
    assert_laws(trace)


def in_task(trace: Trace, task: str) -> list[Event]:
    """Return the events of a task, without those of interrupts and of the scheduler."""
    found, running, inside = [], None, 0
    for event in trace.events:
        kind = event.name.split(".")[0]
        if event.name in {"THREAD.RUNNING", "SCHED.CONTEXT_SWITCH"}:
            running = event.words[1]
        elif kind == "INT":
            inside += 1 if event.name == "INT.ENTRY" else -1
        elif running == trace.tids[task] and not inside and kind not in {"SCHED", "SIGNAL"}:
            found.append(event)
    return found


def address_of(trace: Trace, name: str) -> int:
    """Return the address of the object with a name."""
    (found,) = {
        event.words[1]
        for event in trace.events
        if event.name == "SYSTEM.MAPNAME" and event.text == name
    }
    return found


GIVEN = ("COMM.SPULSE", "SYNC.SEM_SIGNAL")
TAKEN = ("COMM.RPULSE", "SYNC.SEM_WAIT_GRANTED")


def test_queue_sets(kernel: Path, board: str, tmp_path: Path) -> None:
    """A queue set returns its members in the order in which they received items."""
    trace = run(build(APPS / "sets", board, kernel), board, tmp_path / "T.tape")
    the_set = address_of(trace, "set")
    members = {address_of(trace, name): name for name in ("queue", "counting", "raised")}
    selected = [event.words[0] for event in trace.events if event.name == "USER.USER_2"]
    told = {event.words[0]: event.words[1] for event in trace.events if event.name == "USER.USER_3"}
    moved = [event for event in trace.events if event.name in (*GIVEN, *TAKEN)]
    given = [event for event in moved if event.name in GIVEN and event.words[0] in members]
    assert Counter(event.words[0] for event in given) == told
    assert {0, *members} == set(selected), "main selected each member, and nothing"
    # Each send to a member is a send to the set, which is first in, first out.
    rows = [row for row, event in enumerate(moved) if event in given]
    assert [moved[row + 1].words[0] for row in rows] == [the_set] * len(rows)
    handed = [member for member in selected if member]
    assert [event.words[0] for event in given][: len(handed)] == handed
    mine = [
        event
        for event in in_task(trace, "main")
        if event.name in {*TAKEN, "SYNC.WAIT_TIMEOUT"} and event.words[0] in {the_set, *members}
    ]
    assert [event.words[0] for event in mine if event.name in TAKEN] == [
        address for member in handed for address in (the_set, member)
    ]
    waits = [event for event in in_task(trace, "main") if event.name == "THREAD.RECEIVE"]
    too_late = [event for event in mine if event.name == "SYNC.WAIT_TIMEOUT"]
    assert {event.words[0] for event in too_late} == {the_set}
    assert 0 < len(too_late) < len(waits), "some waits ended by a member"
    # A member wakes no task, so the count of a semaphore is the number of permits not yet taken.
    counts = dict.fromkeys(members, 0)
    for event in moved:
        if event.name.startswith("SYNC.") and event.words[0] in members:
            counts[event.words[0]] += 1 if event.name in GIVEN else -1
            assert event.words[1] == counts[event.words[0]]
    assert_laws(trace, has_mutexes=False)


PENDED = [1, 10, 20, 30, 31, *range(40, 48), 50, 60]
"""Arguments of the accepted deferred calls: 20, 60 of `slow`, 30 of `nested`, others of `note`."""


@pytest.mark.parametrize("calls", [0, 1])
def test_deferred_calls(calls: int, kernel: Path, board: str, tmp_path: Path) -> None:
    options = (f"TT_FREERTOS_CALLS={calls}", "WIDE=1", "TT_CONFIG_BUFFERS=64")
    trace = run(build(APPS / "deferred", board, kernel, *options), board, tmp_path / "T.tape")
    names = ("note", "slow", "nested")
    functions = {symbol.address: symbol.name for symbol in trace.symbols if symbol.name in names}
    taken = [event.words[0] for event in trace.events if event.name == "USER.USER_1"]
    assert sorted([*taken, 60]) == PENDED
    executed, stack, waiting = [], [], list[int]()
    for event in trace.events:
        if event.name == "COMM.SPULSE" and event.words[0] in functions:
            waiting.append(event.words[0])
        elif event.name == "COMM.RPULSE" and event.words[0] in functions:
            assert waiting.pop(0) == event.words[0], "first in, first out"
            stack.append(event.words[0])
        elif event.name == "SYSTEM.FUNC_ENTER":
            assert stack == [event.words[0]]
        elif event.name == "USER.USER_2":
            executed.append((functions[stack[-1]], event.words[0]))
        elif event.name == "SYSTEM.FUNC_EXIT":
            assert stack.pop() == event.words[0]
    assert (stack, waiting) == ([], [])
    others = {20: "slow", 30: "nested", 60: "slow"}
    assert sorted(executed, key=itemgetter(1)) == [(others.get(n, "note"), n) for n in PENDED]
    timer_task = trace.tids["Tmr Svc"]
    waits = [event for event in trace.events if event.name == "THREAD.RECEIVE"]
    assert any(event.words[1] == timer_task for event in waits)
    # Kernel calls with all arguments, caller and its priority; V11 and later.
    is_v11 = "traceENTER_vTaskDelay" in (kernel / "include/FreeRTOS.h").read_text()
    entered = [event for event in trace.events if event.name.endswith("_ENTER")]
    kercalls = [event for event in entered if event.name.startswith("KERCALL.")]
    assert bool(kercalls) is (is_v11 and calls == 1)
    priorities = {trace.tids["main"]: 3, timer_task: 6, trace.tids["tickertape"]: 1}
    for event in kercalls:
        assert event.words[-1] == priorities[event.words[-2]]
    pends = [event.words[0] for event in kercalls if event.name == "KERCALL.WORK_ENTER"]
    refused, without_task = 2, 2  # without a task: before the first task, and in an interrupt
    assert len(pends) == (len(PENDED) + refused - without_task if kercalls else 0)
    assert set(pends) <= set(functions)
    with TapeReader(trace.tape) as reader:
        laws = kernel_laws_of(reader)
    assert laws[Law.READY_FIRST].verdict is Verdict.HOLDS
    assert all(laws[law].verdict is not Verdict.BROKEN for law in Law)


def test_tickless_idle(kernel: Path, board: str, tmp_path: Path) -> None:
    program = build(EXTRAS, board, kernel, "configUSE_TICKLESS_IDLE=1")
    trace = run(program, board, tmp_path / "T.tape")
    sleeps = [event for event in trace.events if event.name in {"SYSTEM.SUSPEND", "SYSTEM.RESUME"}]
    assert sleeps
    assert [event.name for event in sleeps] == ["SYSTEM.SUSPEND", "SYSTEM.RESUME"] * (
        len(sleeps) // 2
    )
    ticks = [event.words[0] for event in trace.events if event.name == "SCHED.TICK"]
    assert ticks == sorted(set(ticks))
    assert ticks != list(range(ticks[0], ticks[0] + len(ticks))), "no tick was left out"


def test_a_drain_without_a_task(kernel: Path, board: str, tmp_path: Path) -> None:
    options = ("TT_FREERTOS_DRAIN_TASK=0", "configUSE_IDLE_HOOK=1")
    trace = run(build(EXTRAS, board, kernel, *options), board, tmp_path / "T.tape")
    assert trace.tids.keys() == {"main", "helper", "IDLE", "Tmr Svc"}
    assert_laws(trace)

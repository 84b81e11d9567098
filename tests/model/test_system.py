"""Events become transitions of tasks, interrupts, runnables and locks; losses and resets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.model.follow import Watched, of, said_of
from tests.support.columns import Row, born, columns, create, destroy, gap, name, state, switch
from tickertape.decode.bodies import Name
from tickertape.decode.events import concatenate
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, Action, State
from tickertape.protocol.wire import ObjectKind
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

READY, STOPPED, NANOSLEEP, MUTEX, CONDVAR, SEM, DEAD = 2, 3, 12, 13, 14, 17, 0
TRACER_STOP = 14 << 10 | 1
LOCK, COND, SEMAPHORE = 0x100, 0x200, 0x300


def sync(time: int, event: int, address: int, word: int) -> Row:
    return Row(time, (8, event), (address, word))


def interrupt(time: int, irq: int, *, end: bool = False, cpu: int = 0) -> Row:
    return Row(time, (3, 2 if end else 1), (irq, 0), cpu=cpu)


def test_a_task_lives_from_creation_to_end() -> None:
    rows = [
        *born(0, 1, "a"),
        switch(10, 0, 1),
        state(20, SEM, 1),
        switch(21, 1, 0),
        state(30, READY, 1),
        switch(31, 0, 1),
        state(40, DEAD, 1),
        switch(41, 1, 0),
        destroy(41, 1),
        *born(50, 2, "a"),
        switch(51, 0, 2),
    ]
    actions = ["CREATE", "TRIGGER", "ACTIVATE", "START", "WAIT", "RELEASE", "RESUME", "TERMINATE"]
    assert [one[2] for one in said_of(rows) if one[0] == "a"][:9] == [*actions, "END"]
    assert of(said_of(rows), "a")[-2:] == [(1, "ACTIVATE"), (1, "START")]


def test_a_periodic_task_has_an_instance_for_each_activation() -> None:
    rows = [
        *born(0, 1, "a"),
        Row(1, (9, 6), (1, 1)),  # the task becomes periodic
        switch(10, 0, 1),
        Row(20, (9, 6), (1, 2)),  # activated before its completion: late
        Row(30, (9, 7), (1, 1)),
        Row(40, (9, 7), (1, 2)),
        state(40, NANOSLEEP, 1),
        switch(41, 1, 0),
        Row(50, (9, 6), (1, 3)),
        state(50, READY, 1),
        switch(51, 0, 1),
    ]
    assert of(said_of(rows), "a")[2:] == [
        (0, "BEGIN_JOB"),
        (0, "START"),
        (0, "TRIGGER"),
        (1, "ACTIVATE"),
        (0, "TERMINATE"),
        (1, "START"),
        (1, "TERMINATE"),
        (1, "TRIGGER"),
        (2, "ACTIVATE"),
        (2, "START"),
    ]


def test_an_interrupt_takes_the_core_and_gives_it_back() -> None:
    rows = [
        *born(0, 1, "a"),
        switch(10, 0, 1),
        Row(11, (13, 0), (0x40, 0)),
        Row(12, (13, 0), (0x50, 0)),
        interrupt(20, 17),
        interrupt(21, 18),
        interrupt(22, 18, end=True),
        interrupt(23, 17, end=True),
        Row(30, (13, 1), (0x40, 0)),  # ends the inner runnable as well
        interrupt(40, 17),
        interrupt(41, 17, end=True),
    ]
    said = [one[:3] for one in said_of(rows) if one[2] != "TRIGGER"]
    assert said[said.index(("runnable 0x50", 0, "START")) + 1 :] == [
        ("runnable 0x50", 0, "SUSPEND"),
        ("runnable 0x40", 0, "SUSPEND"),
        ("a", 0, "PREEMPT"),
        ("irq1", 0, "ACTIVATE"),
        ("irq1", 0, "START"),
        ("irq1", 0, "PREEMPT"),
        ("irq2", 0, "ACTIVATE"),
        ("irq2", 0, "START"),
        ("irq2", 0, "TERMINATE"),
        ("irq1", 0, "RESUME"),
        ("irq1", 0, "TERMINATE"),
        ("a", 0, "RESUME"),
        ("runnable 0x40", 0, "RESUME"),
        ("runnable 0x50", 0, "RESUME"),
        ("runnable 0x50", 0, "TERMINATE"),
        ("runnable 0x40", 0, "TERMINATE"),
        ("a", 0, "PREEMPT"),
        ("irq1", 1, "ACTIVATE"),
        ("irq1", 1, "START"),
        ("irq1", 1, "TERMINATE"),
        ("a", 0, "RESUME"),
    ]


def test_a_mutex_counts_who_has_it_and_who_waits() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        sync(2, 0, LOCK, 1),
        switch(3, 1, 2),
        sync(4, 2, LOCK, 1),
        sync(5, 1, LOCK, 1),
        state(5, MUTEX, 2),
        switch(6, 2, 1),
        sync(7, 3, LOCK, 1),
        sync(7, 0, LOCK, 2),
        state(7, READY, 2),
        switch(8, 1, 2),
        sync(9, 3, LOCK, 2),
    ]
    said = [one[2:] for one in said_of(rows) if one[0] == "mutex 0x100"]
    assert said == [
        ("FOUND", "UNKNOWN", "FREE"),
        ("TAKE", "FREE", "FULL"),
        ("REFUSE", "FULL", "FULL"),
        ("QUEUE", "FULL", "OVERFULL"),
        ("GIVE", "OVERFULL", "FULL"),
        ("ASSIGN", "FULL", "FULL"),
        ("GIVE", "FULL", "FREE"),
    ]


def test_a_waiter_that_gives_up_is_counted_no_longer() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        sync(2, 0, LOCK, 1),
        switch(3, 1, 2),
        sync(5, 1, LOCK, 1),
        state(5, MUTEX, 2),
        switch(6, 2, 1),
        sync(7, 16, LOCK, 2),
        state(7, READY, 2),
    ]
    assert [one[2:] for one in said_of(rows) if one[0] == "mutex 0x100"][-1] == (
        *("LEAVE", "OVERFULL", "FULL"),
    )


def test_who_comes_from_a_condition_lines_up_for_the_mutex() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        sync(2, 0, LOCK, 1),
        sync(3, 6, COND, LOCK),
        sync(3, 3, LOCK, 1),
        state(3, CONDVAR, 1),
        switch(4, 1, 2),
        sync(5, 0, LOCK, 2),
        sync(6, 7, COND, 1),
        state(6, MUTEX, 1),
        sync(7, 3, LOCK, 2),
        sync(7, 0, LOCK, 1),
        state(7, READY, 1),
    ]
    said = said_of(rows)
    assert [one[2:] for one in said if one[0] == "mutex 0x100"][-3:] == [
        ("LINE_UP", "FULL", "OVERFULL"),
        ("GIVE", "OVERFULL", "FULL"),
        ("ASSIGN", "FULL", "FULL"),
    ]
    assert [one[2] for one in said if one[0] == "event 0x200"] == ["WAIT_EVENT", "SET_EVENT"]


@pytest.mark.parametrize(
    ("limit", "counts"), [(0, [-1] * 6), (3, [3, 4, 3, 3, 2, 3]), (1, [1, 2, 1, 1, 0, 1])]
)
def test_a_semaphore_counts_when_its_limit_is_known(limit: int, counts: list[int]) -> None:
    kind = ObjectKind.SEMAPHORE.value
    said = {(kind, SEMAPHORE): Name(kind, 0, 0, 0, SEMAPHORE, limit, "s")}
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        sync(2, 10, SEMAPHORE, 1),
        state(2, SEM, 1),
        switch(3, 1, 2),
        sync(4, 12, SEMAPHORE, 0),
        state(4, READY, 1),
        switch(5, 2, 1),
        sync(6, 9, SEMAPHORE, 0),
        sync(7, 12, SEMAPHORE, 1),
        sync(8, 9, SEMAPHORE, 0),
    ]
    model = SystemModel(lambda _epoch: Names(said))
    found = model.feed(columns(rows))
    mine = [model.entities[index].name == "s" for index in found.entity.tolist()]
    assert found.value[mine].tolist() == counts
    actions = [Action(action).name for action in found.action[mine].tolist()]
    assert actions == ["FOUND", "QUEUE", "GIVE", "ASSIGN", "GIVE", "TAKE"]
    full = [State.FULL, State.OVERFULL, State.FULL, State.FULL]
    one_left = State.FREE if limit == 1 else State.USED
    assert found.after[mine].tolist() == [*full, one_left, State.FULL]


def test_a_gap_makes_everything_unknown_until_something_is_said() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        Row(2, (13, 0), (0x40, 0)),
        sync(2, 0, LOCK, 1),
        # the gap
        switch(50, 1, 2),
        switch(60, 2, 1),
        Row(61, (13, 1), (0x40, 0)),
        state(70, SEM, 1),
    ]
    said = said_of(rows, 9)
    lost = [one[0] for one in said if one[2] == "LOSE"]
    assert sorted(lost) == ["Core_0", "a", "b", "mutex 0x100", "runnable 0x40"]
    behind = said[max(i for i, one in enumerate(said) if one[2] == "LOSE") + 1 :]
    assert [one for one in behind if one[0] in {"a", "b"}] == [
        ("b", 1, "RESUME", "UNKNOWN", "RUNNING"),
        ("b", 1, "PREEMPT", "RUNNING", "READY"),
        ("a", 1, "RESUME", "UNKNOWN", "RUNNING"),
        ("a", 1, "WAIT", "RUNNING", "WAITING"),
    ]
    assert ("runnable 0x40", 1, "TERMINATE", "UNKNOWN", "TERMINATED") in behind


def test_what_runs_on_another_cpu_is_known_over_a_gap() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        switch(1, 0, 2, cpu=1),
        Row(2),  # the last row of CPU 0 before the gap
        Row(50, cpu=1),
        interrupt(60, 17, cpu=1),
    ]
    said = said_of(rows, 9)
    assert [one[0] for one in said if one[2] == "LOSE"] == ["a", "Core_0"]
    assert ("b", 0, "PREEMPT", "RUNNING", "READY") in said


def test_lost_states_carry_the_time_before_the_gap() -> None:
    rows = [*born(0, 1, "a"), switch(5, 0, 1), Row(90)]
    lost = gap(4)
    object.__setattr__(lost, "begin_ticks", 7)
    found = SystemModel(lambda _epoch: Names({})).feed(columns(rows, [lost]))
    assert found.time[found.action == Action.LOSE].tolist() == [7, 7]  # the task and its core


def test_a_reset_keeps_tasks_and_counts_their_instances_on() -> None:
    watched = Watched()
    rows = [*born(0, 1, "a"), switch(5, 0, 1)]
    watched.feed(columns(rows))
    said = watched.feed(columns(rows, epoch=1))
    assert ("a", 0, "LOSE", "RUNNING", "UNKNOWN") in said
    assert ("a", 1, "START", "ACTIVE", "RUNNING") in said
    assert len([one for one in watched.model.entities if one.name == "a"]) == 2  # task, stimulus


def test_a_number_that_is_used_again_under_another_name_is_another_task() -> None:
    rows = [*born(0, 1, "a"), switch(5, 0, 1), *born(9, 1, "b"), switch(10, 0, 1)]
    said = said_of(rows)
    assert ("a", 0, "LOSE", "RUNNING", "UNKNOWN") in said
    assert of(said, "b")[-1] == (0, "START")


def test_a_state_dump_begins_no_instance() -> None:
    rows = [
        create(0, 1),
        Row(0, (9, 5), (1, 7)),
        state(0, 1, 1),  # RUNNING
        name(0, 1, "a"),
        create(1, 2),
        state(1, READY, 2),
        name(1, 2, "b"),
        create(2, 3),
        state(2, SEM, 3),
        name(2, 3, "c"),
        create(3, 4),
        state(3, NANOSLEEP, 4),
        name(3, 4, "d"),
        Row(5, (9, 6), (4, 8)),
        state(5, READY, 4),
        switch(9, 1, 4),
    ]
    said = said_of(rows)
    assert {one[0]: one[2:] for one in said if one[2] == "FOUND"} == {
        "a": ("FOUND", "UNKNOWN", "RUNNING"),
        "Core_0": ("FOUND", "UNKNOWN", "USED"),
        "b": ("FOUND", "UNKNOWN", "READY"),
        "c": ("FOUND", "UNKNOWN", "WAITING"),
    }
    assert of(said, "a") == [(0, "FOUND"), (0, "PREEMPT")]
    # Number 0 is left for the instance that may have been under way.
    assert of(said, "d") == [(0, "TRIGGER"), (1, "ACTIVATE"), (1, "START")]


def test_a_task_is_ended_by_another_one() -> None:
    """The ended task leaves the mutex that it waits for; one that was ready is terminated."""
    rows = [
        *born(0, 1, "owner"),
        *born(0, 2, "waits"),
        *born(0, 3, "ready"),
        *born(0, 4, "new"),
        switch(1, 0, 2),
        Row(2, (13, 1), (0x900, 0)),  # in a function
        sync(3, 1, LOCK, 1),
        state(3, MUTEX, 2),
        switch(4, 2, 3),
        switch(5, 3, 1),
        *(row for tid in (2, 3, 4) for row in (state(5 + tid, DEAD, tid), destroy(5 + tid, tid))),
        sync(20, 3, LOCK, 1),
        *born(30, 2, "waits"),
        switch(31, 1, 2),
    ]
    watched = Watched()
    said = watched.feed(columns(rows))
    assert not watched.broken
    assert ("waits", 0, "ABORT", "WAITING", "TERMINATED") in said
    assert ("ready", 0, "ABORT", "READY", "TERMINATED") in said
    assert ("new", 0, "ABORT", "ACTIVE", "TERMINATED") in said
    assert of(said, "waits")[-2:] == [(1, "ACTIVATE"), (1, "START")]
    assert [one[2:] for one in said if one[0].startswith("mutex")] == [
        ("FOUND", "UNKNOWN", "FULL"),
        ("QUEUE", "FULL", "OVERFULL"),
        ("LEAVE", "OVERFULL", "FULL"),
        ("GIVE", "FULL", "FREE"),
    ]


def test_domains_own_tasks_and_call_the_kernel() -> None:
    said = Name(ObjectKind.DOMAIN, 0, 0, 0, 2, 0, "plugin")
    model = SystemModel(lambda _epoch: Names({(said.kind, said.id): said}))
    rows = [
        create(0, 1),
        Row(0, (4, 320), (2, 1), bytes([2, 0, 0, 0, 1, 0, 0, 0]) + b"a"),
        switch(1, 0, 1),
        Row(2, (11, 1), (103, 0x40), flags=2),
        Row(3, (11, 2), (0, 0x40), flags=2),
        Row(4, (11, 3), (0xBAD, 0x44), flags=2),
        Row(5, (11, 1), (1, 0x48), flags=3),
    ]
    found = model.feed(columns(rows))
    task, domain, other = (
        next(one.index for one in model.entities if (one.kind, one.name) == wanted)
        for wanted in ((Kind.TASK, "a"), (Kind.DOMAIN, "plugin"), (Kind.DOMAIN, "domain 3"))
    )
    names = ("entity", "action", "source", "object", "value")
    told = list(zip(*(getattr(found, name).tolist() for name in names), strict=True))
    assert [one for one in told if one[0] in {domain, other}] == [
        (domain, Action.OWN, NO_ENTITY, task, NOT_KNOWN),
        (domain, Action.CALL, task, NO_ENTITY, 103),
        (domain, Action.RETURN, task, NO_ENTITY, 0),
        (domain, Action.FAULT, task, NO_ENTITY, 0xBAD),
        (other, Action.CALL, task, NO_ENTITY, 1),
    ]


def test_chunks_do_not_matter() -> None:
    rows = [*born(0, 1, "a"), switch(1, 0, 1), sync(2, 0, LOCK, 1), sync(3, 3, LOCK, 1)]
    rows += [interrupt(4, 17), interrupt(5, 17, end=True), state(6, SEM, 1), switch(7, 1, 0)]
    whole = Watched().feed(columns(rows))
    for cut in range(1, len(rows)):
        assert Watched().feed(columns(rows[:cut]), columns(rows[cut:])) == whole


def test_an_empty_part_says_nothing() -> None:
    assert len(SystemModel(lambda _epoch: Names({})).feed(columns([]))) == 0


@pytest.mark.parametrize("example", ["first_tape", "messages", "philosophers", "stress"])
def test_the_state_machines_hold_on_the_reference_kernel(
    tickertape: Command, tmp_path: Path, example: str
) -> None:
    done = tickertape(
        *("run", "--target", "native", "--example", example, "-o", "x.tape", "--duration", "1")
    )
    assert done.returncode == 0, done.stderr
    with TapeReader(tmp_path / "x.tape") as reader:
        watched = Watched(reader.names())
        whole = concatenate(list(iter_events(reader)))
        assert (whole.code[-1], whole.data0[-1]) == (TRACER_STOP, 0)
        said = watched.feed(whole.take(slice(0, -1)))
        assert not [one for one in said if one[2] == "LOSE"]
        watched.feed(whole.take(slice(len(whole) - 1, None)))
    assert (watched.broken, watched.shared) == ([], [])
    assert len(said) > 5000
    # The trace is complete from its beginning, so no task runs without an activation.
    assert not [one for one in said if one[2] == "RESUME" and one[3] == "UNKNOWN"]


def test_sources_are_cores_stimuli_and_processes() -> None:
    rows = [*born(0, 1, "a"), switch(1, 0, 1), sync(2, 0, LOCK, 1), *born(3, 2, "b")]
    model = SystemModel(lambda _epoch: Names({}))
    found = model.feed(columns(rows))
    sources = [
        (
            model.entities[entity].kind.name,
            Action(action).name,
            None if source == NO_ENTITY else model.entities[source].kind.name,
        )
        for entity, action, source in zip(
            found.entity.tolist(), found.action.tolist(), found.source.tolist(), strict=True
        )
    ]
    assert sources == [
        ("TASK", "CREATE", None),
        ("CREATION", "TRIGGER", None),
        ("TASK", "ACTIVATE", "CREATION"),
        ("SCHEDULER", "SCHEDULE", None),
        ("TASK", "START", "CORE"),
        ("CORE", "FOUND", None),
        ("MUTEX", "FOUND", None),
        ("MUTEX", "TAKE", "TASK"),
        ("TASK", "CREATE", None),
        ("CREATION", "TRIGGER", "TASK"),
        ("TASK", "ACTIVATE", "CREATION"),
    ]

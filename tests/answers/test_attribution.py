"""Attribution of the ticks of an instance: computed by hand, and compared with known owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import Row, born, columns, gap, state, switch
from tests.support.golden import (
    BUS,
    CHAIN,
    DEADLOCK,
    DENIED,
    GRANTED,
    INVERSION,
    LATE,
    MUTEX,
    sync,
)
from tests.support.schedules import IDLE, KERNEL, deselected, schedule, stopped, with_gap
from tickertape.answers.attribution import (
    ANY_INSTANCE,
    Attribution,
    Cause,
    Segment,
    Step,
    Window,
)
from tickertape.decode.events import split_columns
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import scheduled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.schedules import Part, Schedule
    from tickertape.answers.attribution import Path
    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities

BLOCKED, PREEMPTED, RAN = Cause.BLOCKED, Cause.PREEMPTED, Step(Cause.RAN)

SEEDS = st.integers(0, 10_000)
PLACES = st.integers(0, 1000)
CPUS = st.integers(1, 2)


def task_of(entities: Entities, tid: int) -> int:
    found = [one.index for one in entities if (one.kind, one.number) == (Kind.TASK, tid)]
    return found[0] if found else -1


def windows_of(
    parts: Sequence[EventColumns], wanted: Sequence[tuple[int, int, int, int]]
) -> list[Window]:
    """Attribute windows (thread, instance, begin, end); check that both engines agree."""
    found = []
    for model in (
        SystemModel(lambda _epoch: Names({})),
        system_model(lambda _epoch: Names({})),
    ):
        fed = [scheduled(model.feed(part)) for part in parts]
        windows = [
            Window(task_of(model.entities, tid), instance, begin, end)
            for tid, instance, begin, end in wanted
        ]
        attribution = Attribution(model.entities, windows)
        for one in fed:
            attribution.feed(one)
        attribution.finish(max(end for _, _, _, end in wanted))
        found.append(windows)
    assert [one.by_path() for one in found[0]] == [one.by_path() for one in found[1]]
    return found[0]


def paths_of(rows: list[Row], tid: int, instance: int, begin: int, end: int) -> dict[Path, int]:
    (window,) = windows_of([columns(rows)], [(tid, instance, begin, end)])
    return dict(window.by_path())


def test_priority_inversion() -> None:
    """Thread `low` owns the bus; `high` waits for it; meanwhile `medium` preempts `low`."""
    # `high` becomes periodic at its first activation: instance 0 began with its creation.
    assert paths_of(INVERSION, 3, 0, 20, 100) == {
        (RAN,): (25 - 20) + (100 - 83),
        (Step(BLOCKED, "low", "mutex 0x100"), Step(Cause.KERNEL)): 1,
        (Step(BLOCKED, "low", "mutex 0x100"), RAN): (30 - 26) + (80 - 70),
        (Step(BLOCKED, "low", "mutex 0x100"), Step(PREEMPTED, "medium")): 70 - 30,
        (Step(Cause.KERNEL),): 1,
        (Step(Cause.READY, "low"),): 83 - 81,
    }


def test_a_chain_of_three_blockers() -> None:
    """Thread `a` waits for `b`, `b` for `c`, and `c` for `d`, which `e` preempts."""
    by_b, by_c, by_d = (
        Step(BLOCKED, "b", "mutex 0x100"),
        Step(BLOCKED, "c", "mutex 0x200"),
        Step(BLOCKED, "d", "mutex 0x300"),
    )
    assert paths_of(CHAIN, 1, 0, 6, 60) == {
        (RAN,): (8 - 6) + (60 - 53),
        (by_b, by_c, by_d, RAN): (10 - 8) + (45 - 40),
        (by_b, by_c, by_d, Step(PREEMPTED, "e")): 30,
        (by_b, by_c, RAN): 5,
        (by_b, RAN): 3,
    }


def test_a_deadlock() -> None:
    by_a, by_b = Step(BLOCKED, "a", "mutex 0x100"), Step(BLOCKED, "b", "mutex 0x200")
    assert paths_of(DEADLOCK, 2, 0, 2, 100) == {
        (RAN,): 2,
        (by_a, RAN): 6,
        (by_a, by_b, Step(Cause.DEADLOCK, "b")): 90,
    }


def test_a_missed_deadline_makes_the_next_instance_wait() -> None:
    earlier = Step(Cause.EARLIER, "a")
    assert paths_of(LATE, 1, 1, 50, 80) == {
        (earlier, Step(PREEMPTED, "b")): 10,
        (earlier, RAN): 10,
        (RAN,): 10,
    }


def test_a_lost_owner_owns_nothing() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(0, 0, 1),
        sync(1, GRANTED, BUS, 1),
        Row(5),
        switch(20, 1, 2),
        sync(21, DENIED, BUS, 1),
        state(21, MUTEX, 2),
        switch(22, 2, 1),
        Row(40),
    ]
    lost = columns(rows, [gap(9, since=5)])
    (window,) = windows_of([lost], [(2, 1, 20, 40)])
    assert window.by_path() == {(RAN,): 1, (Step(BLOCKED, "", "mutex 0x100"),): 19}


@pytest.mark.parametrize("since", [5, 15, 25])
def test_a_late_loss_makes_the_latest_stretches_unknown(since: int) -> None:
    window = Window(0, 0, 0, 30)
    window.add(Segment(0, 10, (RAN,), frozenset({1})))
    window.add(Segment(10, 20, (Step(Cause.KERNEL),), frozenset({2})))
    window.add(Segment(20, 30, (RAN,), frozenset({1})))
    window.lose(1, since)
    unknown = sum(
        end - max(begin, since) for begin, end in ((0, 10), (20, 30)) if max(begin, since) < end
    )
    assert window.by_path()[(Step(Cause.UNKNOWN),)] == unknown
    assert window.by_path()[(Step(Cause.KERNEL),)] == 10
    assert window.by_path().total() == 30


def check(whole: Schedule, part: Part | None, seed: int) -> None:
    """Compare each tick of windows of all threads with the owner of its CPU."""
    made = columns(whole.rows) if part is None else part.columns
    end = whole.rows[-1].time
    begin = seed % max(end, 1)
    model = SystemModel(lambda _epoch: Names({}))
    model.feed(made)
    tids = [one.number for one in model.entities if one.kind is Kind.TASK]
    if not tids or begin == end:
        return
    middle = len(made) // 2
    tids *= 2
    # The first instance of each thread, and the range regardless of instances.
    instances = [0] * (len(tids) // 2) + [ANY_INSTANCE] * (len(tids) // 2)
    wanted = [(tid, one, begin, end) for tid, one in zip(tids, instances, strict=True)]
    halves = split_columns(made, middle)
    for window, tid in zip(windows_of(halves, wanted), tids, strict=True):
        assert window.by_path().total() == end - begin
        owners = whole.owners[(tid - 1) // 3]
        for segment in window.segments:
            step = segment.path[-1]
            for tick in range(segment.begin, segment.end):
                assert agrees(step, owners[tick], tid), (segment, tick, owners[tick])


def owners_in(text: str) -> set[object]:
    """Return the owners that a label names: several if the CPU of a thread is unknown."""
    return {
        ("task", int(name.removeprefix("thread ")))
        if name.startswith("thread ")
        else ("interrupt", int(name.removeprefix("irq")) + 16)
        for name in text.split(" and ")
    }


def agrees(step: Step, owner: object, tid: int) -> bool:
    """Return whether a reason is true in a tick of this owner."""
    if step.cause in {Cause.PREEMPTED, Cause.READY, Cause.INTERRUPTED}:
        return owner in owners_in(step.by)
    if step.cause is Cause.WAITED:
        return owner != ("task", tid)
    true: dict[Cause, set[object]] = {
        Cause.RAN: {("task", tid)},
        Cause.KERNEL: {KERNEL, IDLE},
        Cause.UNKNOWN: {owner},
    }
    return step.cause in true and owner in true[step.cause]


@given(SEEDS, CPUS)
def test_every_tick_has_its_true_reason(seed: int, cpus: int) -> None:
    check(schedule(seed, cpus), None, seed)


@given(SEEDS, CPUS, PLACES, PLACES)
def test_no_reason_is_false_around_a_gap(seed: int, cpus: int, first: int, count: int) -> None:
    whole = schedule(seed, cpus)
    begin = cpus + first % (len(whole.rows) - 2 * cpus)
    check(whole, with_gap(whole, begin, begin + 1 + count % 20, seed % cpus), seed)


@given(SEEDS, CPUS, PLACES, PLACES)
def test_no_reason_is_false_around_a_stop(seed: int, cpus: int, first: int, count: int) -> None:
    whole = schedule(seed, cpus)
    begin = cpus + first % (len(whole.rows) - 2 * cpus)
    check(whole, stopped(whole, begin, min(begin + 1 + count % 20, len(whole.rows) - 1)), seed)


@given(SEEDS, CPUS, PLACES, PLACES)
def test_no_reason_is_false_where_switches_are_deselected(
    seed: int, cpus: int, first: int, count: int
) -> None:
    whole = schedule(seed, cpus)
    begin = cpus + first % (len(whole.rows) - 2 * cpus)
    check(whole, deselected(whole, begin, min(begin + 1 + count % 20, len(whole.rows) - 1)), seed)

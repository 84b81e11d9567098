"""Instances and slices: computed by hand, and laws on random schedules and events."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.answers.lives import Lives
from tests.support.columns import Row, born, columns, gap, state, switch
from tests.support.plans import ROWS, Plan, columns_of
from tests.support.schedules import deselected, schedule, stopped, with_gap
from tickertape.answers.instance import Blocking, Bounds, Doing, Ended, Instance, Owner
from tickertape.model.transitions import NO_ENTITY

ENTRY, EXIT = (3, 1), (3, 2)
ACTIVATION, COMPLETION = (9, 6), (9, 7)
RUNNING = (4, 1)
GRANTED, DENIED, UNLOCK = (8, 0), (8, 1), (8, 3)
MUTEX = 0x100
READY, WAIT_MUTEX = 2, 13

SEEDS = st.integers(0, 10_000)
PLACES = st.integers(0, 1000)


def assert_lawful(lives: Lives) -> None:
    """Check that segments fill instances, slices fill CPUs, and times equal the CPU times."""
    ran: Counter[int] = Counter()
    for one in lives.instances:
        assert_whole(one)
        ran[one.entity] += one.running
    assert +ran == +Counter(lives.times.by_entity())
    spent: Counter[tuple[int, Owner]] = Counter()
    for slice_ in lives.slices:
        assert slice_.begin < slice_.end
        spent[slice_.cpu, slice_.owner] += slice_.end - slice_.begin
    for cpu, time in lives.times.by_cpu().items():
        assert spent[cpu, Owner.TASK] == time.tasks_ticks
        assert spent[cpu, Owner.INTERRUPT] == time.interrupts_ticks
        assert spent[cpu, Owner.IDLE] == time.idle_ticks
        assert spent[cpu, Owner.KERNEL] == time.kernel_ticks
        assert spent[cpu, Owner.UNKNOWN] == time.unknown_ticks


def assert_whole(one: Instance) -> None:
    parts = one.running + one.ready + one.preempted + one.interrupted + one.suspended + one.blocked
    assert parts == one.end - one.found == sum(segment.ticks for segment in one.segments)
    assert all(a.end == b.begin for a, b in pairwise(one.segments))
    for bounds in (one.response, one.execution):
        assert bounds.low >= 0
        assert bounds.high is None or bounds.low <= bounds.high
    if one.whole:
        assert one.response == (one.end - one.found, one.end - one.found)
        assert one.execution == (one.running, one.running)


@given(SEEDS, st.integers(1, 2), st.lists(PLACES, max_size=3))
def test_a_whole_schedule_adds_up(seed: int, cpus: int, cuts: list[int]) -> None:
    whole = schedule(seed, cpus)
    places = sorted({0, len(whole.rows), *(cut % len(whole.rows) for cut in cuts)})
    lives = Lives(*(columns(whole.rows[a:b]) for a, b in pairwise(places)))
    assert_lawful(lives)
    for cpu, owners in whole.owners.items():
        for slice_ in (one for one in lives.slices if one.cpu == cpu):
            true = set(owners[slice_.begin : slice_.end])
            assert len(true) == 1
            if slice_.entity != NO_ENTITY:
                assert true.pop()[1] == lives.entities[slice_.entity].number


@given(SEEDS, st.integers(1, 2), PLACES, PLACES, st.integers(0, 2))
def test_a_schedule_with_a_hole_adds_up(
    seed: int, cpus: int, first: int, count: int, kind: int
) -> None:
    whole = schedule(seed, cpus)
    first = cpus + first % (len(whole.rows) - cpus - 1)
    behind = min(first + count % 40, len(whole.rows) - 1)
    part = (
        with_gap(whole, first, behind, first % cpus)
        if kind == 0
        else (stopped, deselected)[kind - 1](whole, first, behind)
    )
    assert_lawful(Lives(part.columns))


@given(st.lists(ROWS, max_size=3))
def test_it_adds_up_for_events_in_any_order(plan: Plan) -> None:
    for part in plan:
        assert_lawful(Lives(columns_of(part, 0)))


def test_an_instance_is_not_lost_before_its_activation() -> None:
    """A switch reveals a contradiction; the instance is lost, but not before its activation."""
    rows = [Row(0), Row(10, RUNNING, (0, 1)), Row(20, ACTIVATION, (1, 0)), switch(30, 0, 0)]
    lives = Lives(columns(rows))
    assert_lawful(lives)
    assert (20, 20, Ended.LOST) in [(one.found, one.end, one.ended) for one in lives.instances]


def mutex_chain() -> list[Row]:
    """Return rows: `low` owns a mutex, `high` waits for it, and `middle` runs."""
    return [
        *born(0, 1, "low"),
        *born(0, 2, "high"),
        *born(0, 3, "middle"),
        switch(10, 0, 1),
        Row(20, GRANTED, (MUTEX, 1)),
        switch(30, 1, 2),
        Row(40, DENIED, (MUTEX, 1)),
        state(41, WAIT_MUTEX, 2),
        switch(43, 2, 3),
        switch(63, 3, 1),
        Row(65, ENTRY, (20, 0)),
        Row(68, EXIT, (20, 0)),
        Row(70, UNLOCK, (MUTEX, 1)),
        Row(71, GRANTED, (MUTEX, 2)),
        state(72, READY, 2),
        switch(75, 1, 2),
        Row(90),
    ]


def test_the_parts_of_an_instance_are_those_computed_by_hand() -> None:
    lives = Lives(columns(mutex_chain()))
    assert_lawful(lives)
    (high,) = lives.of("high")
    low = lives.of("low")[0]
    assert [(one.begin, one.end, one.doing) for one in high.segments] == [
        (0, 30, Doing.READY),
        (30, 41, Doing.RUNNING),
        (41, 70, Doing.BLOCKED),
        (70, 71, Doing.BLOCKED),
        (71, 72, Doing.BLOCKED),
        (72, 75, Doing.READY),
        (75, 90, Doing.RUNNING),
    ]
    mutex = high.segments[2].object
    assert lives.entities[mutex].number == MUTEX
    assert set(high.blockings) == {
        Blocking(mutex, WAIT_MUTEX, low.entity, 29),
        Blocking(mutex, WAIT_MUTEX, NO_ENTITY, 1),
        Blocking(mutex, WAIT_MUTEX, high.entity, 1),
    }
    assert (high.running, high.ready, high.blocked, high.preemptions) == (26, 33, 31, 0)
    assert (high.ended, high.response) == (Ended.OPEN, Bounds(90, None))
    assert (low.preemptions, low.interruptions, low.interrupted) == (2, 1, 3)
    assert (low.running, low.preempted) == (20 + 2 + 7, 33 + 15)
    (interrupt,) = lives.of("irq4")
    assert (interrupt.whole, interrupt.response) == (True, Bounds(3, 3))


def periodic(base: int, number: int) -> list[Row]:
    """Return rows of thread 1: activated at `base`, runs from +2 to +12, completes at +12."""
    return [
        Row(base, ACTIVATION, (1, number)),
        state(base + 1, READY, 1),
        switch(base + 2, 0, 1),
        Row(base + 12, COMPLETION, (1, number)),
        state(base + 13, 5, 1),
        switch(base + 14, 1, 0),
    ]


def test_a_lost_instance_ends_before_the_next_one_starts() -> None:
    rows = [*born(0, 1, "motor"), *periodic(100, 1)]
    rows += periodic(200, 2)[:3] + periodic(300, 3) + [Row(350)]
    lives = Lives(columns(rows, [gap(3 + 6 + 3, since=202)]))
    lost = next(one for one in lives.of("motor") if one.ended is Ended.LOST)
    assert (lost.activation, lost.end, lost.running) == (200, 202, 0)
    assert lost.response.low == 2
    assert lost.response.high is not None
    assert 12 <= lost.response.high <= 102


def test_a_task_found_again_began_after_its_instance_before() -> None:
    rows = [*born(0, 1, "motor"), *periodic(100, 1)]
    rows += [*periodic(200, 2)[3:], Row(250)]
    lives = Lives(columns(rows, [gap(3 + 6, since=114)]))
    found = lives.of("motor")[-1]
    assert (found.activation, found.end, found.ended) == (None, 212, Ended.DONE)
    assert found.response.high is not None
    assert found.response.low <= 12 <= found.response.high
    assert found.execution.high is not None
    assert found.execution.low <= 10 <= found.execution.high

"""CPU time by owner, compared with schedules in which the owner of every tick is known."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.columns import Row, columns, switch
from tests.support.plans import ROWS, Plan, columns_of, names
from tests.support.schedules import (
    IDLE,
    KERNEL,
    Owner,
    Part,
    Schedule,
    deselected,
    of_another_stream,
    schedule,
    stopped,
    with_gap,
)
from tickertape.model.compiled_running import CompiledRunningThreads
from tickertape.model.compiled_system import system_model
from tickertape.model.cpu_time import CpuTime, CpuTimes
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.running import UNKNOWN, RunningThreads
from tickertape.model.system import SystemModel
from tickertape.model.transitions import scheduled

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

SEEDS = st.integers(0, 10_000)
CPUS = st.integers(1, 2)
PLACES = st.integers(0, 1000)


def times_of(
    *parts: EventColumns,
) -> tuple[Counter[Owner], dict[int, CpuTime]]:
    """Return the time by owner over all CPUs, and by CPU; check that both engines agree."""
    model = SystemModel(lambda _epoch: Names({}))
    fast = system_model(lambda _epoch: Names({}))
    times, same = CpuTimes(model.entities), CpuTimes(fast.entities)
    for part in parts:
        times.feed(part, scheduled(model.feed(part)))
        same.feed(part, scheduled(fast.feed(part)))
    cpus = times.by_cpu()
    assert (same.by_cpu(), same.by_entity()) == (cpus, times.by_entity())
    owners: Counter[Owner] = Counter()
    for entity, ticks in times.by_entity().items():
        one = model.entities[entity]
        owners["task" if one.kind is Kind.TASK else "interrupt", one.number] = ticks
    owners[IDLE] = sum(cpu.idle_ticks for cpu in cpus.values())
    owners[KERNEL] = sum(cpu.kernel_ticks for cpu in cpus.values())
    return +owners, cpus


def assert_adds_up(owners: Counter[Owner], cpus: dict[int, CpuTime]) -> None:
    parts = [cpu.observed_ticks - cpu.unknown_ticks for cpu in cpus.values()]
    assert sum(owners.values()) == sum(parts)
    for cpu in cpus.values():
        known = cpu.tasks_ticks + cpu.interrupts_ticks + cpu.idle_ticks + cpu.kernel_ticks
        assert known + cpu.unknown_ticks == cpu.observed_ticks


def truth_of(whole: Schedule, blind: dict[int, tuple[int, int]]) -> Counter[Owner]:
    """Return the true time by owner outside of the blind spans."""
    found: Counter[Owner] = Counter()
    for cpu, owners in whole.owners.items():
        begin, end = blind.get(cpu, (0, 0))
        found += whole.time_of(cpu, [(0, begin), (end, len(owners))])
    return found


def assert_true(whole: Schedule, part: Part) -> None:
    """Check that each owner gets at most its true time, and at least the time outside of gaps."""
    owners, cpus = times_of(part.columns)
    assert_adds_up(owners, cpus)
    assert not owners - truth_of(whole, {})
    assert not truth_of(whole, part.blind) - owners
    running = RunningThreads().column(part.columns).tolist()
    assert CompiledRunningThreads().column(part.columns).tolist() == running
    for kept, thread in zip(part.kept, running, strict=True):
        assert kept is None or thread in {UNKNOWN, whole.threads[kept]}


@given(SEEDS, CPUS, st.lists(PLACES, max_size=4))
def test_each_tick_of_a_whole_trace_belongs_to_its_owner(
    seed: int, cpus: int, cuts: list[int]
) -> None:
    whole = schedule(seed, cpus)
    places = sorted({0, len(whole.rows), *(cut % len(whole.rows) for cut in cuts)})
    parts = [columns(whole.rows[a:b]) for a, b in pairwise(places)]
    owners, found = times_of(*parts)
    assert owners == truth_of(whole, {})
    assert_adds_up(owners, found)
    assert [cpu.unknown_ticks for cpu in found.values()] == [0] * cpus
    assert RunningThreads().column(columns(whole.rows)).tolist() == whole.threads


@given(SEEDS, CPUS, PLACES, PLACES, st.integers(0, 1))
def test_a_gap_charges_nobody_with_what_he_had_not(
    seed: int, cpus: int, first: int, count: int, cpu: int
) -> None:
    whole = schedule(seed, cpus)
    first = cpus + first % (len(whole.rows) - cpus)
    assert_true(whole, with_gap(whole, first, first + count % 40, cpu % cpus))


@given(SEEDS, CPUS, PLACES, PLACES, st.integers(0, 3))
def test_stopped_time_belongs_to_nobody(
    seed: int, cpus: int, first: int, count: int, strays: int
) -> None:
    whole = schedule(seed, cpus)
    first = cpus + first % (len(whole.rows) - cpus - 1)
    behind = min(first + count % 40, len(whole.rows) - 1)
    assert_true(whole, stopped(whole, first, behind, strays))


@given(SEEDS, CPUS, PLACES, PLACES)
def test_without_context_switches_nobody_is_charged(
    seed: int, cpus: int, first: int, count: int
) -> None:
    whole = schedule(seed, cpus)
    first = cpus + first % (len(whole.rows) - cpus - 1)
    behind = min(first + count % 40, len(whole.rows) - 1)
    assert_true(whole, deselected(whole, first, behind))


def test_a_stop_of_another_stream_stops_nothing() -> None:
    whole = schedule(3)
    part = of_another_stream(stopped(whole, 20, 20))
    owners, cpus = times_of(part.columns)
    assert owners == truth_of(whole, {})
    assert cpus[0].unknown_ticks == 0


@example(
    [
        [
            *[(2 << 10 | 11, 0, 0, 0, "", False)] * 14,
            (9 << 10, 1, 0, 1, "", False),
            (9 << 10, 0, 0, 1, "", False),  # the same thread, without a record of its migration
            (2 << 10 | 11, 1, 0, 0, "", False),
            (2 << 10 | 11, 0, 0, 0, "", True),  # after a loss
        ]
    ]
)
@given(st.lists(ROWS, max_size=3))
def test_it_adds_up_for_events_in_any_order(plan: Plan) -> None:
    model = SystemModel(names)
    for epoch, part in enumerate(plan):
        times = CpuTimes(model.entities)
        made = columns_of(part, epoch)
        times.feed(made, scheduled(model.feed(made)))
        cpus = times.by_cpu()
        for cpu in cpus.values():
            assert min(cpu.tasks_ticks, cpu.interrupts_ticks, cpu.idle_ticks) >= 0
            assert min(cpu.kernel_ticks, cpu.unknown_ticks) >= 0
        ran = sum(cpu.tasks_ticks + cpu.interrupts_ticks for cpu in cpus.values())
        assert sum(times.by_entity().values()) == ran
        assert min(times.by_entity().values(), default=0) >= 0


def test_a_switch_that_contradicts_the_one_before_makes_the_time_between_unknown() -> None:
    rows = [switch(10, 0, 2), switch(30, 3, 1), Row(100)]
    owners, cpus = times_of(columns(rows))
    assert owners == {("task", 1): 70}
    assert cpus == {0: CpuTime(90, 70, 0, 0, 0, 20)}


def test_nothing_is_no_time() -> None:
    assert times_of() == (Counter(), {})
    assert times_of(columns([])) == (Counter(), {})
    assert times_of(columns([Row(5), Row(9)]))[1] == {0: CpuTime(4, 0, 0, 0, 0, 4)}

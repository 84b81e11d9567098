"""Hooks outside of the kernel's locks: only a proven order of events reveals a fault."""

from __future__ import annotations

from bisect import bisect_left
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.loose_kernel import Fault, LooseKernel
from tests.support.columns import Row, columns, gap
from tickertape.analysis.event_order import Aspect, EventOrder, doer_of_cpu
from tickertape.analysis.kernel_findings import Judgement, Law, Verdict
from tickertape.analysis.kernel_laws import KernelLaws

OVERHEAD_TICKS = 1 << 40  # the time until a CPU notices a ready thread is unknown
STEPS = 2000
MORE_STEPS = 6000
SUBJECT = (Aspect.OWNER, 7)
FAULTS = {
    Fault.TWO_OWNERS: Law.ONE_OWNER,
    Fault.TWO_PLACES: Law.ONE_CPU,
    Fault.RUNS_WHILE_IT_WAITS: Law.READY_FIRST,
}


def judged(rows: list[Row], *, is_loose: bool = True) -> dict[Law, Judgement]:
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS, is_loose=lambda _epoch: is_loose)
    laws.feed(columns(rows))
    laws.conclude()
    return dict(laws.judgements)


def history(
    seed: int, cpus: int, threads: int, fault: Fault | None = None, *, steps: int = STEPS
) -> list[Row]:
    return LooseKernel(Random(seed), cpus=cpus, threads=threads, fault=fault).run(steps)


@given(st.integers(0, 1 << 32), st.integers(1, 3), st.integers(1, 6))
def test_a_lawful_kernel_is_never_accused(seed: int, cpus: int, threads: int) -> None:
    judgements = judged(history(seed, cpus, threads))
    assert [one.broken for one in judgements.values()] == [0, 0, 0, 0]
    assert [one.violations for one in judgements.values()] == [[], [], [], []]


@given(st.integers(0, 1 << 32), st.integers(1, 3), st.integers(1, 6), st.data())
def test_a_lawful_kernel_is_not_accused_where_records_of_a_cpu_are_missing(
    seed: int, cpus: int, threads: int, data: st.DataObject
) -> None:
    """After a gap the running thread is unknown, and operations in the gap may still be unrecorded.

    Each CPU has recorded an event before the gap: other CPUs are unknown to the laws.
    """
    rows = history(seed, cpus, threads)
    begun = max(next(at for at, row in enumerate(rows) if row.cpu == one) for one in range(cpus))
    first = data.draw(st.integers(begun + 1, len(rows) - 1))
    count = data.draw(st.integers(1, 200))
    cpu = data.draw(st.integers(0, cpus - 1))
    cut = [row for row in rows[first : first + count] if row.cpu != cpu]
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS, is_loose=lambda _epoch: True)
    left = [*rows[:first], *cut, *rows[first + count :]]
    ends = next((at for at in range(first + len(cut), len(left)) if left[at].cpu == cpu), len(left))
    laws.feed(columns(left, [gap(ends, cpu=cpu)]))
    laws.conclude()
    assert [one.violations for one in laws.judgements.values()] == [[], [], [], []]


def test_an_interrupt_after_a_gap_is_not_the_thread_that_runs_there() -> None:
    """The record of the unlock before the gap may be missing: its thread is unknown."""
    rows = history(2, 1, 2)
    left = [rows[0], *rows[128:]]
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS, is_loose=lambda _epoch: True)
    laws.feed(columns(left, [gap(1, cpu=0)]))
    laws.conclude()
    assert [one.violations for one in laws.judgements.values()] == [[], [], [], []]


@pytest.mark.parametrize("cpus", [1, 2])
def test_it_would_be_accused_by_the_order_of_its_events(cpus: int) -> None:
    rows = history(1, cpus, 4)
    assert judged(rows, is_loose=False)[Law.ONE_OWNER].verdict is Verdict.BROKEN
    owner = judged(rows)[Law.ONE_OWNER]
    assert owner.verdict is Verdict.UNKNOWN
    assert min(owner.held, owner.unknown) > 0


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seed", range(3))
def test_what_no_order_explains_is_a_fault(fault: Fault, seed: int) -> None:
    rows = history(seed, 2, 4, fault, steps=MORE_STEPS)
    assert judged(rows)[FAULTS[fault]].verdict is Verdict.BROKEN


def begin(order: EventOrder, *events: tuple[int, int, int]) -> None:
    """Feed events: (thread or interrupt, CPU, time)."""
    for doer, cpu, time in events:
        order.begin(doer, cpu, time)


def test_what_one_thread_does_is_in_order_wherever_it_runs() -> None:
    order = EventOrder()
    begin(order, (1, 0, 10))
    order.tell(SUBJECT)
    begin(order, (1, 1, 11))
    assert order.is_sure(SUBJECT)


@pytest.mark.parametrize("cpu", [0, 1])
def test_two_threads_are_in_order_where_one_was_done_before_the_other_could_begin(cpu: int) -> None:
    order = EventOrder()
    begin(order, (2, cpu, 5), (1, 0, 10))
    order.tell(SUBJECT)
    begin(order, (2, cpu, 20))
    assert not order.is_sure(SUBJECT), "thread 1 has done nothing since: it may still be at it"
    begin(order, (1, 0, 30), (2, cpu, 40))
    assert not order.is_sure(SUBJECT), "it was done by 30, and this may have begun at 20"
    begin(order, (2, cpu, 50))
    assert order.is_sure(SUBJECT)


def test_events_of_one_tick_are_in_no_order() -> None:
    order = EventOrder()
    begin(order, (1, 0, 10))
    order.tell(SUBJECT)
    begin(order, (1, 0, 20), (2, 1, 20), (2, 1, 21))
    assert not order.is_sure(SUBJECT)
    begin(order, (2, 1, 22))
    assert order.is_sure(SUBJECT)


def test_interrupts_and_switches_are_in_order_with_what_their_cpu_records() -> None:
    order = EventOrder()
    begin(order, (1, 0, 10))
    order.tell(SUBJECT)
    begin(order, (doer_of_cpu(0), 0, 11))
    assert order.is_sure(SUBJECT)
    begin(order, (doer_of_cpu(1), 1, 12))
    assert not order.is_sure(SUBJECT)


def test_who_was_woken_comes_behind_what_its_waker_did() -> None:
    order = EventOrder()
    begin(order, (2, 1, 5), (1, 0, 10))
    order.tell(SUBJECT)
    begin(order, (1, 0, 11))
    order.wakes(2)
    begin(order, (2, 1, 12))
    assert order.is_sure(SUBJECT)


def test_a_thread_that_waits_is_done_when_its_cpu_goes_on() -> None:
    order = EventOrder()
    begin(order, (1, 0, 10))
    order.tell(SUBJECT)
    begin(order, (doer_of_cpu(0), 0, 11))
    order.leaves(1)
    begin(order, (doer_of_cpu(0), 0, 12), (2, 1, 13), (2, 1, 14))
    assert order.is_sure(SUBJECT)


def test_a_moment_is_over_when_everybody_has_gone_on() -> None:
    order = EventOrder()
    begin(order, (2, 1, 5), (1, 0, 10))
    moment = order.now
    assert not order.is_over(moment, []), "the operation of thread 1 may be still to come"
    begin(order, (1, 0, 20))
    assert order.is_over(moment, [1])
    assert not order.is_over(moment, [1, 2]), "thread 2 may have done anything since 5"
    begin(order, (2, 1, 21))
    assert order.is_over(moment, [1, 2])
    assert not order.is_over(moment, [3]), "the begin of the operation of thread 3 is unknown"


def test_records_that_are_missing_may_explain_what_was_found() -> None:
    """Two owners are a violation only when no later event can explain them."""
    rows = history(0, 2, 4, Fault.TWO_OWNERS)
    loose = KernelLaws(overhead_ticks=OVERHEAD_TICKS, is_loose=lambda _epoch: True)
    places = range(len(rows))
    first = bisect_left(places, 1, key=lambda at: judged(rows[:at])[Law.ONE_OWNER].broken)
    assert judged(rows[: first - 1])[Law.ONE_OWNER].broken == 0
    loose.feed(columns(rows[: first - 1], [gap(first - 1, cpu=cpu) for cpu in (0, 1)]))
    loose.conclude()
    assert loose.judgements[Law.ONE_OWNER].verdict is Verdict.UNKNOWN
    assert loose.judgements[Law.ONE_OWNER].broken == 0

"""The laws of a kernel, for lawful traces, manipulated traces and traces with losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.columns import Row, columns, create, gap, switch
from tickertape.analysis.kernel_findings import Law, Verdict
from tickertape.analysis.kernel_laws import KernelLaws

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.analysis.kernel_findings import Judgement
    from tickertape.decode.events import Gap

MUTEX = 0x2000_0000
OVERHEAD_TICKS = 10
HOLDS, BROKEN, UNKNOWN = Verdict.HOLDS, Verdict.BROKEN, Verdict.UNKNOWN


def ready(time: int, tid: int, cpu: int = 0) -> Row:
    return Row(time, (4, 2), (0, tid), cpu=cpu)


def sleeps(time: int, tid: int) -> Row:
    return Row(time, (4, 12), (0, tid))


def priority(time: int, tid: int, value: int) -> Row:
    return Row(time, (9, 5), (tid, value))


def granted(time: int, tid: int) -> Row:
    return Row(time, (8, 0), (MUTEX, tid))


def denied(time: int, owner: int) -> Row:
    return Row(time, (8, 1), (MUTEX, owner))


def unlocked(time: int, tid: int) -> Row:
    return Row(time, (8, 3), (MUTEX, tid))


def enters(time: int) -> Row:
    return Row(time, (2, 90))


def exits(time: int) -> Row:
    return Row(time, (2, 90 + 128))


def irq(time: int, *, begins: bool) -> Row:
    return Row(time, (3, 1 if begins else 2), (20, 0))


BEGIN = (
    create(1, 0),
    create(2, 1),
    priority(2, 1, 5),
    ready(3, 1),
    create(4, 2),
    priority(4, 2, 9),
    ready(5, 2),
    switch(6, 0, 2),
    granted(7, 2),
    sleeps(8, 2),
    switch(9, 2, 1),
    denied(10, 2),
    sleeps(11, 1),
    switch(12, 1, 0),
)


def judge(rows: Sequence[Row], gaps: Sequence[Gap] = ()) -> Mapping[Law, Judgement]:
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS)
    laws.feed(columns(rows, gaps))
    return laws.judgements


def test_a_lawful_trace() -> None:
    judgements = judge([*BEGIN, ready(20, 2), switch(21, 0, 2), unlocked(22, 2), exits(23)])
    assert {law: one.verdict for law, one in judgements.items()} == dict.fromkeys(Law, HOLDS)
    assert [one.broken for one in judgements.values()] == [0, 0, 0, 0]
    assert judgements[Law.ONE_CPU].held == 4
    assert judgements[Law.READY_FIRST].held == 3


def test_nothing_is_known_of_an_empty_trace() -> None:
    assert {one.verdict for one in judge([]).values()} == {UNKNOWN}


CASES = {
    "the CPU is left by another thread": (Law.ONE_CPU, [switch(20, 1, 0)]),
    "a waiting thread runs": (Law.READY_FIRST, [switch(20, 0, 1)]),
    "a created thread runs before it is ready": (
        Law.READY_FIRST,
        [create(20, 3), switch(21, 0, 3)],
    ),
    "the less urgent is chosen": (
        Law.MOST_URGENT,
        [ready(20, 1), ready(21, 2), switch(22, 0, 1)],
    ),
    "idle is chosen": (Law.MOST_URGENT, [ready(20, 1), switch(21, 0, 0)]),
    "a call returns to the less urgent": (
        Law.MOST_URGENT,
        [ready(20, 1), switch(21, 0, 1), ready(22, 2), exits(23)],
    ),
    "an application event of the less urgent": (
        Law.MOST_URGENT,
        [ready(20, 1), switch(21, 0, 1), ready(22, 2), Row(23)],
    ),
    "a priority that was lowered": (
        Law.MOST_URGENT,
        [ready(20, 1), ready(20, 2), switch(21, 0, 2), priority(22, 2, 1), exits(23)],
    ),
    "a call begins long after": (
        Law.MOST_URGENT,
        [ready(20, 1), switch(21, 0, 1), ready(22, 2), enters(22 + OVERHEAD_TICKS + 1)],
    ),
    "an interrupt begins long after": (
        Law.MOST_URGENT,
        [ready(20, 1), switch(21, 0, 1), ready(22, 2), irq(40, begins=True)],
    ),
    "granted while it is owned": (Law.ONE_OWNER, [granted(20, 1)]),
    "unlocked by another": (Law.ONE_OWNER, [unlocked(20, 1)]),
    "unlocked twice": (Law.ONE_OWNER, [unlocked(20, 2), unlocked(21, 2)]),
    "refused in the name of another": (Law.ONE_OWNER, [denied(20, 1)]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_law_is_found_and_no_other(name: str) -> None:
    law, rows = CASES[name]
    judgements = judge([*BEGIN, *rows])
    assert {one for one in Law if judgements[one].verdict is BROKEN} == {law}
    violation = judgements[law].violations[0]
    assert (violation.epoch, violation.cpu) == (0, 0)
    assert violation.time_ticks == rows[-1].time
    assert violation.what


TWO_CPUS = (*BEGIN, create(13, 0, cpu=1), ready(20, 1), switch(21, 0, 1))


def runs_on(time: int, tid: int, cpus: int) -> Row:
    return Row(time, (9, 14), (tid, cpus))


COOPERATIVE = {  # thread 1 runs, and thread 2 of priority 9 becomes ready
    "a call returns": ([exits(23)], HOLDS, UNKNOWN, BROKEN),
    "an application event": ([Row(23)], HOLDS, UNKNOWN, BROKEN),
    "a call begins long after": ([enters(99)], HOLDS, UNKNOWN, BROKEN),
    "the kernel chooses it again": ([switch(23, 1, 0), switch(24, 0, 1)], BROKEN, BROKEN, BROKEN),
}


@pytest.mark.parametrize("name", COOPERATIVE)
def test_what_a_kernel_may_do_that_does_not_preempt_all(name: str) -> None:
    """Verdicts if the lowest priority that is not preempted is 5 (thread 1's), 6, or none."""
    rows, *verdicts = COOPERATIVE[name]
    found = []
    for least in (5, 6, None):
        laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS, cooperative={0: least}.get)
        laws.feed(columns([*BEGIN, ready(20, 1), switch(21, 0, 1), ready(22, 2), *rows]))
        found.append(laws.judgements[Law.MOST_URGENT].verdict)
    assert found == verdicts


def test_a_thread_that_was_interrupted_may_go_on_before_a_more_urgent_one() -> None:
    """Zephyr resumes the cooperative thread that a MetaIRQ thread has interrupted."""
    rows = [ready(20, 1), switch(21, 0, 1), ready(22, 2), create(22, 3), priority(22, 3, 20)]
    rows += [ready(22, 3), switch(23, 1, 3), sleeps(24, 3), switch(25, 3, 1)]
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS, cooperative={0: 5}.get)
    laws.feed(columns([*BEGIN, *rows]))
    assert laws.judgements[Law.MOST_URGENT].verdict is UNKNOWN


def test_another_cpu_has_a_while_to_take_what_became_ready_here() -> None:
    rows = [*TWO_CPUS, ready(22, 2)]
    soon = Row(22 + OVERHEAD_TICKS, (2, 90 + 128), cpu=1)
    late = Row(23 + OVERHEAD_TICKS, (2, 90 + 128), cpu=1)
    assert judge([*rows, soon])[Law.MOST_URGENT].verdict is HOLDS
    broken = judge([*rows, late])[Law.MOST_URGENT].violations
    assert [(one.cpu, one.what) for one in broken] == [
        (1, "thread 0 runs while thread 2, more urgent, is ready")
    ]


def test_another_cpu_has_a_while_to_leave_what_became_less_urgent_here() -> None:
    """Thread 2 is ready but less urgent than thread 1, until CPU 0 lowers thread 1's priority."""
    moved = (sleeps(22, 1), switch(23, 1, 0), ready(24, 1), switch(25, 0, 1, cpu=1))
    lowered = 100 + OVERHEAD_TICKS
    rows = [*TWO_CPUS, *moved, priority(26, 1, 12), ready(27, 2), priority(lowered, 1, 5)]
    soon = Row(lowered + OVERHEAD_TICKS, (2, 90 + 128), cpu=1)
    late = Row(lowered + OVERHEAD_TICKS + 1, (2, 90 + 128), cpu=1)
    assert judge([*rows, soon])[Law.MOST_URGENT].verdict is HOLDS
    assert judge([*rows, late])[Law.MOST_URGENT].verdict is BROKEN


def test_a_cpu_that_chooses_takes_the_most_urgent_at_once() -> None:
    rows = [*TWO_CPUS, ready(22, 2), switch(23, 1, 0)]
    assert judge(rows)[Law.MOST_URGENT].verdict is BROKEN


def test_what_another_cpu_lost_may_explain_a_fault() -> None:
    """Thread 1 seems to run on two CPUs; CPU 0 may have lost the switch from thread 1."""
    rows = [*TWO_CPUS, ready(22, 1), switch(23, 0, 1, cpu=1), Row(30, (2, 90))]
    assert judge(rows)[Law.ONE_CPU].verdict is BROKEN
    assert judge(rows, [gap(len(rows) - 1, cpu=0)])[Law.ONE_CPU].verdict is UNKNOWN
    judgements = judge(rows, [gap(len(rows) - 1, cpu=1)])
    assert judgements[Law.ONE_CPU].verdict is BROKEN, "its own loss came later"
    assert len(judgements[Law.ONE_CPU].violations) == 1


def test_a_cpu_whose_end_is_missing_may_explain_a_fault() -> None:
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS)
    laws.feed(columns([*TWO_CPUS, ready(22, 1), switch(23, 0, 1, cpu=1)], ()))
    assert laws.judgements[Law.ONE_CPU].verdict is BROKEN
    laws.lose_rest()
    assert laws.judgements[Law.ONE_CPU].verdict is UNKNOWN


def test_a_thread_does_not_run_where_it_may_not() -> None:
    late = Row(23 + OVERHEAD_TICKS, (2, 90 + 128), cpu=1)
    rows = [*TWO_CPUS, runs_on(21, 2, 0b01), ready(22, 2), late]
    assert judge(rows)[Law.MOST_URGENT].verdict is HOLDS
    rows[-3:-3] = [runs_on(20, 2, 0b01), runs_on(21, 2, 0b11)]
    del rows[-3]
    assert judge(rows)[Law.MOST_URGENT].verdict is BROKEN


def test_with_an_unknown_clock_the_overhead_of_the_kernel_is_unknown() -> None:
    """With an overhead of 0 these threads would be late."""
    late = [*TWO_CPUS, ready(22, 2), Row(24, (2, 90 + 128), cpu=1)]
    call = [*BEGIN, ready(20, 2), enters(22)]
    for rows in (late, call):
        verdicts = []
        for overhead_ticks in (0, None):
            laws = KernelLaws(overhead_ticks=overhead_ticks)
            laws.feed(columns(rows))
            verdicts.append(laws.judgements[Law.MOST_URGENT].verdict)
        assert verdicts == [BROKEN, UNKNOWN]


def test_one_thread_on_two_cpus() -> None:
    rows = [*BEGIN, create(13, 0, cpu=1), ready(20, 1), switch(21, 0, 1), switch(22, 0, 1, cpu=1)]
    judgements = judge(rows)
    assert judgements[Law.ONE_CPU].violations[0].what == "thread 1 runs on two CPUs"


LAWFUL = {
    "within the overhead a call may begin": [
        ready(20, 1),
        switch(21, 0, 1),
        ready(22, 2),
        enters(22 + OVERHEAD_TICKS),
    ],
    "interrupts do not count as the kernel's time": [
        ready(20, 1),
        switch(21, 0, 1),
        irq(22, begins=True),
        ready(23, 2),
        Row(80),
        irq(99, begins=False),
        enters(100),
    ],
    "nested interrupts": [
        ready(20, 1),
        switch(21, 0, 1),
        irq(22, begins=True),
        irq(23, begins=True),
        ready(24, 2),
        irq(25, begins=False),
        Row(80),
        irq(99, begins=False),
        switch(100, 1, 2),
    ],
    "preempted threads are ready": [
        ready(20, 1),
        switch(21, 0, 1),
        ready(22, 2),
        switch(23, 1, 2),
        sleeps(24, 2),
        switch(25, 2, 1),
    ],
    "equals may wait": [ready(20, 1), priority(21, 1, 9), ready(22, 2), switch(23, 0, 1)],
    "blocked and woken before another could run": [
        ready(20, 2),
        switch(21, 0, 2),
        sleeps(22, 2),
        ready(23, 2),
        switch(24, 2, 2),
    ],
    "a number that is used again": [Row(20, (4, 25), (0, 1)), create(21, 1), ready(22, 1)],
}


@pytest.mark.parametrize("name", LAWFUL)
def test_what_a_kernel_may_do(name: str) -> None:
    judgements = judge([*BEGIN, *LAWFUL[name]])
    assert [one.broken for one in judgements.values()] == [0, 0, 0, 0]
    assert [one.unknown for one in judgements.values()] == [0, 0, 0, 0]


def test_a_mutex_that_is_initialised_anew_has_no_owner() -> None:
    """After Zephyr's k_mutex_init() of an owned mutex, the mutex may be granted again."""
    begun, ended = Row(20, (2, 79), (MUTEX, 0)), Row(20, (2, 79 + 128), (0, 0))
    assert judge([*BEGIN, granted(21, 1)])[Law.ONE_OWNER].verdict is BROKEN
    assert judge([*BEGIN, begun, ended, granted(21, 1)])[Law.ONE_OWNER].broken == 0
    another = Row(20, (2, 79), (MUTEX + 4, 0))
    assert judge([*BEGIN, another, ended, granted(21, 1)])[Law.ONE_OWNER].verdict is BROKEN


def test_a_mutex_whose_deletion_is_refused_keeps_its_owner() -> None:
    """A kernel refuses to delete an owned mutex (EBUSY)."""
    begun, refused = Row(20, (2, 79), (MUTEX, 0)), Row(20, (2, 79 + 128), (16, 0))
    assert judge([*BEGIN, begun, refused, granted(21, 1)])[Law.ONE_OWNER].verdict is BROKEN
    assert judge([*BEGIN, begun, granted(21, 1)])[Law.ONE_OWNER].verdict is BROKEN


def test_only_the_first_violations_are_shown() -> None:
    judgements = judge([*BEGIN, *(granted(20 + i, 1) for i in range(50))])
    assert judgements[Law.ONE_OWNER].broken == 50
    assert len(judgements[Law.ONE_OWNER].violations) == 20


@pytest.mark.parametrize("name", CASES)
def test_over_a_loss_nothing_is_accused_and_nothing_is_vouched_for(name: str) -> None:
    """Records before the last one of a case are lost, so the last record proves no violation."""
    _, rows = CASES[name]
    before = [*BEGIN, *rows[:-1]]
    judgements = judge([*before, rows[-1]], [gap(len(before))])
    assert [one.broken for one in judgements.values()] == [0, 0, 0, 0]
    assert {one.verdict for one in judgements.values()} == {UNKNOWN}


def test_a_loss_at_the_end_makes_everything_unknown() -> None:
    judgements = judge(BEGIN, [gap(len(BEGIN))])
    assert {one.verdict for one in judgements.values()} == {UNKNOWN}


def test_after_a_loss_events_tell_again() -> None:
    """Laws can be violated again once the state is known again."""
    rows = [
        *BEGIN,
        *(switch(20, 2, 0), create(21, 3), priority(21, 3, 7), ready(22, 3), switch(23, 0, 3)),
        *(granted(24, 3), granted(25, 4), exits(26)),
    ]
    judgements = judge(rows, [gap(len(BEGIN))])
    assert judgements[Law.ONE_OWNER].broken == 1
    assert judgements[Law.MOST_URGENT].held > 0
    assert judgements[Law.MOST_URGENT].verdict is UNKNOWN


def test_between_stop_and_start_nothing_is_judged() -> None:
    """A stopping stream deselects event types one by one: it may record switches but no READY."""
    stop, start = Row(22, (14, 1)), Row(40, (14, 0))
    rows = [*BEGIN, sleeps(20, 2), switch(21, 2, 0)]
    woken = switch(23, 0, 2)
    assert judge([*rows, woken])[Law.READY_FIRST].verdict is BROKEN
    stopped = judge([*rows, stop, woken])[Law.READY_FIRST]
    assert stopped == judge(rows)[Law.READY_FIRST]
    of_another_stream = Row(22, (14, 1), (1, 0))
    assert judge([*rows, of_another_stream, woken])[Law.READY_FIRST].verdict is BROKEN
    again = [ready(41, 2), switch(42, 0, 2), sleeps(43, 2), switch(44, 2, 0)]
    begun = judge([*rows, stop, woken, start, *again])[Law.READY_FIRST]
    assert begun.broken == 0
    assert judge([*rows, stop, start, *again, switch(45, 0, 2)])[Law.READY_FIRST].broken == 1


def test_a_trace_that_begins_late_is_not_accused() -> None:
    late = columns([switch(20, 1, 2), unlocked(21, 2), exits(22)])
    late.ordinal[:] += 100
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS)
    laws.feed(late)
    assert {one.verdict for one in laws.judgements.values()} == {UNKNOWN}
    assert all(one.broken == 0 for one in laws.judgements.values())


def test_a_new_boot_begins_anew() -> None:
    laws = KernelLaws(overhead_ticks=OVERHEAD_TICKS)
    laws.feed(columns(BEGIN))
    laws.feed(columns(BEGIN, epoch=1))
    assert {one.verdict for one in laws.judgements.values()} == {HOLDS}

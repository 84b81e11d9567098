"""A job is an ACTIVATION with its COMPLETION, whatever the tape has of its thread before."""

from __future__ import annotations

import pytest

from tests.answers.lives import Lives
from tests.support.columns import Row, born, columns, create, gap, state, switch
from tickertape.answers.instance import Ended

ACTIVATION, COMPLETION, LATE, STOP = (9, 6), (9, 7), (9, 8), (14, 1)
COMMAND, PRIORITY, DEAD = (14, 10), (9, 5), (4, 0)
DEL_CLASS, ADD_CLASS = 10, 9
READY, RUNNING, NANOSLEEP, SEM = 2, 1, 12, 17

Job = tuple[int, int, Ended]


def job(begin: int, number: int, ticks: int = 100, delay: int = 0) -> list[Row]:
    """Return a job of thread 1, which becomes ready `delay` after its activation."""
    ready, end = begin + delay, begin + ticks
    return [
        Row(begin, ACTIVATION, (1, number)),
        *(state(ready, READY, 1), switch(ready, 0, 1)),
        *(Row(end, COMPLETION, (1, number)), state(end, NANOSLEEP, 1), switch(end, 1, 0)),
    ]


def jobs_of(rows: list[Row], *gaps: int) -> list[Job]:
    """Return the known activation, the running time and the end of each instance of thread 1."""
    lives = Lives(columns([*rows, Row(rows[-1].time + 500)], [gap(row) for row in gaps]))
    tasks = {one.index for one in lives.entities if one.name in {"a", "thread 1"}}
    found = [one for one in lives.instances if one.entity in tasks and one.activation is not None]
    return [(one.activation or 0, one.running, one.ended) for one in found]


def done(*begins: int, ticks: int = 100) -> list[Job]:
    return [(begin, ticks, Ended.DONE) for begin in begins]


def test_a_thread_makes_itself_periodic() -> None:
    first = [*born(0, 1, "a"), switch(700, 0, 1), Row(710, ACTIVATION, (1, 1))]
    end = [Row(810, COMPLETION, (1, 1)), state(810, NANOSLEEP, 1), switch(810, 1, 0)]
    rows = [*first, *end, *job(1710, 2), *job(2710, 3)]
    assert jobs_of(rows) == done(710, 1710, 2710)


def test_another_thread_makes_it_periodic_while_it_waits() -> None:
    first = [*born(0, 1, "a"), switch(10, 0, 1), state(20, NANOSLEEP, 1), switch(20, 1, 0)]
    assert jobs_of([*first, *job(900, 1), *job(1900, 2)]) == done(900, 1900)


@pytest.mark.parametrize("shown", [[], [NANOSLEEP], [READY]], ids=["nothing", "sleep", "ready"])
def test_the_first_job_does_not_depend_on_the_state_dump(shown: list[int]) -> None:
    dump = [create(0, 1), Row(0, PRIORITY, (1, 5)), *(state(0, one, 1) for one in shown)]
    ran = [switch(1, 0, 1), state(2, NANOSLEEP, 1), switch(3, 1, 0)]
    idle = ran if shown == [READY] else [switch(1, 0, 0)]
    assert jobs_of([*dump, *idle, *job(1000, 1, 900), *job(2000, 2, 900)]) == done(
        1000, 2000, ticks=900
    )


def test_a_job_after_a_gap_begins_at_its_activation() -> None:
    begin = [*born(0, 1, "a"), switch(1, 0, 1), state(2, NANOSLEEP, 1), switch(3, 1, 0)]
    rows = [*begin, *job(100, 1), *job(1000, 5, 340, delay=50), *job(2000, 6)]
    assert jobs_of(rows, len(begin) + 6) == [
        (100, 100, Ended.DONE),
        (1000, 290, Ended.DONE),
        (2000, 100, Ended.DONE),
    ]


@pytest.mark.parametrize(("on", "first"), [(5050, 6), (5500, 7)])
def test_numbers_resynchronise_after_a_class_was_off(on: int, first: int) -> None:
    """Class SCHED is off until within job 5, whose completion is seen, or until the pause after it.

    Then job 6 shows that no earlier one is open, and its own activation stays in doubt.
    """
    rows = [*born(0, 1, "a"), switch(1, 0, 1), state(2, NANOSLEEP, 1), switch(3, 1, 0)]
    rows += [row for number in range(1, 9) for row in job(1000 * number, number)]
    rows = [row for row in rows if row.kind[0] != 9 or not 2500 <= row.time <= on]
    rows += [Row(2500, COMMAND, (DEL_CLASS, 0)), Row(on, COMMAND, (ADD_CLASS, 0))]
    rows.sort(key=lambda row: row.time)
    later = [1000 * number for number in range(first, 9)]
    assert jobs_of(rows) == done(1000, 2000, *later)


def test_a_thread_that_is_not_periodic_any_more_has_no_job() -> None:
    begin = [*born(0, 1, "a"), switch(1, 0, 1), state(2, NANOSLEEP, 1), switch(3, 1, 0)]
    between = [state(500, READY, 1), switch(500, 0, 1), state(700, NANOSLEEP, 1), switch(700, 1, 0)]
    again = [*job(1000, 1), *job(1100, 2)]
    assert jobs_of([*begin, *job(100, 1), *between, *again]) == done(100, 1000, 1100)


def test_a_new_count_of_activations_ends_the_job_under_way() -> None:
    begin = [*born(0, 1, "a"), *job(100, 1), Row(300, ACTIVATION, (1, 2)), state(300, READY, 1)]
    again = [switch(300, 0, 1), Row(350, ACTIVATION, (1, 1)), Row(400, COMPLETION, (1, 1))]
    rows = [*begin, *again, state(400, NANOSLEEP, 1), switch(400, 1, 0), *job(1000, 2)]
    assert jobs_of(rows)[1:] == [
        (300, 50, Ended.UNDONE),
        (350, 50, Ended.DONE),
        (1000, 100, Ended.DONE),
    ]


def test_the_jobs_of_a_thread_that_ends_are_not_completed() -> None:
    begin = [*born(0, 1, "a"), Row(0, ACTIVATION, (1, 1)), switch(0, 0, 1)]
    late = [Row(100, ACTIVATION, (1, 2)), Row(100, LATE, (1, 1))]
    rows = [*begin, *late, Row(150, DEAD, (0, 1)), switch(150, 1, 0)]
    assert sorted(jobs_of(rows)) == [(0, 150, Ended.UNDONE), (100, 0, Ended.UNDONE)]


def test_several_jobs_wait_for_the_first_one() -> None:
    begin = [*born(0, 1, "a"), Row(0, ACTIVATION, (1, 1)), switch(0, 0, 1)]
    late = [Row(100 * one, ACTIVATION, (1, one + 1)) for one in (1, 2, 3)]
    ends = [Row(400 + 10 * one, COMPLETION, (1, one + 1)) for one in range(4)]
    rows = [*begin, *late, *ends, state(430, NANOSLEEP, 1), switch(430, 1, 0)]
    assert jobs_of(rows) == [
        (0, 400, Ended.DONE),
        *((100 * one, 10, Ended.DONE) for one in (1, 2, 3)),
    ]


def test_numbers_wrap() -> None:
    last = (1 << 32) - 1
    begin = [*born(0, 1, "a"), *job(100, last - 1), *job(300, last), *job(500, 0), *job(700, 1)]
    assert jobs_of(begin) == done(100, 300, 500, 700)

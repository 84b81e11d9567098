"""Limits of figures over unknown time, in small cases with a known truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.columns import USER, Row, born, columns, state, switch
from tests.support.figures import stats_of
from tests.support.row_tapes import row_tape
from tickertape.answers.check import Outcome, check
from tickertape.answers.limits import OBJECTS, STATES, Spread, blind
from tickertape.answers.observed import Observed, Reason, Unknown
from tickertape.answers.sample import Figure
from tickertape.answers.spec import parse
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import Command
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.answers.statistics import BootStats, ProcessStats

SEM, READY = 17, 2
INTERRUPT, END = (3, 1), (3, 2)
COMMAND = (14, 10)
ACTIVATION, COMPLETION = (9, 6), (9, 7)


def task(found: BootStats, name: str) -> ProcessStats:
    (one,) = [one for one in found.processes if one.name == name]
    return one


def woken(at: int) -> list[Row]:
    return [Row(at, INTERRUPT, (40, 0)), state(at, READY, 1), Row(at, END, (40, 0))]


def ready_over_a_gap() -> list[Row]:
    """B runs from 10 000 to 40 000; A is woken at 11 000 and runs at 40 001, for 29 001 ticks."""
    rows = [*born(0, 1, "A"), *born(0, 2, "B"), switch(1, 0, 1), state(2, SEM, 1), switch(3, 1, 0)]
    rows += [switch(10_000, 0, 2), *woken(11_000), Row(30_000)]
    rows += [state(40_000, SEM, 2), switch(40_001, 2, 1), state(40_006, SEM, 1)]
    rows += [switch(40_007, 1, 0), Row(41_000)]
    for at in range(50_000, 100_000, 10_000):
        rows += [*woken(at), switch(at + 100, 0, 1), state(at + 105, SEM, 1)]
        rows += [switch(at + 106, 1, 0)]
    return [*rows, Row(120_000)]


def test_a_ready_time_that_a_gap_cuts_is_within_its_limit(tmp_path: Path) -> None:
    rows = ready_over_a_gap()
    whole = task(stats_of(row_tape(tmp_path / "whole.tape", rows)), "A").latency
    assert whole.maximum == (29_001, 29_001, 29_001)
    lost = {number for number, row in enumerate(rows) if 30_000 < row.time < 50_000}
    path = row_tape(tmp_path / "T.tape", rows, is_lost=lost.__contains__, buffer_records=1)
    found = task(stats_of(path), "A").latency
    assert found.maximum.low <= 29_001 <= (found.maximum.high or 0) < 60_000


def test_known_preemptions_of_an_unfinished_task_count(tmp_path: Path) -> None:
    rows = [*born(0, 1, "A"), *born(0, 2, "B"), switch(1, 0, 1)]
    for at in (10, 30):
        rows += [Row(at, INTERRUPT, (40, 0)), Row(at + 5, END, (40, 0))]
    rows += [switch(50, 1, 2), switch(60, 2, 1), Row(70)]
    one = task(stats_of(row_tape(tmp_path / "T.tape", rows)), "A")
    assert one.preemptions == (1, 1, 1)
    assert one.interruptions == (2, 2, 2)


@pytest.mark.parametrize("cpus", [1, 2])
def test_time_before_the_first_switch_is_of_the_first_thread(tmp_path: Path, cpus: int) -> None:
    rows = [*born(0, 1, "A"), *born(0, 2, "B"), Row(0, cpu=cpus - 1)]
    rows += [switch(1000, 2, 1, cpu=cpus - 1), Row(2000)]
    if cpus == 2:
        rows.insert(-1, switch(1500, 0, 0))
    found = stats_of(row_tape(tmp_path / "T.tape", rows, cpus=cpus))
    assert task(found, "A").ticks == (1000, 1000, 1000)
    assert task(found, "B").ticks == Figure(0, 0, 1000)


def interrupts_off() -> list[Row]:
    """T runs 75 000 of 100 000 ticks; while INT is off, an interrupt has 50 000 of them."""
    rows = [*born(0, 1, "T"), Row(10, INTERRUPT, (40, 0)), Row(20, END, (40, 0))]
    rows += [Row(100, ACTIVATION, (1, 1)), switch(100, 0, 1)]
    rows += [Row(5000, COMMAND, (Command.DEL_CLASS, 0)), Row(5100)]
    rows += [state(5200, READY, 9), Row(5300, ACTIVATION, (9, 1)), switch(5400, 0, 1)]
    rows += [Row(70_000, INTERRUPT, (40, 0)), Row(70_010, END, (40, 0))]
    return [*rows, Row(75_000, COMPLETION, (1, 1)), switch(75_001, 1, 0), Row(100_000)]


def test_an_execution_may_contain_interrupts_that_were_not_recorded(tmp_path: Path) -> None:
    path = row_tape(tmp_path / "T.tape", interrupts_off())
    one = task(stats_of(path), "T")
    assert one.ticks.low <= 25_000 < (one.ticks.value or 0)
    assert one.execution.maximum.low <= 25_000
    with TapeReader(path) as reader:
        outcomes = [
            verdict.outcome
            for verdict in check(
                reader,
                parse(
                    b"requirements: [{execution: T, max: 1500 us}, {execution: T, max: 100 us},"
                    b" {load: T, max: 40 %}, {load: T, max: 4 %}, {load: T, max: 90 %}]",
                    "s",
                ),
            )
        ]
    # T had the CPU for 3 ms; interrupts may have had 2.6 ms of them.
    unknown, fail = Outcome.UNKNOWN, Outcome.FAIL
    assert outcomes == [unknown, fail, unknown, fail, Outcome.PASS]


def test_ticks_of_a_class_that_was_off_count_once() -> None:
    rows = [Row(0), Row(10, COMMAND, (Command.DEL_CLASS, 0)), Row(20, INTERRUPT, (40, 0))]
    rows += [Row(30, COMMAND, (Command.DEL_CLASS, 0)), Row(60)]
    found = Observed()
    found.feed(columns(rows))
    begin, end = np.array([0, 12, 15, 25, 35, 0]), np.array([10, 14, 25, 30, 50, 60])
    assert found.deselected(EventClass.INT, begin, end).tolist() == [0, 2, 5, 0, 15, 40]
    assert found.deselected(EventClass.SYNC, begin, end)[5] == 50


def test_a_class_that_is_off_hides_any_number() -> None:
    off = Unknown(10, 20, Reason.DESELECTED, None, EventClass.THREAD)
    assert blind([off], STATES).counted(5) == Figure(5, 0, None)
    assert blind([off], STATES).counted(5, is_certain=True) == Figure(5, 5, None)
    assert blind([off], [EventClass.USER]).counted(5) == Figure(5, 5, 5)


def test_a_gap_hides_as_many_as_its_receipt_counts() -> None:
    lost = Unknown(10, 20, Reason.LOST, 0, None, 3)
    assert blind([lost], OBJECTS).counted(5, each=2) == Figure(5, 5, 10)
    assert blind([lost, lost._replace(records=None)], OBJECTS).counted(5).high is None
    silent = Unknown(0, 20, Reason.BEGIN, 1, None, 0)
    assert blind([silent], OBJECTS).nothing


def test_an_unseen_distance_lies_between_two_events_that_were_seen() -> None:
    assert Spread().limit(10, 50) == 40
    assert Spread(20, 45, 7).limit(10, 50) == 10
    assert Spread(11, 49, 7).limit(10, 50) == 7


def test_a_distance_of_events_over_a_gap_has_limits(tmp_path: Path) -> None:
    times = [0, 10, 20, 30, 40, 50, 60, 70, 75, 90]
    rows = [Row(at, USER, (at, 0)) for at in times]
    lost = {4, 5}
    path = row_tape(tmp_path / "T.tape", rows, is_lost=lost.__contains__, buffer_records=1)
    (event,) = stats_of(path).events
    assert event.count == Figure(8, 8, 10)
    assert event.distance.count == Figure(6, 6, 9)
    assert event.distance.maximum.high == 30  # from 30 to 60
    assert event.distance.minimum.low == 0

"""Limits of figures over unknown time, in small cases with a known truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.columns import USER, Row, born, state, switch
from tests.support.figures import stats_of
from tests.support.row_tapes import row_tape
from tickertape.answers.limits import OBJECTS, STATES, Spread, blind
from tickertape.answers.observed import Reason, Unknown
from tickertape.answers.sample import Figure
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.answers.statistics import BootStats, ProcessStats

SEM, READY = 17, 2
INTERRUPT, END = (3, 1), (3, 2)


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


def test_what_is_known_of_a_task_that_never_ends_counts(tmp_path: Path) -> None:
    rows = [*born(0, 1, "A"), *born(0, 2, "B"), switch(1, 0, 1)]
    for at in (10, 30):
        rows += [Row(at, INTERRUPT, (40, 0)), Row(at + 5, END, (40, 0))]
    rows += [switch(50, 1, 2), switch(60, 2, 1), Row(70)]
    one = task(stats_of(row_tape(tmp_path / "T.tape", rows)), "A")
    assert one.preemptions == (1, 1, 1)
    assert one.interruptions == (2, 2, 2)


@pytest.mark.parametrize("cpus", [1, 2])
def test_the_time_before_the_first_switch_is_of_nobody_else(tmp_path: Path, cpus: int) -> None:
    rows = [*born(0, 1, "A"), *born(0, 2, "B"), Row(0, cpu=cpus - 1)]
    rows += [switch(1000, 2, 1, cpu=cpus - 1), Row(2000)]
    if cpus == 2:
        rows.insert(-1, switch(1500, 0, 0))
    found = stats_of(row_tape(tmp_path / "T.tape", rows, cpus=cpus))
    assert task(found, "A").ticks == (1000, 1000, 1000)
    assert task(found, "B").ticks == Figure(0, 0, 1000)


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

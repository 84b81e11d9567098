"""Intervals in which events are known, by class and CPU: each reason computed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import Row, columns, gap, switch
from tickertape.answers.observed import Observed, Reason, Unknown, length_of
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import Command

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

ENTRY, EXIT = (3, 1), (3, 2)
START, STOP, FILTER, COMMAND = (14, 0), (14, 1), (14, 2), (14, 10)
SCHED, INT, USER = EventClass.SCHED, EventClass.INT, EventClass.USER


def observed(*parts: EventColumns) -> Observed:
    found = Observed()
    for part in parts:
        found.feed(part)
    return found


def test_a_gap_is_unknown_from_the_last_record_to_the_next_anchor() -> None:
    rows = [Row(10), Row(20), switch(30, 0, 1, cpu=1), Row(90)]
    lost = replace(gap(3, 7, since=20), end_ticks=80)
    found = observed(columns(rows, [lost]))
    assert Unknown(20, 80, Reason.LOST, 0, None, 7) in found.unknown()
    assert found.unknown_ticks(USER, cpu=0) == 60
    assert not found.is_known(USER, 70, 75, cpu=0)
    assert found.is_known(USER, 80, 90, cpu=0)


@pytest.mark.parametrize(("automatic", "reason"), [(0, Reason.STOPPED), (1, Reason.FULL)])
def test_nothing_is_known_between_stop_and_start(automatic: int, reason: Reason) -> None:
    rows = [Row(10), Row(20, STOP, (0, automatic)), Row(70, START, (0, 0)), Row(100)]
    found = observed(columns(rows))
    assert found.unknown() == [Unknown(20, 70, reason)]
    assert not found.is_known(USER, 15, 25)
    assert found.is_known(USER, 10, 20)
    assert found.is_known(USER, 70, 100)
    assert found.unknown_ticks(USER) == 50


def test_a_stop_without_a_start_lasts_to_the_last_record() -> None:
    found = observed(columns([Row(10), Row(20, STOP, (0, 0)), Row(60)]))
    assert found.unknown() == [Unknown(20, 60, Reason.STOPPED)]


def test_a_start_without_a_stop_makes_the_time_since_the_record_before_unknown() -> None:
    parts = columns([Row(10), Row(20)]), columns([Row(70, START, (0, 0)), Row(100)])
    assert observed(*parts).unknown() == [Unknown(20, 70, Reason.STARTED)]


def test_the_first_start_of_a_boot_ends_nothing() -> None:
    assert observed(columns([Row(10, START, (0, 0)), Row(20)])).unknown() == []


def test_a_stop_of_another_stream_stops_nothing() -> None:
    rows = [Row(10), Row(20, STOP, (1, 0)), Row(70, START, (1, 0)), Row(100)]
    assert observed(columns(rows)).unknown() == []


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (COMMAND, (Command.DEL_ALL, 0)),
        (COMMAND, (Command.DEL_CLASS, 0)),
        (COMMAND, (Command.DEL_EVENT, 0)),
        (COMMAND, (Command.THREAD_FILTER, 0)),
        (FILTER, (0, 0)),
    ],
)
def test_a_class_is_unknown_from_its_deselection_to_its_next_event(
    kind: tuple[int, int], data: tuple[int, int]
) -> None:
    rows = [
        *[switch(0, 0, 1), Row(5, ENTRY, (20, 0)), Row(6, EXIT, (20, 0)), Row(10)],
        *[Row(20, kind, data), switch(30, 1, 2), Row(70, ENTRY, (20, 0)), Row(90, EXIT, (20, 0))],
    ]
    for parts in ([columns(rows)], [columns(rows[:4]), columns(rows[4:5]), columns(rows[5:])]):
        found = observed(*parts)
        assert found.unknown_ticks(SCHED) == 10
        assert found.unknown_ticks(INT) == 50
        assert found.unknown_ticks(USER) == 70, "no event of this class follows"
        assert found.unknown_ticks(EventClass.SYNC) == 90, "the boot has none of this class"


def test_a_refused_command_deselects_nothing() -> None:
    rows = [switch(0, 0, 1), Row(20, COMMAND, (Command.DEL_ALL, 2)), Row(90)]
    assert observed(columns(rows)).unknown() == []


def test_a_cpu_is_unknown_before_its_first_record() -> None:
    found = observed(columns([Row(10), Row(40, cpu=1), Row(90)]))
    assert found.unknown() == [Unknown(10, 40, Reason.BEGIN, 1, None, 1)]
    assert found.is_known(USER, 10, 40, cpu=0)
    assert not found.is_known(USER, 10, 40)
    assert found.span == (10, 90)


def test_nothing_is_known_of_nothing() -> None:
    found = observed(columns([]))
    assert (found.unknown(), found.span, found.has(SCHED)) == ([], (0, 0), False)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted), max_size=8))
def test_the_length_of_a_union_counts_each_tick_once(spans: list[list[int]]) -> None:
    covered = {tick for begin, end in spans for tick in range(begin, end)}
    assert length_of((begin, end) for begin, end in spans) == len(covered)

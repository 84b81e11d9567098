"""After a gap: the instance of an activation, the message of a reply, the waiters of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.follow import Watched, of, said_of
from tests.support.columns import Row, born, columns, gap, state, switch
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import NOT_KNOWN, Action

if TYPE_CHECKING:
    from tests.model.follow import Said

READY, REPLY, NANOSLEEP, MUTEX, SEM = 2, 6, 12, 13, 17


def periodic(*rows: Row) -> list[Said]:
    """Return the transitions of a periodic task after one instance, a gap, and these rows."""
    begin = [
        *born(0, 1, "a"),
        *(Row(1, (9, 6), (1, 1)), switch(10, 0, 1), Row(20, (9, 7), (1, 1))),
        *(state(20, NANOSLEEP, 1), switch(21, 1, 0)),
    ]
    said = said_of([*begin, *rows], len(begin))
    return [one for one in said if one[0] == "a"][6:]


def test_who_gets_ready_by_an_activation_behind_a_gap_has_slept() -> None:
    rows = [Row(90, (9, 6), (1, 5)), state(90, READY, 1), switch(91, 0, 1)]
    assert periodic(*rows) == [
        ("a", 0, "TRIGGER", "UNKNOWN", "UNKNOWN"),
        ("a", 4, "ACTIVATE", "TERMINATED", "ACTIVE"),  # the gap contains jobs 2 to 4
        ("a", 4, "START", "ACTIVE", "RUNNING"),
    ]


def test_an_activation_behind_a_gap_may_come_while_the_last_one_is_under_way() -> None:
    rows = [
        *(Row(90, (9, 6), (1, 5)), Row(90, (9, 8), (1, 4)), switch(91, 0, 1)),
        *(Row(92, (9, 7), (1, 4)), Row(93, (9, 7), (1, 5))),
    ]
    assert periodic(*rows) == [
        ("a", 0, "TRIGGER", "UNKNOWN", "UNKNOWN"),
        ("a", 4, "ACTIVATE", "TERMINATED", "ACTIVE"),
        ("a", 3, "RESUME", "UNKNOWN", "RUNNING"),
        ("a", 3, "TERMINATE", "RUNNING", "TERMINATED"),
        ("a", 4, "START", "ACTIVE", "RUNNING"),
        ("a", 4, "TERMINATE", "RUNNING", "TERMINATED"),
    ]


def test_behind_a_completion_an_activation_that_was_not_seen_may_be_left() -> None:
    rows = [
        *(switch(90, 0, 1), Row(91, (9, 7), (1, 5))),
        # It is unknown whether the task runs or sleeps; these rows wake it from any state.
        *(state(92, SEM, 1), switch(93, 1, 0), state(94, READY, 1), switch(95, 0, 1)),
        *(Row(96, (9, 7), (1, 6)), state(96, NANOSLEEP, 1), switch(97, 1, 0)),
        *(Row(100, (9, 6), (1, 7)), state(100, READY, 1), switch(101, 0, 1)),
    ]
    assert periodic(*rows) == [
        ("a", 1, "RESUME", "UNKNOWN", "RUNNING"),
        ("a", 1, "TERMINATE", "RUNNING", "TERMINATED"),
        ("a", 0, "TRIGGER", "UNKNOWN", "UNKNOWN"),
        ("a", 6, "ACTIVATE", "TERMINATED", "ACTIVE"),
        ("a", 6, "START", "ACTIVE", "RUNNING"),
    ]


def test_a_core_that_idled_before_a_gap_is_free_again_only_by_a_switch() -> None:
    begin = [*born(0, 1, "a"), switch(10, 0, 1), state(20, NANOSLEEP, 1), switch(21, 1, 0)]
    rows = [Row(90, (9, 7), (1, 5)), state(90, NANOSLEEP, 1), switch(91, 1, 0)]
    watched = Watched()
    states = []
    watched.feed(columns(begin))
    for number, row in enumerate(rows):
        said = watched.feed(columns([row], [] if number else [gap(0)]))
        states += [(number, *one[2:]) for one in said if one[0] == "Core_0"]
    assert states == [
        (0, "LOSE", "FREE", "UNKNOWN"),
        (1, "FOUND", "UNKNOWN", "USED"),  # the completed task may have begun again
        (2, "IDLE", "USED", "FREE"),
    ]


def test_an_answer_behind_a_gap_is_of_no_message_of_before() -> None:
    rows = [
        *born(0, 1, "client"),
        *born(0, 2, "server"),
        *(switch(1, 0, 1), Row(2, (2, 11), (0x400, 4)), Row(3, (7, 0), (77, 0))),
        *(state(4, REPLY, 1), switch(5, 1, 2)),
        # The gap contains the reply to message 77, and the next message.
        Row(50, (7, 10), (1, 0)),
    ]
    model = SystemModel(lambda _epoch: Names({}))
    found = model.feed(columns(rows, [gap(len(rows) - 1)]))
    answers = found.action == Action.REPLY
    assert found.value[answers].tolist() == [NOT_KNOWN]
    assert [model.entities[one].name for one in found.entity[answers].tolist()] == ["channel 0x0"]


def test_whose_condition_comes_true_behind_a_gap_may_wait_for_any_mutex() -> None:
    lock = 0x400
    rows = [
        *born(0, 2, "b"),
        # In the gap, b waits for a condition, and wants the mutex back afterwards.
        *(*born(8, 1, "a"), switch(9, 0, 1), Row(10, (8, 0), (lock, 1)), state(11, MUTEX, 2)),
        *(Row(12, (8, 3), (lock, 1)), Row(12, (8, 0), (lock, 2)), state(12, READY, 2)),
    ]
    said = said_of(rows, len(born(0, 2, "b")))
    assert [one for one in said if one[0].startswith("mutex")] == [
        ("mutex 0x400", 0, "FOUND", "UNKNOWN", "FREE"),
        ("mutex 0x400", 0, "TAKE", "FREE", "FULL"),
        ("mutex 0x400", 0, "LOSE", "FULL", "UNKNOWN"),
        ("mutex 0x400", 0, "GIVE", "UNKNOWN", "UNKNOWN"),
        ("mutex 0x400", 0, "ASSIGN", "UNKNOWN", "UNKNOWN"),
    ]


def test_instances_that_are_refused_have_numbers() -> None:
    """Instances 0, 1 and 3 run; instances 2 and 4 are refused."""
    rows = [
        *born(0, 1, "a"),
        *(Row(1, (9, 6), (1, 1)), switch(2, 0, 1), Row(3, (9, 6), (1, 2))),
        *(Row(4, (9, 16), (1, 2)), Row(5, (9, 6), (1, 3)), Row(6, (9, 16), (1, 3))),
        *(Row(7, (9, 7), (1, 1)), Row(8, (9, 7), (1, 2)), Row(9, (9, 7), (1, 3))),
    ]
    said = [one for one in of(said_of(rows), "a") if one[1] != "TRIGGER"]
    assert said == [
        *((0, "ACTIVATE"), (0, "BEGIN_JOB"), (0, "START"), (1, "ACTIVATE"), (2, "EXCEED")),
        *((3, "ACTIVATE"), (4, "EXCEED"), (0, "TERMINATE"), (1, "START"), (1, "TERMINATE")),
        *((3, "START"), (3, "TERMINATE")),
    ]


def test_an_interrupt_is_active_from_its_request_on() -> None:
    rows = [Row(0, (3, 5), (16, 0)), Row(1, (3, 1), (16, 0)), Row(2, (3, 2), (16, 0))]
    said = [(one[2], one[3]) for one in said_of(rows) if one[0] == "irq0" and one[2] != "TRIGGER"]
    assert said == [
        *(("ACTIVATE", "TERMINATED"), ("START", "ACTIVE"), ("TERMINATE", "RUNNING")),
    ]

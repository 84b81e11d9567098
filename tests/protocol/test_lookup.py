"""Every event type is found by number and by name."""

from __future__ import annotations

import pytest

from tickertape.protocol import events
from tickertape.protocol.event_type import EventType, Field, event_code
from tickertape.protocol.lookup import class_name, event_label, event_type, find_event


@pytest.mark.parametrize("event", events.EVENTS.values(), ids=event_label)
def test_declared_event_is_found_both_ways(event: EventType) -> None:
    assert event_type(event.class_number, event.number) is event
    assert find_event(event.class_name, event.name) is event
    assert event.code == event_code(event.class_number, event.number)
    assert event.code >> 10 == event.class_number
    assert len(event.fields) <= 2
    assert event.doc


def test_names_are_unique() -> None:
    labels = [event_label(event) for event in events.EVENTS.values()]
    assert len(set(labels)) == len(labels)


def test_kernel_call_is_three_events() -> None:
    call = events.KercallCall.SYNC_MUTEX_LOCK
    made = [events.EVENTS[2, call + kind] for kind in events.KercallKind]
    assert [event.name for event in made] == [
        "SYNC_MUTEX_LOCK_ENTER",
        "SYNC_MUTEX_LOCK_EXIT",
        "SYNC_MUTEX_LOCK_INTERRUPTED",
    ]
    assert {event.base for event in made} == {"SYNC_MUTEX_LOCK"}
    assert [event.kind for event in made] == [kind.name for kind in events.KercallKind]
    assert made[0].fields[0] == Field("mutex", "object", "argument of the call")
    assert made[1].fields[0].type == "i32"


def test_user_events_are_one_each() -> None:
    made = [events.EVENTS[events.EventClass.USER, number] for number in range(32)]
    assert [event.name for event in made] == [f"USER_{number}" for number in range(32)]
    assert {event.base for event in made} == {"USER"}
    assert events.FAMILIES[events.EventClass.USER, "USER"] == range(32)
    assert events.EventClass.USER in events.OPEN_CLASSES


def test_thread_states_are_a_family() -> None:
    states = events.FAMILIES[events.EventClass.THREAD, "STATE"]
    assert events.ThreadEvent.MUTEX in states
    assert events.ThreadEvent.CREATE not in states


def test_text_event_says_so() -> None:
    event = events.EVENTS[events.EventClass.THREAD, events.ThreadEvent.NAME]
    assert event.payload == "string"


@pytest.mark.parametrize(
    ("number", "name"), [(0, "EMPTY"), (5, "SYSTEM"), (15, "TRC"), (16, "APP16"), (31, "APP31")]
)
def test_every_class_has_a_name(number: int, name: str) -> None:
    assert class_name(number) == name


def test_undeclared_event_can_be_shown() -> None:
    event = event_type(31, 1023)
    assert event_label(event) == "APP31.EVENT_1023"
    assert [field.name for field in event.fields] == ["data0", "data1"]
    assert event.since == 0
    assert find_event("APP31", "EVENT_1023") is None


def test_class_is_found_by_its_alias() -> None:
    assert find_event("CONTAINER", "SLOG") is find_event("SYSTEM", "SLOG") is not None


def test_tables_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        events.EVENTS[0, 0] = event_type(0, 0)  # type: ignore[index] # it has to be refused

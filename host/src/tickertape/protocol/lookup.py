"""Find event types by number or name, also undeclared ones."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import EventType, Field
from tickertape.protocol.events import (
    APPLICATION_CLASS_FIRST,
    APPLICATION_CLASS_LAST,
    EVENTS,
    EventClass,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS: Final = (Field("data0", "hex", "first word"), Field("data1", "hex", "second word"))


def class_name(number: int) -> str:
    """Return the name of a class: as declared; else `APP16` ... `APP31`, or e.g. `CLASS15`."""
    try:
        return EventClass(number).name
    except ValueError:
        own = APPLICATION_CLASS_FIRST <= number <= APPLICATION_CLASS_LAST
        return f"APP{number}" if own else f"CLASS{number}"


@cache
def event_type(class_number: int, number: int) -> EventType:
    """Return the event type with these numbers.

    For an undeclared number, return a type named `EVENT_<number>` with two plain words and `since`
    0, so that every record can be printed.
    """
    known = EVENTS.get((class_number, number))
    if known is not None:
        return known
    name = f"EVENT_{number}"
    return EventType(class_name(class_number), class_number, name, number, _WORDS, "", since=0)


@cache
def _by_name() -> Mapping[tuple[str, str], EventType]:
    return {(event.class_name, event.name): event for event in EVENTS.values()}


def find_event(class_: str, name: str) -> EventType | None:
    """Return the declared event type with these names (upper case); None if there is none."""
    if class_ in EventClass.__members__:
        class_ = EventClass[class_].name  # resolve an alias
    return _by_name().get((class_, name))


def event_label(event: EventType) -> str:
    """Return class and name of an event type, `KERCALL.SYNC_MUTEX_LOCK_ENTER`."""
    return f"{event.class_name}.{event.name}"

"""Events of a tape with data of the tape: time in nanoseconds, thread, names."""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Self

from tickertape.decode.events import Event
from tickertape.errors import UsageError
from tickertape.printing.values import names_in, typed_fields

if TYPE_CHECKING:
    from tickertape.printing.walk import Moment, Walk

_OF_RECORD: Final = tuple(one.name for one in fields(Event))
_record_of: Final = attrgetter(*_OF_RECORD)


class Value(int):
    """A field of an event: a number, and the name of the entity that it refers to.

    Attributes:
        name: name of the thread, interrupt, object or function; None for a plain number, and when
            the tape has no name.
    """

    name: str | None

    def __new__(cls, number: int, name: str | None = None) -> Self:
        """Make a number with a name."""
        made = super().__new__(cls, number)
        made.name = name
        return made

    def __repr__(self) -> str:
        """Return the number, with its name if there is one."""
        return super().__repr__() if self.name is None else f"{super().__repr__()}:{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class TapeEvent(Event):
    """An event that a tape or a selection yields; equal to an `Event` of the same records.

        for event in tape.select(classes="SYNC"):
            print(event.time_ns, event.task, event["mutex"].name)

    Attributes:
        time_ns: time since the target's clock began, rounded down.
        tid: number of the thread that had the CPU; None when unknown, for instance after a loss.
        task: name of that thread at that time, `thread 7` without one; None when unknown.
        values: fields of the event, by name.
    """

    time_ns: int
    tid: int | None
    task: str | None
    values: dict[str, Value]

    def __getitem__(self, field: str) -> Value:
        """Return a field of the event.

        Raises:
            UsageError: the event has no such field; the message names the nearest.
        """
        if field not in self.values:
            close = get_close_matches(str(field), self.values, 1) or list(self.values)
            advice = f"use {' or '.join(close)}" if close else "use words or payload"
            raise UsageError(f"{self.name} has no field {field!r}", advice)
        return self.values[field]

    def __contains__(self, field: object) -> bool:
        """Return whether the event has this field."""
        return field in self.values

    def __eq__(self, other: object) -> bool:
        """Compare the recorded data only."""
        if not isinstance(other, Event):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _OF_RECORD)

    __hash__ = Event.__hash__


def tape_event(moment: Moment, walk: Walk) -> TapeEvent:
    """Return the event of a moment with time, thread and names; `walk` is at this moment."""
    event = moment.event
    names = names_in(event, walk.names)
    values = {name: Value(word, names.get(name)) for name, word in typed_fields(event).items()}
    known = walk.time_ns(event.time_ticks), moment.tid, walk.task(moment.tid), values
    return TapeEvent(*(*_record_of(event), *known))

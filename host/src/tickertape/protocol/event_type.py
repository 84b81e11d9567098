"""The description of one event type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_EVENT_BITS = 10

CODE_COUNT: Final = 1 << 15
"""Event codes, class << 10 | event, are below this number."""


def event_code(class_number: int, number: int) -> int:
    """Class and event number as one number, class << 10 | event, as frames and filters use it."""
    return class_number << _EVENT_BITS | number


@dataclass(frozen=True, slots=True)
class Field:
    """One word of an event.

    `type` is u32, i32, hex, address, object, thread, irq or ticks: how the word is shown.
    """

    name: str
    type: str
    doc: str


@dataclass(frozen=True, slots=True)
class EventType:
    """An event type: numbers, words and prose.

    `name` is unique inside the class. `base` is the name without what was added to it: `USER` for
    `USER_5`, `SYNC_MUTEX_LOCK` for `SYNC_MUTEX_LOCK_EXIT`; else it equals `name`. `kind` is
    `ENTER`, `EXIT` or `INTERRUPTED` for kernel calls, else empty. `payload` is `string` when text
    follows the words, `values` when values do (docs/log.md), else empty. `wide_fields` are the
    words that follow the first two in the wide form, where there is one. `since` is the minor
    protocol version that brought the event.
    """

    class_name: str
    class_number: int
    name: str
    number: int
    fields: tuple[Field, ...]
    doc: str
    since: int
    payload: str = ""
    wide_fields: tuple[Field, ...] = ()
    base: str = ""
    kind: str = ""

    def __post_init__(self) -> None:
        """Let `base` default to the name."""
        if not self.base:
            object.__setattr__(self, "base", self.name)

    @property
    def code(self) -> int:
        """Class and event number as one number, class << 10 | event."""
        return event_code(self.class_number, self.number)

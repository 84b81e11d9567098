"""Description of an event type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_EVENT_BITS = 10

CODE_COUNT: Final = 1 << 15
"""Event codes, class << 10 | event, are below this number."""


def event_code(class_number: int, number: int) -> int:
    """Return class and event number as one code, class << 10 | event, as in frames and filters."""
    return class_number << _EVENT_BITS | number


@dataclass(frozen=True, slots=True)
class Field:
    """One word of an event.

    `type` determines how the word is printed: u32, i32, hex, address, object, thread, irq or ticks.
    """

    name: str
    type: str
    doc: str


@dataclass(frozen=True, slots=True)
class EventType:
    """An event type: numbers, words and prose.

    `name` is unique inside the class. `base` is the name without its suffix: `USER` for `USER_5`,
    `SYNC_MUTEX_LOCK` for `SYNC_MUTEX_LOCK_EXIT`; without a suffix it equals `name`. `kind` is
    `ENTER`, `EXIT` or `INTERRUPTED` for kernel calls, else empty. `payload` is `string` if text
    follows the words, `values` if values follow them (docs/log.md), else empty. `wide_fields` are
    the words after the first two in the wide form; empty without a wide form. `since` is the minor
    protocol version that added the event.
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
        """Set the default of `base`, which is `name`."""
        if not self.base:
            object.__setattr__(self, "base", self.name)

    @property
    def code(self) -> int:
        """Class and event number as one number, class << 10 | event."""
        return event_code(self.class_number, self.number)

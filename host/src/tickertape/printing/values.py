"""Converts an event to typed values, for formats that programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.model.codes import SIGNALS, kind_of
from tickertape.model.messages import is_message, message_of
from tickertape.model.names import Names
from tickertape.protocol.event_type import event_code

if TYPE_CHECKING:
    from tickertape.decode.events import Event

_SIGN_BIT: Final = 1 << 31
_WORD_VALUES: Final = 1 << 32
_UNUSED: Final = "unused"


def typed_fields(event: Event) -> dict[str, int]:
    """Return the words by name of the field; signed if the type of the field is.

    Without a declared layout, a payload has no fields.
    """
    return {
        known.name: word - _WORD_VALUES if known.type == "i32" and word & _SIGN_BIT else word
        for known, word in event.fields
        if known.name != _UNUSED
    }


_LOOKUPS: Final = {
    "thread": Names.thread,
    "irq": Names.interrupt,
    "object": Names.object,
    "address": Names.code,
}


def names_in(event: Event, names: Names) -> dict[str, str]:
    """Return the names of objects in the fields, and the value of a signal as text."""
    found = {}
    for known, word in event.fields:
        lookup = _LOOKUPS.get(kind_of(known))
        if lookup is not None and (name := lookup(names, word)) is not None:
            found[known.name] = name
    if event_code(event.cls, event.event) in SIGNALS and len(event.words) > 1:
        value = names.value(*event.words[:2])
        found |= {} if value is None else {"value": value}
    return found


def text_of(event: Event, names: Names) -> str | None:
    """Return the string of an event, or its formatted message; None without one."""
    return message_of(event, names).text if is_message(event) else event.text


def flags_of(event: Event) -> list[str]:
    """Return the names of the flags that are set: `truncated`, `host`."""
    return [name for name in ("truncated", "host") if getattr(event, name)]

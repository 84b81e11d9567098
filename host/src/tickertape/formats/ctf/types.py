"""Event types of a CTF trace: their IDs and fields.

An event has one of four forms. A simple event has two words. A combine event has two words and a
text, or words that the dictionary names, or opaque bytes. The ID has 24 bits, form << 16 |
class << 10 | event, so that it means the same in every trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EVENTS
from tickertape.protocol.lookup import event_label, event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.decode.records import U8

FORM_SHIFT: Final = 16
SIMPLE: Final = 0
TEXT: Final = 1
BYTES: Final = 2
WIDE: Final = 3
"""First form of events with words only: from here on, the form is the number of words."""

MOST_WORDS: Final = 255
CODES: Final = 1 << 15
_CODE_MASK: Final = CODES - 1
_WORDS: Final = 2
_HEXADECIMAL: Final = frozenset({"hex", "address", "object"})


@dataclass(frozen=True, slots=True)
class CtfField:
    """A field of an event.

    Attributes:
        name: name in the dictionary; `data0`, `data1`, … for a word without one.
        kind: `unsigned`, `signed`, `hexadecimal`: a word; `text`: zero-terminated; `bytes`: as many
            bytes as the preceding field `length` states.
    """

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class CtfEvent:
    """An event type in the metadata."""

    id: int
    name: str
    fields: tuple[CtfField, ...]


def ctf_events(ids: Iterable[int]) -> list[CtfEvent]:
    """Describe the event types with these IDs, in order of ID."""
    return [_described(id_) for id_ in sorted(ids)]


def _described(id_: int) -> CtfEvent:
    form, code = id_ >> FORM_SHIFT, id_ & _CODE_MASK
    what = event_type(code >> CLASS_SHIFT, code & EVENT_MASK)
    fields: tuple[CtfField, ...]
    if form == BYTES:
        fields = (CtfField("length", "unsigned"), CtfField("payload", "bytes"))
        return CtfEvent(id_, event_label(what), fields)
    named = what.fields[:_WORDS]
    words = [(field.name, field.type) for field in named]
    words += [(f"data{number}", "hex") for number in range(len(named), _WORDS)]
    if form >= WIDE:
        words += [(field.name, field.type) for field in what.wide_fields][: form - _WORDS]
        words += [(f"data{number}", "hex") for number in range(len(words), form)]
    fields = tuple(CtfField(name, _kind(type_)) for name, type_ in words)
    if form == TEXT:
        fields = (*fields, CtfField("text", "text"))
    return CtfEvent(id_, event_label(what), fields)


def _kind(type_: str) -> str:
    if type_ == "i32":
        return "signed"
    return "hexadecimal" if type_ in _HEXADECIMAL else "unsigned"


@cache
def form_by_code() -> U8:
    """Return the form of a combine event by its code, provided that its payload fits the form."""
    forms = np.full(CODES, BYTES, np.uint8)
    for what in EVENTS.values():
        code = event_code(what.class_number, what.number)
        if what.payload == "string" and len(what.fields) == _WORDS:
            forms[code] = TEXT
        elif what.wide_fields:
            forms[code] = WIDE
    return forms

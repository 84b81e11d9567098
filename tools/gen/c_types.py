"""host/library/event_types.c: the names of events for programs in C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen.c_text import banner, finish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.gen.dictionary import Dictionary, Event, EventClass, Field

PATH = "host/library/event_types.c"

_TEXT = "Names of classes, events and words, for tt_tape_type(): in ascending order of their code."


def render(dictionary: Dictionary) -> str:
    """Return the text of the file."""
    rows = sorted(
        (entry.number << 10 | event.number, _row(entry, event))
        for entry in dictionary.classes
        for event in entry.events
    )
    return finish(
        [
            *banner("protocol/events.yaml", _TEXT),
            '#include "event_types.h"',
            "",
            "// clang-format off: a row an event",
            "const event_type_t event_types[] = {",
            *(f"    {{0x{code:04x}u, {row}}}," for code, row in rows),
            "};",
            "// clang-format on",
            "",
            "const size_t event_type_count = sizeof event_types / sizeof event_types[0];",
        ]
    )


def _row(event_class: EventClass, event: Event) -> str:
    words = ", ".join(f'"{_names(fields)}"' for fields in (event.fields, event.wide))
    text = "true" if event.payload == "string" else "false"
    return f'{{"{event_class.name}", "{event.name}", {words}, {text}}}'


def _names(fields: Iterable[Field]) -> str:
    return " ".join(field.name for field in fields)

"""firmware/include/tickertape/emitters.h: one inline emitter per event, group and call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen.c_text import COLUMNS, banner, call, comment, finish, macro
from tools.gen.dictionary import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.gen.dictionary import Dictionary, Event, EventClass, Field, Group

PATH = "firmware/include/tickertape/emitters.h"

_TEXT = """
tickertape/emitters.h - one function per event: tt_emit_<class>_<event>().

Every emitter may be called from threads and interrupts of every priority and never blocks. An
event that no stream takes costs one load and one branch; one whose class is not built in has no
code (emit.h). docs/events.md describes the words.

Emitters of events that have a wide form are macros: the words after the first two are
evaluated only when they are recorded, so they may be expensive to compute.
"""


def render(dictionary: Dictionary) -> str:
    """Return the text of the header."""
    lines = banner("protocol/events.yaml", _TEXT)
    lines += ["#ifndef TICKERTAPE_EMITTERS_H", "#define TICKERTAPE_EMITTERS_H", ""]
    lines += ["#include <stdint.h>", "", '#include "tickertape/emit.h"']
    lines += ['#include "tickertape/events.h"']
    for event_class in dictionary.classes:
        for emitter in _emitters(event_class):
            lines += ["", *emitter]
    return finish([*lines, "", "#endif"])


def _emitters(event_class: EventClass) -> Iterator[list[str]]:
    hidden = event_class.counted
    for event in event_class.events:
        if event.name not in hidden and not event.kind:
            yield _single(event_class, event)
    for group in event_class.groups:
        yield _group(event_class, group)
    for kind in event_class.kinds:
        yield _kind(event_class, kind)


def _single(event_class: EventClass, event: Event) -> list[str]:
    number_macro = f"TT_{event_class.name}_{event.name}"
    route = f"TT_ROUTE_{event_class.name}_{event.name}"
    if event.wide:
        return [*comment(event.doc), *_wide(event_class, "", number_macro, route, event)]
    text = event.payload == "string"
    head = [*comment(event.doc), *_signature(event_class, event.name, "", event.fields, text=text)]
    return [*head, "{", *_emit(event_class, number_macro, route, event.fields, text=text), "}"]


def _group(event_class: EventClass, group: Group) -> list[str]:
    selector = group.selector
    range_text = f"{group.first}-{group.first + group.count - 1}"
    doc = f"{group.doc} `{selector}`: {range_text}; other numbers share one route."
    find = f"tt_{event_class.name.lower()}_{group.name.lower()}_route"
    if group.wide:
        number, route = f"{selector}_", f"{find}({selector}_)"
        return [*comment(doc), *_wide(event_class, selector, number, route, group)]
    route = f"{find}({selector})"
    return [
        *comment(doc),
        *_signature(event_class, group.name, selector, group.fields, text=False),
        "{",
        *_emit(event_class, selector, route, group.fields, text=False),
        "}",
    ]


def _kind(event_class: EventClass, kind: Kind) -> list[str]:
    name = event_class.name
    doc = f"Kernel call, {kind.suffix}: {kind.doc}"
    selector = "call_" if kind.wide else "call"
    event = f"({selector} % TT_{name}_CALL_LIMIT)"
    if kind.offset:
        event = f"{event} + TT_{name}_{kind.suffix}_OFFSET"
    route = f"tt_{name.lower()}_route(TT_ROUTE_{name}_FIRST_{kind.suffix}, {selector})"
    if kind.wide:
        return [*comment(doc), *_wide(event_class, "call", event, route, kind)]
    return [
        *comment(doc),
        *_signature(event_class, kind.suffix, "call", kind.fields, text=False),
        "{",
        *_emit(event_class, event, route, kind.fields, text=False),
        "}",
    ]


def _wide(
    event_class: EventClass, selector: str, event: str, route: str, shape: Event | Group | Kind
) -> list[str]:
    """Return the macro of an event with a wide form. It evaluates a selector once."""
    fields = [*shape.fields, *shape.wide]
    stem = shape.suffix if isinstance(shape, Kind) else shape.name
    names = [selector] * bool(selector) + [entry.name for entry in fields]
    # A space and a backslash end each line of a macro.
    columns = COLUMNS - 2
    head = f"#define tt_emit_{event_class.name.lower()}_{stem.lower()}"
    words = [*map(_word, shape.fields), *["0u"] * (2 - len(shape.fields)), *map(_word, shape.wide)]
    arguments = [f"TT_CLASS_{event_class.name}", event, route, *words]
    lines = call(head, names, "", columns=columns)
    if not selector:
        return macro([*lines, *call("TT_EMIT_WIDE", arguments, "", "    ", columns)])
    lines += ["    do {", f"        const uint32_t {selector}_ = ({selector});"]
    lines += call("TT_EMIT_WIDE", arguments, ";", "        ", columns)
    return macro([*lines, "    } while (0)"])


def _word(entry: Field) -> str:
    return f"(uint32_t)({entry.name})" if entry.c_type == "int32_t" else entry.name


def _signature(
    event_class: EventClass, name: str, selector: str, fields: Sequence[Field], *, text: bool
) -> list[str]:
    parameters = [f"uint32_t {selector}"] if selector else []
    parameters += [f"{entry.c_type} {entry.name}" for entry in fields]
    if text:
        parameters.append("const char *text")
    head = f"static inline void tt_emit_{event_class.name.lower()}_{name.lower()}"
    return call(head, parameters or ["void"], "")


def _emit(
    event_class: EventClass, event: str, route: str, fields: Sequence[Field], *, text: bool
) -> list[str]:
    words = [
        f"(uint32_t){entry.name}" if entry.c_type == "int32_t" else entry.name for entry in fields
    ]
    words += ["0u"] * (2 - len(words))
    macro = "TT_EMIT_STRING" if text else "TT_EMIT2"
    arguments = [f"TT_CLASS_{event_class.name}", event, route, *words]
    return call(macro, [*arguments, "text"] if text else arguments, ";", "    ")

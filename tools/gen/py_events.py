"""host/src/tickertape/protocol/events.py: every event type as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen.py_text import call, camel, finish, header, int_enum, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.gen.dictionary import Dictionary, Event, EventClass, Field

PATH = "host/src/tickertape/protocol/events.py"


def render(dictionary: Dictionary) -> str:
    """Make the whole module."""
    lines = header("protocol/events.yaml", "What a target can record: numbers and meanings.")
    lines += ["from enum import IntEnum", "from types import MappingProxyType"]
    lines += ["from typing import TYPE_CHECKING, Final", ""]
    lines += ["from tickertape.protocol.event_type import EventType, Field", ""]
    lines += ["if TYPE_CHECKING:", "    from collections.abc import Mapping", ""]
    lines += ["# Hash of what this list means; HELLO carries the target's."]
    lines += [f"DICTIONARY_HASH: Final = 0x{dictionary.hash():016X}", ""]
    lines += [f"APPLICATION_CLASS_FIRST: Final = {dictionary.application_first}"]
    lines += [f"APPLICATION_CLASS_LAST: Final = {dictionary.application_last}"]
    lines += ["", "", *_class_enum(dictionary)]
    for event_class in dictionary.classes:
        if event_class.events:
            lines += ["", "", *_event_enum(event_class)]
        if event_class.calls:
            lines += ["", "", *_kind_enum(event_class)]
    lines += ["", "", *_fields(dictionary), "", *_events(dictionary), "", *_groups(dictionary)]
    return finish(lines)


def _class_enum(dictionary: Dictionary) -> list[str]:
    values = [(entry.name, entry.number, entry.doc) for entry in dictionary.classes]
    lines = int_enum("EventClass", "The classes that have a meaning here.", values)
    for entry in dictionary.classes:
        lines += [f"    {alias} = {entry.number}" for alias in entry.aliases]
    return lines


def _event_enum(event_class: EventClass) -> list[str]:
    name = camel(event_class.name)
    if event_class.calls:
        values = [(call.name, call.number, call.doc) for call in event_class.calls]
        return int_enum(f"{name}Call", f"Numbers of the calls of {event_class.name}.", values)
    hidden = event_class.counted
    plain = [
        (event.name, event.number, event.doc)
        for event in event_class.events
        if event.name not in hidden
    ]
    plain += [(g.name, g.first, g.doc) for g in event_class.groups if not g.declared]
    plain.sort(key=lambda item: item[1])
    return int_enum(f"{name}Event", f"Event numbers of {event_class.name}.", plain)


def _kind_enum(event_class: EventClass) -> list[str]:
    values = [(kind.suffix, kind.offset, kind.doc) for kind in event_class.kinds]
    doc = f"Moments of a call: event number = call + this, in {event_class.name}."
    return int_enum(f"{camel(event_class.name)}Kind", doc, values)


def _field_tuples(dictionary: Dictionary) -> dict[tuple[Field, ...], str]:
    """Distinct field lists in order of appearance, with the names they get."""
    names: dict[tuple[Field, ...], str] = {}
    for event_class in dictionary.classes:
        for event in event_class.events:
            names.setdefault(event.fields, f"_F{len(names)}")
            if event.wide:
                names.setdefault(event.wide, f"_F{len(names)}")
    return names


def _fields(dictionary: Dictionary) -> list[str]:
    lines = ["# The distinct lists of fields, each written once."]
    for fields, name in _field_tuples(dictionary).items():
        if not fields:
            lines.append(f"{name}: Final[tuple[Field, ...]] = ()")
            continue
        parts = [f"Field({text(f.name)}, {text(f.type)}, {text(f.doc)})" for f in fields]
        joined = ", ".join(parts) + ("," if len(parts) == 1 else "")
        line = f"{name}: Final = ({joined})"
        if len(line) <= 100:  # noqa: PLR2004 -- columns of a line
            lines.append(line)
        else:
            lines += [f"{name}: Final = (", *(f"    {part}," for part in parts), ")"]
    return lines


def _events(dictionary: Dictionary) -> list[str]:
    names = _field_tuples(dictionary)
    lines = ["_ALL: Final = ("]
    for event_class in dictionary.classes:
        for event in event_class.events:
            lines += call("EventType(", _arguments(event_class, event, names), ",", "    ")
    return [
        *lines,
        ")",
        "",
        "EVENTS: Final[Mapping[tuple[int, int], EventType]] = MappingProxyType(",
        "    {(event.class_number, event.number): event for event in _ALL}",
        ")",
        '"""Every declared event type by class number and event number."""',
    ]


def _arguments(
    event_class: EventClass, event: Event, names: dict[tuple[Field, ...], str]
) -> Sequence[str]:
    arguments = [
        text(event_class.name),
        str(event_class.number),
        text(event.name),
        str(event.number),
        names[event.fields],
        text(event.doc),
        str(event.since),
    ]
    if event.payload:
        arguments.append(f"payload={text(event.payload)}")
    if event.wide:
        arguments.append(f"wide_fields={names[event.wide]}")
    if event.base != event.name:
        arguments.append(f"base={text(event.base)}")
    if event.kind:
        arguments.append(f"kind={text(event.kind)}")
    return arguments


def _range(first: int, end: int) -> str:
    return f"range({first}, {end})" if first else f"range({end})"


def _groups(dictionary: Dictionary) -> list[str]:
    lines = ["FAMILIES: Final[Mapping[tuple[int, str], range]] = MappingProxyType(", "    {"]
    for event_class in dictionary.classes:
        for group in event_class.groups:
            numbers = _range(group.first, group.first + group.count)
            lines.append(f"        ({event_class.number}, {text(group.name)}): {numbers},")
    opened = ", ".join(str(c.number) for c in dictionary.classes if c.open)
    lines += ["    }", ")", '"""Event numbers that belong together, by class number and name."""']
    lines += ["", f"OPEN_CLASSES: Final = frozenset({{{opened}}})"]
    return [*lines, '"""Classes whose undeclared numbers are the application\'s to use."""']

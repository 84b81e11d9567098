"""host/src/tickertape/protocol/events.py: every event type as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.gen.formatters import python_format
from tools.gen.py_text import camel, finish, header, int_enum, text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.gen.dictionary import Dictionary, EventClass, Field

PATH = "host/src/tickertape/protocol/events.py"


_EVENTS: Final = [
    "",
    "_LISTS: Final = tuple(tuple(Field(*one) for one in fields) for fields in _FIELDS)",
    "",
    "EVENTS: Final[Mapping[tuple[int, int], EventType]] = MappingProxyType(",
    "    {",
    "        (row[1], row[3]): EventType(",
    "            *row[:4], _LISTS[row[4]], *row[5:8], _LISTS[row[8]], *row[9:]",
    "        )",
    "        for row in _ROWS",
    "    }",
    ")",
    '"""Every declared event type by class number and event number."""',
    "",
]


def render(dictionary: Dictionary) -> str:
    """Return the text of the module."""
    lines = header("protocol/events.yaml", "Event types that a target can record.")
    lines.insert(1, "# ruff: noqa: E501 - a row of the table is one line")
    lines += ["from enum import IntEnum", "from types import MappingProxyType"]
    lines += ["from typing import TYPE_CHECKING, Final", ""]
    lines += ["from tickertape.protocol.event_type import EventType, Field", ""]
    lines += ["if TYPE_CHECKING:", "    from collections.abc import Mapping", ""]
    lines += ["# Hash of the meaning of all events; HELLO contains the hash of the target."]
    lines += [f"DICTIONARY_HASH: Final = 0x{dictionary.hash():016X}", ""]
    lines += [f"APPLICATION_CLASS_FIRST: Final = {dictionary.application_first}"]
    lines += [f"APPLICATION_CLASS_LAST: Final = {dictionary.application_last}"]
    lines += ["", "", *_class_enum(dictionary)]
    for event_class in dictionary.classes:
        if event_class.events:
            lines += ["", "", *_event_enum(event_class)]
        if event_class.calls:
            lines += ["", "", *_kind_enum(event_class)]
    lines += [
        "",
        "",
        "# fmt: off",
        *_table(dictionary),
        "# fmt: on",
        *_EVENTS,
        *_groups(dictionary),
    ]
    return python_format(finish(lines))


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


def _field_lists(dictionary: Dictionary) -> dict[tuple[Field, ...], int]:
    """Return the distinct field lists in order of appearance, with their numbers."""
    numbers: dict[tuple[Field, ...], int] = {}
    for event_class in dictionary.classes:
        for event in event_class.events:
            for fields in (event.fields, event.wide or ()):
                numbers.setdefault(fields, len(numbers))
    return numbers


def _table(dictionary: Dictionary) -> list[str]:
    """Return the lines of the tables: distinct field lists, and a row per event type."""
    lists = _field_lists(dictionary)
    lines = ["# Distinct lists of fields: name, type, description.", "_FIELDS: Final = ("]
    lines += [f"    {_fields(fields)}," for fields in lists]
    lines += [
        ")",
        "",
        "# Arguments of `EventType`, with numbers of lists of fields.",
        "_ROWS: Final = (",
    ]
    for event_class in dictionary.classes:
        for event in event_class.events:
            row = (
                *(event_class.name, event_class.number, event.name, event.number),
                *(lists[event.fields], event.doc, event.since, event.payload or ""),
                *(lists[event.wide or ()], event.base, event.kind or ""),
            )
            lines.append(f"    {_row(map(_literal, row))},")
    return [*lines, ")"]


def _fields(fields: tuple[Field, ...]) -> str:
    return _row(_row(map(text, (f.name, f.type, f.doc))) for f in fields)


def _literal(value: object) -> str:
    return text(value) if isinstance(value, str) else str(value)


def _row(parts: Iterable[str]) -> str:
    """Format a tuple on one line."""
    parts = list(parts)
    joined = ", ".join(parts)
    return f"({joined},)" if len(parts) == 1 else f"({joined})"


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

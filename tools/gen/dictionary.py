"""events.yaml as values: classes, events, groups, calls, routes and the dictionary hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.gen.source import Source

CLASS_COUNT = 32
EVENT_LIMIT = 1024
RECORD_WORDS = 2
# Prefix of numbered arguments of kinds, which the argument names of a call replace.
ARGUMENT = "arg"


@dataclass(frozen=True)
class Field:
    """One word of an event."""

    name: str
    type: str
    doc: str

    @property
    def c_type(self) -> str:
        """C type of the emitter's parameter."""
        return "int32_t" if self.type == "i32" else "uint32_t"

    def __str__(self) -> str:
        """Return name and type, on which readers rely."""
        return f"{self.name}:{self.type}"


@dataclass(frozen=True)
class Event:
    """One event type. Events with a `count` and kernel calls are expanded to one each.

    `base` is the declared name: equal to `name` except for members of a count (USER_5 -> USER)
    and kernel calls (SYNC_MUTEX_LOCK_EXIT -> SYNC_MUTEX_LOCK). `kind` is the suffix of a call's
    event, else empty. `wide` has the words after the first two in the wide form, if any.
    """

    name: str
    number: int
    fields: tuple[Field, ...]
    doc: str
    since: int
    payload: str = ""
    wide: tuple[Field, ...] = ()
    base: str = ""
    kind: str = ""

    @property
    def meaning(self) -> str:
        """Name, shape and words of the simple event, for comparing."""
        return " ".join([self.name, self.payload or "simple", *map(str, self.fields)])


@dataclass(frozen=True)
class Group:
    """Consecutive events with the same fields, whose shared emitter takes the number.

    `selector` is the emitter's first parameter. `declared` means that the members have their own
    names (a family), else they are counted (USER 0-31).
    """

    name: str
    selector: str
    first: int
    count: int
    fields: tuple[Field, ...]
    wide: tuple[Field, ...]
    doc: str
    declared: bool


@dataclass(frozen=True)
class Kind:
    """One moment of a kernel call; its event is call + offset."""

    suffix: str
    offset: int
    fields: tuple[Field, ...]
    wide: tuple[Field, ...]
    doc: str


@dataclass(frozen=True)
class Call:
    """A kernel call. `args` is None if the words on entry are not described.

    Arguments after the first two are in the wide form only.
    """

    name: str
    number: int
    doc: str
    since: int
    args: tuple[Field, ...] | None


@dataclass(frozen=True)
class EventClass:
    """A class with its events in ascending order of their numbers."""

    name: str
    number: int
    doc: str
    aliases: tuple[str, ...] = ()
    open: bool = False
    events: tuple[Event, ...] = ()
    groups: tuple[Group, ...] = ()
    kinds: tuple[Kind, ...] = ()
    calls: tuple[Call, ...] = ()

    @property
    def counted(self) -> frozenset[str]:
        """Names of events that are members of a count; C names only the first and the count."""
        return frozenset(
            f"{group.name}_{index}"
            for group in self.groups
            if not group.declared
            for index in range(group.count)
        )

    @property
    def call_limit(self) -> int:
        """Exclusive limit of call numbers: the smallest distance between two kinds."""
        offsets = sorted(kind.offset for kind in self.kinds)
        gaps = [after - before for before, after in pairwise(offsets)]
        return min(gaps, default=EVENT_LIMIT)


@dataclass(frozen=True)
class Dictionary:
    """All of events.yaml."""

    classes: tuple[EventClass, ...]
    application_first: int
    application_last: int

    def class_name(self, number: int) -> str:
        """Return the name of a class for identifiers; CLASS15 and the like if undeclared."""
        for event_class in self.classes:
            if event_class.number == number:
                return event_class.name
        return f"CLASS{number}"

    def routes(self) -> Iterator[tuple[int, Event | None]]:
        """Yield the route entries in order of their index: (class number, event or None for OTHER).

        Each class has one entry per event, ascending, then one for all other numbers.
        """
        events = {event_class.number: event_class.events for event_class in self.classes}
        for number in range(CLASS_COUNT):
            for event in events.get(number, ()):
                yield number, event
            yield number, None

    def first_routes(self) -> list[int]:
        """Return the index of each class's first route, then the number of routes."""
        owners = [number for number, _ in self.routes()]
        return [owners.index(number) for number in range(CLASS_COUNT)] + [len(owners)]

    def canonical_lines(self) -> list[str]:
        """Return the meaning of the dictionary, without prose, one line per event type."""
        lines = []
        for event_class in self.classes:
            for event in event_class.events:
                line = f"{event_class.number} {event.number} {event_class.name} {event.meaning}"
                wide = "".join(f" {word}" for word in event.wide)
                lines.append(f"{line} wide{wide}" if wide else line)
        return lines

    def hash(self) -> int:
        """Return the first 8 bytes of the SHA-256 of the canonical lines, big-endian."""
        text = "".join(line + "\n" for line in self.canonical_lines())
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def build(source: Source) -> Dictionary:
    """Build the dictionary from a file that satisfies its schema; dictionary_rules checks more."""
    classes = sorted(source.data["classes"], key=lambda item: int(item["number"]))
    limits = source.data["application_classes"]
    return Dictionary(tuple(_class(item) for item in classes), limits["first"], limits["last"])


def _class(item: dict[str, Any]) -> EventClass:
    kinds = tuple(
        Kind(
            kind["suffix"],
            kind["offset"],
            _fields(kind["fields"]),
            _fields(kind.get("wide", ())),
            kind.get("doc", ""),
        )
        for kind in item.get("kinds", ())
    )
    calls = tuple(_call(call) for call in item.get("calls", ()))
    events = [event for entry in item.get("events", ()) for event in _events(entry)]
    events += [_call_event(call, kind) for kind in kinds for call in calls]
    events.sort(key=lambda event: event.number)
    return EventClass(
        name=item["name"],
        number=item["number"],
        doc=item["doc"],
        aliases=tuple(item.get("aliases", ())),
        open=item.get("open", False),
        events=tuple(events),
        groups=tuple(_groups(item, events)),
        kinds=kinds,
        calls=tuple(sorted(calls, key=lambda call: call.number)),
    )


def _fields(items: Sequence[dict[str, str]]) -> tuple[Field, ...]:
    return tuple(Field(item["name"], item["type"], item["doc"]) for item in items)


def _events(item: dict[str, Any]) -> Iterator[Event]:
    count = item.get("count", 1)
    for index in range(count):
        yield Event(
            name=item["name"] if count == 1 else f"{item['name']}_{index}",
            number=item["number"] + index,
            fields=_fields(item["fields"]),
            doc=item["doc"],
            since=item["since"],
            payload=item.get("payload", ""),
            wide=_fields(item.get("wide", ())),
            base=item["name"],
        )


def _call(item: dict[str, Any]) -> Call:
    args: tuple[Field, ...] | None = None
    if "args" in item:
        args = tuple(
            Field(name, kind, "argument of the call") for name, kind in item["args"].items()
        )
    return Call(item["name"], item["number"], item["doc"], item["since"], args)


def _call_event(call: Call, kind: Kind) -> Event:
    fields, wide = kind.fields, kind.wide
    if kind.offset == 0 and call.args is not None:
        fields, wide = call.args[:RECORD_WORDS], _wide_args(call.args[RECORD_WORDS:], kind.wide)
    return Event(
        name=f"{call.name}_{kind.suffix}",
        number=call.number + kind.offset,
        fields=fields,
        doc=call.doc,
        since=call.since,
        wide=wide,
        base=call.name,
        kind=kind.suffix,
    )


def _wide_args(args: tuple[Field, ...], wide: tuple[Field, ...]) -> tuple[Field, ...]:
    """Replace the numbered arguments, arg2 and so on, by the named arguments of a call."""
    own, unused = iter(args), Field("unused", "u32", "0")
    return tuple(next(own, unused) if entry.name.startswith(ARGUMENT) else entry for entry in wide)


def _groups(item: dict[str, Any], events: list[Event]) -> Iterator[Group]:
    for entry in item.get("events", ()):
        if "count" in entry:
            event = next(event for event in events if event.base == entry["name"])
            yield Group(
                entry["name"],
                "event",
                entry["number"],
                entry["count"],
                event.fields,
                event.wide,
                entry["doc"],
                declared=False,
            )
    for entry in item.get("families", ()):
        first, count = entry["first"], entry["last"] - entry["first"] + 1
        fields, wide = next(((e.fields, e.wide) for e in events if e.number == first), ((), ()))
        yield Group(
            entry["name"],
            entry["name"].lower(),
            first,
            count,
            fields,
            wide,
            entry["doc"],
            declared=True,
        )

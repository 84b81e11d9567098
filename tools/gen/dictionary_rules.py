"""Rules for events.yaml beyond the schema, each with its message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.gen.complaints import refuse, twice, words
from tools.gen.dictionary import ARGUMENT, EVENT_LIMIT, RECORD_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.gen.complaints import Complaint, Where
    from tools.gen.dictionary import Dictionary, EventClass
    from tools.gen.source import Source

# Names of the emitters' own parameters, which a field must not have.
PARAMETERS = ("event", "call", "text")


def check(dictionary: Dictionary, source: Source, minor: int) -> None:
    """Check events.yaml for consistency, and with the protocol's minor version.

    Raises:
        SourceError: with one line per complaint.
    """
    refuse(source, _complaints(dictionary, source.data["classes"], minor))


def _complaints(
    dictionary: Dictionary, items: list[dict[str, Any]], minor: int
) -> Iterator[Complaint]:
    first, last = dictionary.application_first, dictionary.application_last
    if first > last:
        yield ("application_classes",), "first is greater than last; swap them"
    numbers: set[int] = set()
    names: set[str] = set()
    for index, item in enumerate(items):
        where: Where = ("classes", index)
        if item["number"] in numbers:
            yield where, f"the number {item['number']} is another class's; take a free one"
            continue
        if first <= item["number"] <= last:
            yield where, f"classes {first}-{last} belong to applications; take a lower number"
        for name in {item["name"], *item.get("aliases", ())} & names:
            yield where, f"the name {name} is another class's; choose another"
        numbers.add(item["number"])
        names |= {item["name"], *item.get("aliases", ())}
        made = next(entry for entry in dictionary.classes if entry.name == item["name"])
        yield from _class(where, item, made)
        yield from _since(where, item, minor)


def _class(where: Where, item: dict[str, Any], event_class: EventClass) -> Iterator[Complaint]:
    if event_class.number == 0 and event_class.events:
        yield where, "class 0 is never emitted; move its events to another class"
    if "events" in item and "calls" in item:
        yield where, "a class has events or calls, not both; split it"
    places = _places(where, item)
    holders: dict[int, str] = {}
    for event in event_class.events:
        place = places[event.base]
        if event.number >= EVENT_LIMIT:
            yield place, f"{event.name} gets the number {event.number}; 1023 is the last"
        other = holders.setdefault(event.number, event.name)
        if other != event.name:
            yield place, f"{event.name} has the number of {other}, {event.number}; change one"
    for name in twice(_names([*item.get("events", ()), *item.get("calls", ())])):
        yield places[name], f"the name {name} is used twice in this class; rename one"
    for index, entry in enumerate(item.get("events", ())):
        yield from _event((*where, "events", index), entry)
    yield from _calls(where, item, event_class)
    for index, entry in enumerate(item.get("families", ())):
        yield from _family((*where, "families", index), entry, event_class)


def _event(where: Where, entry: dict[str, Any]) -> Iterator[Complaint]:
    if "payload" in entry and len(entry["fields"]) != RECORD_WORDS:
        yield where, "an event with a text has exactly two fields before it; give two"
    if "payload" in entry and "count" in entry:
        yield where, "events with a text cannot be counted; declare them one by one"
    if "payload" in entry and "wide" in entry:
        yield where, "an event with a text has one form; drop wide"
    yield from words((*where, "fields"), _all_names(entry), PARAMETERS)


def _calls(where: Where, item: dict[str, Any], event_class: EventClass) -> Iterator[Complaint]:
    kinds = item.get("kinds", ())
    if kinds and all(kind["offset"] for kind in kinds):
        yield (*where, "kinds"), "no kind has offset 0; give it to the entry into a call"
    for index, kind in enumerate(kinds):
        yield from words((*where, "kinds", index), _all_names(kind), PARAMETERS)
    on_entry: dict[str, Any] = next((kind for kind in kinds if not kind["offset"]), {})
    wide = _names(on_entry.get("wide", []))
    own = [name for name in wide if not name.startswith(ARGUMENT)]
    room = RECORD_WORDS + len(wide) - len(own)
    limit = event_class.call_limit
    for index, call in enumerate(item.get("calls", ())):
        if call["number"] >= limit:
            yield (*where, "calls", index), f"calls are below {limit}; take a free number"
        if len(call.get("args", ())) > room:
            yield (*where, "calls", index), f"a call has at most {room} arguments; leave some out"
        yield from words((*where, "calls", index), [*call.get("args", ()), *own], PARAMETERS)


def _family(where: Where, entry: dict[str, Any], event_class: EventClass) -> Iterator[Complaint]:
    members = {event.number: event for event in event_class.events}
    run = range(entry["first"], entry["last"] + 1)
    missing = [number for number in run if number not in members]
    if missing or not run:
        gap = f"event {missing[0]} is not declared" if missing else "last is less than first"
        yield where, f"{gap}; a family is a run of declared events"
        return
    shapes = {(one.fields, one.wide, one.payload) for one in (members[n] for n in run)}
    if len(shapes) > 1 or members[run[0]].payload:
        yield where, "its events differ in fields or carry a text; make them equal"
    if entry["name"] in [event.name for event in event_class.events]:
        yield where, "its name is that of an event as well; rename the family"
    if entry["name"].lower() in [field.name for field in members[run[0]].fields]:
        yield where, "its name is that of a field as well; rename the family"


def _since(where: Where, item: dict[str, Any], minor: int) -> Iterator[Complaint]:
    for key in ("events", "calls"):
        for index, entry in enumerate(item.get(key, ())):
            if entry["since"] > minor:
                text = f"{entry['name']} is newer than minor version {minor}"
                yield (*where, key, index), f"{text}; raise that in wire.yaml or correct since"


def _places(where: Where, item: dict[str, Any]) -> dict[str, Where]:
    """Return where each event and call of a class is declared; the last place if repeated."""
    return {
        entry["name"]: (*where, key, index)
        for key in ("events", "calls")
        for index, entry in enumerate(item.get(key, ()))
    }


def _names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["name"] for entry in entries]


def _all_names(entry: dict[str, Any]) -> list[str]:
    return _names([*entry["fields"], *entry.get("wide", ())])

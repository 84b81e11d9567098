"""Generate the functions of events.h that find the route of an event type."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from tools.gen.c_text import defines, number
from tools.gen.dictionary import CLASS_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.gen.dictionary import Dictionary, Event, EventClass, Group

_GROUP = Template("""
/* Route index of $class_name $group by event number. */
static inline uint32_t tt_${function}_route(uint32_t $selector)
{
    if ($offset < TT_${class_name}_${group}_COUNT) {
        return TT_ROUTE_${class_name}_$first + $added;
    }
    return TT_ROUTE_${class_name}_OTHER;
}
""")

_CALLS = Template("""
/* Position of each call among the declared ones; $stem_CALL_COUNT for the others. */
extern const uint8_t tt_${lower}_positions[${stem}_CALL_LIMIT];

/* The same for one call: constant if the call is constant, else one load. */
static inline uint32_t tt_${lower}_position(uint32_t call)
{
    if (!__builtin_constant_p(call)) {
        return tt_${lower}_positions[call % ${stem}_CALL_LIMIT];
    }
    switch (call % ${stem}_CALL_LIMIT) {
$cases
    default:
        return ${stem}_CALL_COUNT;
    }
}

/* Route index of one moment of a call; `first`: index of the call declared first. */
static inline uint32_t tt_${lower}_route(uint32_t first, uint32_t call)
{
    uint32_t position = tt_${lower}_position(call);
    if (position < ${stem}_CALL_COUNT) {
        return first + position;
    }
    return TT_ROUTE_${name}_OTHER;
}

$firsts
""")

_LOOKUP = Template("""
/* Definition of tt_route_index(), for constants, and once in event_table.c. */
static inline uint32_t tt_route_lookup(uint32_t event_class, uint32_t event)
{
    event &= 0x3ffu;
    switch (event_class & 0x1fu) {
$cases
    default: /* the classes from $plain on have one entry each, one after another */
        return TT_ROUTE_CLASS${plain}_OTHER + (event_class & 0x1fu) - ${plain}u;
    }
}

/*
 * Index into tt_route[] of any event type; only the low 5 and 10 bits of the arguments count.
 * With constant arguments it is a constant, otherwise a call.
 */
static inline uint32_t tt_route_index(uint32_t event_class, uint32_t event)
{
    if (__builtin_constant_p(event_class) && __builtin_constant_p(event)) {
        return tt_route_lookup(event_class, event);
    }
    return tt_route_find(event_class, event);
}

/* Entry of tt_route_types[] of a route index, which must be in range. */
static inline uint32_t tt_route_event_type(uint32_t index)
{
    return tt_route_types[index];
}
""")


def functions(dictionary: Dictionary) -> Iterator[str]:
    """Yield the lines of all functions, each after an empty line."""
    for event_class in dictionary.classes:
        for group in event_class.groups:
            yield from _group(event_class, group)
        if event_class.calls:
            yield from _calls(event_class)
    yield from _lookup(dictionary)


def _group(event_class: EventClass, group: Group) -> list[str]:
    first = group.name
    if group.declared:
        first = next(event.name for event in event_class.events if event.number == group.first)
    offset = f"{group.selector} - {number(group.first)}" if group.first else group.selector
    text = _GROUP.substitute(
        class_name=event_class.name,
        group=group.name,
        function=f"{event_class.name}_{group.name}".lower(),
        selector=group.selector,
        offset=offset,
        added=f"({offset})" if group.first else offset,
        first=first,
    )
    return text.rstrip().splitlines()


def _calls(event_class: EventClass) -> list[str]:
    stem, route = f"TT_{event_class.name}", f"TT_ROUTE_{event_class.name}"
    cases = [
        f"    case {stem}_{call.name}:\n        return {number(position)};"
        for position, call in enumerate(event_class.calls)
    ]
    first = event_class.calls[0].name
    firsts = defines(
        [
            (f"{route}_FIRST_{kind.suffix}", f"{route}_{first}_{kind.suffix}")
            for kind in event_class.kinds
        ]
    )
    text = _CALLS.substitute(
        name=event_class.name,
        lower=event_class.name.lower(),
        stem=stem,
        cases="\n".join(cases),
        firsts="\n".join(firsts),
        stem_CALL_COUNT=f"{stem}_CALL_COUNT",
    )
    return text.rstrip().splitlines()


def _lookup(dictionary: Dictionary) -> list[str]:
    declared = {event_class.number: event_class for event_class in dictionary.classes}
    plain = max(declared) + 1
    lines: list[str] = []
    for class_number in range(min(plain, CLASS_COUNT)):
        event_class = declared.get(class_number)
        if event_class is None:
            lines.append(f"    case {number(class_number)}:")
        else:
            lines.append(f"    case TT_CLASS_{event_class.name}:")
            lines += _lookup_calls(event_class) if event_class.calls else _lookup_runs(event_class)
        name = dictionary.class_name(class_number)
        lines.append(f"        return TT_ROUTE_{name}_OTHER;")
    return _LOOKUP.substitute(cases="\n".join(lines), plain=plain).rstrip().splitlines()


def _lookup_runs(event_class: EventClass) -> Iterator[str]:
    for first, count in _runs(event_class):
        offset = f"event - {number(first.number)}" if first.number else "event"
        name = first.base if first.name in event_class.counted else first.name
        yield f"        if ({offset} < {number(count)}) {{"
        added = f"({offset})" if first.number else offset
        yield f"            return TT_ROUTE_{event_class.name}_{name} + {added};"
        yield "        }"


def _lookup_calls(event_class: EventClass) -> Iterator[str]:
    stem = f"TT_{event_class.name}"
    for kind in event_class.kinds:
        offset = f"event - {stem}_{kind.suffix}_OFFSET" if kind.offset else "event"
        route = f"TT_ROUTE_{event_class.name}_FIRST_{kind.suffix}"
        yield f"        if ({offset} < {stem}_CALL_LIMIT) {{"
        yield f"            return tt_{event_class.name.lower()}_route({route}, event);"
        yield "        }"


def _runs(event_class: EventClass) -> list[tuple[Event, int]]:
    """Return the runs of consecutive event numbers: first event and length."""
    runs: list[tuple[Event, int]] = []
    for event in event_class.events:
        if runs and event.number == runs[-1][0].number + runs[-1][1]:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((event, 1))
    return runs

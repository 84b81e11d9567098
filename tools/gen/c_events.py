"""firmware/include/tickertape/events.h: numbers of classes and events, the route table's shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen import c_routes
from tools.gen.c_text import banner, comment, defines, finish, number
from tools.gen.dictionary import CLASS_COUNT

if TYPE_CHECKING:
    from tools.gen.dictionary import Dictionary, EventClass

PATH = "firmware/include/tickertape/events.h"

_TEXT = """
tickertape/events.h - numbers of classes, events and kernel calls, and the route table.

An event type is a class and a number. Each declared type has an entry of its own in tt_route[];
every class has one more entry, TT_ROUTE_<CLASS>_OTHER, for numbers that are not declared. The
entries of a class are contiguous; OTHER is the last one.
"""

_ROUTES = """
TT_C_BEGIN

/*
 * The route of an event type: bit i is set when stream i takes it, 0 means no stream. Written by
 * the recorder's filters at any time, read by every emitter; reads and writes are single accesses.
 */
#if TT_CONFIG_STREAMS <= 6
typedef uint8_t tt_route_t;
#else
typedef uint16_t tt_route_t;
#endif
extern tt_route_t tt_route[TT_ROUTE_COUNT];

/* The bits of a route. SLOW: dynamic filters or handlers decide. WIDE: the wide form. */
#define TT_ROUTE_STREAMS_MASK (TT_CONFIG_STREAMS <= 6 ? 0x3fu : 0xffu)
#define TT_ROUTE_SLOW         (TT_ROUTE_STREAMS_MASK + 1u)
#define TT_ROUTE_WIDE         (TT_ROUTE_SLOW << 1)
/* With readers and more than six streams, for the user's events: a stream that stopped because it
 * was full would take the event. May be the only bit that is set. */
#define TT_ROUTE_REFUSED      (TT_CONFIG_READERS && TT_CONFIG_STREAMS > 6 ? TT_ROUTE_SLOW << 2 : 0u)

/* Class c owns the routes from tt_class_first_route(c) to tt_class_first_route(c + 1) - 1; c is at
 * most TT_CLASS_COUNT. */
uint32_t tt_class_first_route(uint32_t event_class);

/*
 * The event type of each route: class << 10 | event; for the OTHER entry of a class
 * class << 10 | TT_ROUTE_TYPE_OTHER.
 */
extern const uint16_t tt_route_types[TT_ROUTE_COUNT];
#define TT_ROUTE_TYPE_OTHER 0x8000u

/* The best predictors of the words of a simple event, for packing: byte r / 2 contains those of
 * route r, in its upper half if r is odd; bits 2n and 2n + 1 of the half are the tt_predictor_t of
 * word n. */
extern const uint8_t tt_route_predictors[(TT_ROUTE_COUNT + 1u) / 2u];

/* True when the event type has a wide form. */
bool tt_route_has_wide(uint32_t index);

/* tt_route_index() of a class and event that are not constants. */
uint32_t tt_route_find(uint32_t event_class, uint32_t event);
"""


def render(dictionary: Dictionary) -> str:
    """Return the text of the header."""
    lines = banner("protocol/events.yaml", _TEXT)
    lines += ["#ifndef TICKERTAPE_EVENTS_H", "#define TICKERTAPE_EVENTS_H", ""]
    lines += ["#include <stdbool.h>", "#include <stdint.h>", ""]
    lines += ['#include "tickertape/config.h"', '#include "tickertape/language.h"', ""]
    lines += ["/* Hash of the meaning of all events; a host reports a target with another hash. */"]
    lines += [f"#define TT_DICTIONARY_HASH UINT64_C(0x{dictionary.hash():016x})", ""]
    lines += ["/* Classes. */", *_classes(dictionary)]
    for event_class in dictionary.classes:
        if event_class.events:
            lines += ["", *comment(f"Events of {event_class.name}: {event_class.doc}")]
            lines += defines(_numbers(event_class))
    lines += ["", "/* Indices into tt_route[]. */", *defines(_route_indices(dictionary))]
    lines += _ROUTES.rstrip().splitlines()
    return finish([*lines, *c_routes.functions(dictionary), "", "TT_C_END", "", "#endif"])


def _classes(dictionary: Dictionary) -> list[str]:
    pairs = [(f"TT_CLASS_{entry.name}", number(entry.number)) for entry in dictionary.classes]
    pairs += [
        (f"TT_CLASS_{alias}", f"TT_CLASS_{entry.name}")
        for entry in dictionary.classes
        for alias in entry.aliases
    ]
    pairs += [
        ("TT_CLASS_APPLICATION_FIRST", number(dictionary.application_first)),
        ("TT_CLASS_APPLICATION_LAST", number(dictionary.application_last)),
        ("TT_CLASS_COUNT", number(CLASS_COUNT)),
    ]
    return defines(pairs)


def _numbers(event_class: EventClass) -> list[tuple[str, str]]:
    stem = f"TT_{event_class.name}"
    hidden = event_class.counted
    pairs = [
        (f"{stem}_{event.name}", number(event.number))
        for event in event_class.events
        if event.name not in hidden and not event.kind
    ]
    for group in event_class.groups:
        suffix = "_FIRST" if group.declared else ""
        pairs += [
            (f"{stem}_{group.name}{suffix}", number(group.first)),
            (f"{stem}_{group.name}_COUNT", number(group.count)),
        ]
    pairs += [(f"{stem}_{call.name}", number(call.number)) for call in event_class.calls]
    pairs += [(f"{stem}_{kind.suffix}_OFFSET", number(kind.offset)) for kind in event_class.kinds]
    if event_class.calls:
        pairs += [
            (f"{stem}_CALL_LIMIT", number(event_class.call_limit)),
            (f"{stem}_CALL_COUNT", number(len(event_class.calls))),
        ]
    return pairs


def _route_indices(dictionary: Dictionary) -> list[tuple[str, str]]:
    counted = {entry.number: entry.counted for entry in dictionary.classes}
    firsts = {
        (entry.number, group.first): group.name
        for entry in dictionary.classes
        for group in entry.groups
        if not group.declared
    }
    pairs = []
    for index, (class_number, event) in enumerate(dictionary.routes()):
        stem = f"TT_ROUTE_{dictionary.class_name(class_number)}"
        if event is None:
            pairs.append((f"{stem}_OTHER", number(index)))
        elif (class_number, event.number) in firsts:
            pairs.append((f"{stem}_{firsts[class_number, event.number]}", number(index)))
        elif event.name not in counted[class_number]:
            pairs.append((f"{stem}_{event.name}", number(index)))
    return [*pairs, ("TT_ROUTE_COUNT", number(dictionary.first_routes()[-1]))]

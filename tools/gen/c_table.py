"""firmware/core/event_table.c: the constant tables of events.h."""

from __future__ import annotations

import textwrap
from string import Template
from typing import TYPE_CHECKING

from tools.gen.c_text import banner, finish

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.gen.dictionary import Dictionary, EventClass

PATH = "firmware/core/event_table.c"
_BYTE_MAX = 255
_RUN_ROUTE_MAX = 511  # bits of run_t
_RUN_COUNT_MAX = 127

_TEXT = """
Constant tables of tickertape/events.h. Not built without the recorder.
"""

_FIND_HEAD = """
/* Event types whose numbers and routes follow each other, in ascending order. Calls have a table of
 * their own. The first run is empty, so that a search from the end always finds one. */
typedef struct run {
    uint16_t first_type; /* class << 10 | event */
    uint16_t first_route : 9;
    uint16_t count : 7;
} run_t;
"""

_FIND = """
#define RUN_COUNT (sizeof runs / sizeof runs[0])

uint32_t tt_route_find(uint32_t event_class, uint32_t event)
{
    event_class %= TT_CLASS_COUNT;
    event &= 0x3ffu;
$calls    uint32_t type = event_class << 10 | event;
    const run_t *run = &runs[RUN_COUNT];
    do { /* the last that begins at or below the type; those of applications are near the end */
        run--;
    } while (run->first_type > type);
    uint32_t place = type - run->first_type;
    if (place < run->count) {
        return run->first_route + place;
    }
    return tt_class_first_route(event_class + 1u) - 1u; /* OTHER */
}
""".rstrip()

# Consecutive moments of a call are CALL_LIMIT event numbers and CALL_COUNT routes apart.
_FIND_CALL = """\
    if (event_class == TT_CLASS_$name) {
        uint32_t position = tt_${lower}_positions[event % TT_${name}_CALL_LIMIT];
        if (position < TT_${name}_CALL_COUNT && event < ${moments}u * TT_${name}_CALL_LIMIT) {
            return TT_ROUTE_${name}_FIRST_${first} + position +
                   event / TT_${name}_CALL_LIMIT * TT_${name}_CALL_COUNT;
        }
    }
"""


def render(dictionary: Dictionary) -> str:
    """Return the text of the file."""
    lines = banner("protocol/events.yaml", _TEXT)
    lines += ['#include "tickertape/config.h"', '#include "tickertape/events.h"', ""]
    lines += ["#if TT_CONFIG_ENABLED", ""]
    lines += _first_routes(dictionary)
    for event_class in dictionary.classes:
        if event_class.calls:
            lines += ["", *_positions(event_class)]
    types = (
        f"0x{class_number << 10 | (event.number if event else 0x8000):x}u"
        for class_number, event in dictionary.routes()
    )
    lines += ["", *_table("const uint16_t tt_route_types[TT_ROUTE_COUNT]", types)]
    lines += ["", "#if TT_CONFIG_PACKING", ""]
    lines += _table(
        "const uint8_t tt_route_predictors[(TT_ROUTE_COUNT + 1u) / 2u]",
        (f"0x{two:02x}u" for two in _predictors(dictionary)),
    )
    lines += ["", "#endif"]
    lines += [
        *_FIND_HEAD.rstrip().splitlines(),
        "",
        *_table("static const run_t runs[]", _runs(dictionary)),
        *_find(dictionary),
    ]
    lines += ["", *_has_wide(dictionary), "", "#endif"]
    return finish(lines)


def _first_routes(dictionary: Dictionary) -> list[str]:
    """Return the function of the first route of a class; undeclared ones have one route each."""
    firsts = dictionary.first_routes()
    plain = max(event_class.number for event_class in dictionary.classes) + 1
    table = _table("static const uint8_t first_routes[]", (f"{index}u" for index in firsts[:plain]))
    if firsts[plain - 1] > _BYTE_MAX:
        table = [line.replace("uint8_t", "uint16_t") for line in table]
    return [
        *table,
        "",
        "uint32_t tt_class_first_route(uint32_t event_class)",
        "{",
        f"    if (event_class < {plain}u) {{",
        "        return first_routes[event_class];",
        "    }",
        "    /* The others have one route each. */",
        f"    return {firsts[plain]}u + event_class - {plain}u;",
        "}",
    ]


def _find(dictionary: Dictionary) -> list[str]:
    """Return the function that finds the route of any event type."""
    calls = ""
    for event_class in dictionary.classes:
        if event_class.calls:
            _check_moments(event_class)
            calls += Template(_FIND_CALL).substitute(
                name=event_class.name,
                lower=event_class.name.lower(),
                first=event_class.kinds[0].suffix,
                moments=len(event_class.kinds),
            )
    return Template(_FIND).substitute(calls=calls).splitlines()


def _check_moments(event_class: EventClass) -> None:
    """Check that the event numbers of moments follow each other, as the function requires.

    Raises:
        ValueError: they do not.
    """
    offsets = [kind.offset for kind in event_class.kinds]
    if offsets != [event_class.call_limit * i for i in range(len(offsets))]:
        message = f"moments of {event_class.name} do not follow each other: {offsets}"
        raise ValueError(message)


def _has_wide(dictionary: Dictionary) -> list[str]:
    """Return the function that tests whether a route has a wide form, by a few runs."""
    wide = [index for index, (_, event) in enumerate(dictionary.routes()) if event and event.wide]
    firsts = [index for index in wide if index - 1 not in wide]
    ends = [index + 1 for index in wide if index + 1 not in wide]
    tests = [f"(index >= {a}u && index < {b}u)" for a, b in zip(firsts, ends, strict=True)]
    joined = " ||\n           ".join(tests or ["index > TT_ROUTE_COUNT"])
    return [
        "bool tt_route_has_wide(uint32_t index)",
        "{",
        "    // clang-format off: a run a line",
        f"    return {joined};",
        "    // clang-format on",
        "}",
    ]


def _runs(dictionary: Dictionary) -> Iterator[str]:
    """Return the rows of the table of runs; a run ends where its count would not fit."""
    runs: list[list[int]] = [[0, 0, 0]]
    calls = {event_class.number: event_class.calls for event_class in dictionary.classes}
    for index, (class_number, event) in enumerate(dictionary.routes()):
        if event is None or calls[class_number]:
            continue
        code = class_number << 10 | event.number
        if runs and code - runs[-1][0] == index - runs[-1][1] == runs[-1][2] < _RUN_COUNT_MAX:
            runs[-1][2] += 1
        else:
            runs.append([code, index, 1])
    if runs[-1][1] > _RUN_ROUTE_MAX:
        message = "first_route of run_t has 9 bits: make it wider"
        raise ValueError(message)
    return (f"{{0x{code:x}u, {index}u, {count}u}}" for code, index, count in runs)


def _predictors(dictionary: Dictionary) -> Iterator[int]:
    """Yield the predictors of two routes a byte, two bits a word (wire.yaml, enum predictor)."""
    kinds = {"thread": 1, "object": 2}
    found = [
        sum(kinds.get(field.type, 0) << 2 * place for place, field in enumerate(event.fields[:2]))
        if event
        else 0
        for _, event in dictionary.routes()
    ]
    for first in range(0, len(found), 2):
        yield sum(one << 4 * place for place, one in enumerate(found[first : first + 2]))


def _positions(event_class: EventClass) -> list[str]:
    place = {call.number: index for index, call in enumerate(event_class.calls)}
    none = len(event_class.calls)
    stem = f"TT_{event_class.name}"
    return _table(
        f"const uint8_t tt_{event_class.name.lower()}_positions[{stem}_CALL_LIMIT]",
        (f"{place.get(call, none)}u" for call in range(event_class.call_limit)),
    )


def _table(head: str, values: Iterable[str]) -> list[str]:
    body = textwrap.wrap(", ".join(values) + ",", 95)
    return [
        "// clang-format off: rows as long as they fit",
        f"{head} = {{",
        *(f"    {line}" for line in body),
        "};",
        "// clang-format on",
    ]

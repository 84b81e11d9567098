"""firmware/core/event_table.c: the constant tables behind events.h."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tools.gen.c_text import banner, finish

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.gen.dictionary import Dictionary, Event, EventClass

PATH = "firmware/core/event_table.c"

_TEXT = """
The constant tables behind tickertape/events.h. Nothing of it is built without the tracer.
"""

_FIND_HEAD = """
/* Event types whose numbers and routes follow each other, in ascending order. */
typedef struct run {
    uint16_t first_type; /* class << 10 | event */
    uint8_t first_route;
    uint8_t count;
} run_t;
"""

_FIND = """
#define RUN_COUNT (sizeof runs / sizeof runs[0])

uint32_t tt_route_find(uint32_t event_class, uint32_t event)
{
    uint32_t type = (event_class % TT_CLASS_COUNT) << 10 | (event & 0x3ffu);
    uint32_t low = 0;
    uint32_t high = RUN_COUNT; /* the run sought is the last that begins at or below the type */
    while (high - low > 1u) {
        uint32_t middle = (low + high) / 2u;
        if (runs[middle].first_type <= type) {
            low = middle;
        } else {
            high = middle;
        }
    }
    uint32_t place = type - runs[low].first_type;
    if (place < runs[low].count) {
        return runs[low].first_route + place;
    }
    return tt_class_first_route[event_class % TT_CLASS_COUNT + 1u] - 1u; /* OTHER */
}
""".rstrip().splitlines()


def render(dictionary: Dictionary) -> str:
    """Make the whole file."""
    lines = banner("protocol/events.yaml", _TEXT)
    lines += ['#include "tickertape/config.h"', '#include "tickertape/events.h"', ""]
    lines += ["#if TT_CONFIG_ENABLED", ""]
    lines += _table(
        "const uint16_t tt_class_first_route[TT_CLASS_COUNT + 1u]",
        (f"{index}u" for index in dictionary.first_routes()),
    )
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
        "const uint8_t tt_route_predictors[TT_ROUTE_COUNT]",
        (f"0x{_predictors(event):02x}u" for _, event in dictionary.routes()),
    )
    lines += ["", "#endif"]
    lines += [
        *_FIND_HEAD.rstrip().splitlines(),
        "",
        *_table("static const run_t runs[]", _runs(dictionary)),
        *_FIND,
    ]
    lines += ["", *_has_wide(dictionary), "", "#endif"]
    return finish(lines)


def _has_wide(dictionary: Dictionary) -> list[str]:
    """The function that knows which routes have a wide form: they are a few runs."""
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
    """Rows of the table of runs; a run is cut where its count would not fit a byte."""
    runs: list[list[int]] = []
    for index, (class_number, event) in enumerate(dictionary.routes()):
        if event is None:
            continue
        code = class_number << 10 | event.number
        if runs and code - runs[-1][0] == index - runs[-1][1] == runs[-1][2] < 255:  # noqa: PLR2004
            runs[-1][2] += 1
        else:
            runs.append([code, index, 1])
    if runs[-1][1] > 255:  # noqa: PLR2004
        message = "first_route of run_t is a byte: make it wider"
        raise ValueError(message)
    return (f"{{0x{code:x}u, {index}u, {count}u}}" for code, index, count in runs)


def _predictors(event: Event | None) -> int:
    """How the two words are predicted, four bits each (wire.yaml, enum predictor)."""
    kinds = {"thread": 1, "object": 2}
    fields = event.fields[:2] if event else ()
    return sum(kinds.get(field.type, 0) << 4 * place for place, field in enumerate(fields))


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

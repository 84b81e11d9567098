"""firmware/core/event_table.c: the constant tables behind events.h."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tools.gen.c_text import banner, finish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.gen.dictionary import Dictionary, Event, EventClass

PATH = "firmware/core/event_table.c"

_TEXT = """
The constant tables behind tickertape/events.h. Nothing of it is built without the tracer.
"""


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
        "",
        "uint32_t tt_route_find(uint32_t event_class, uint32_t event)",
        "{",
        "    return tt_route_lookup(event_class, event);",
        "}",
        "",
        "#endif",
    ]
    return finish(lines)


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

"""All generated files: their paths and generators."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from tools.gen import (
    c_emitters,
    c_events,
    c_model,
    c_table,
    c_types,
    c_vectors,
    c_wire,
    dictionary,
    dictionary_rules,
    layout,
    layout_rules,
    native,
    page,
    py_events,
    py_wire,
    source,
    vectors,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout
    from tools.gen.source import Source

_DEFINED = re.compile(r"^#define (\w+)|^(?:static inline )?\w+ (tt_\w+)\(", re.MULTILINE)


def read(root: Path) -> tuple[Dictionary, Layout, Source]:
    """Read and check the sources below `root`.

    Raises:
        SourceError: a source cannot be used.
    """
    events_source, wire_source = source.load(root, "events"), source.load(root, "wire")
    events, wire = dictionary.build(events_source), layout.build(wire_source)
    layout_rules.check(wire, wire_source)
    dictionary_rules.check(events, events_source, minor=wire.protocol[1])
    return events, wire, source.load(root, "native")


def render(events: Dictionary, wire: Layout, interface: Source) -> dict[str, str]:
    """Return the text of every generated file, by its path.

    Raises:
        SourceError: two names of the sources give the same name in C.
    """
    files = {
        module.PATH: module.render(events)
        for module in (c_events, c_emitters, c_model, c_table, c_types, py_events, page)
    }
    files |= {module.PATH: module.render(wire) for module in (c_wire, py_wire)}
    headers = "".join(files[module.PATH] for module in (c_events, c_emitters, c_wire))
    _check_names(headers)
    files |= native.render(interface)
    return files | {c_vectors.PATH: c_vectors.render(events, wire)} | vectors.render(events, wire)


def _check_names(headers: str) -> None:
    names = [macro or function for macro, function in _DEFINED.findall(headers)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise source.SourceError(
            f"protocol/events.yaml:1: {twice[0]} would be defined twice in C; rename one of the "
            "entries it comes from"
        )

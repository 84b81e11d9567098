"""All generated files: their paths and how each is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen import (
    c_emitters,
    c_events,
    c_table,
    c_wire,
    dictionary,
    layout,
    page,
    py_events,
    py_wire,
    source,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout


def read(root: Path) -> tuple[Dictionary, Layout]:
    """Read and check both sources below `root`.

    Raises:
        SourceError: One of them cannot be used.
    """
    events = dictionary.build(source.load(root, "events"))
    wire = layout.build(source.load(root, "wire"))
    return events, wire


def render(events: Dictionary, wire: Layout) -> dict[str, str]:
    """Make the text of every generated file, by its path."""
    files = {
        module.PATH: module.render(events)
        for module in (c_events, c_emitters, c_table, py_events, page)
    }
    files |= {module.PATH: module.render(wire) for module in (c_wire, py_wire)}
    return files

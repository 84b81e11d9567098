"""Pieces of Python shared by the generated modules, in the layout of `ruff format`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = 100


def header(sources: str, doc: str) -> list[str]:
    """Return the first lines of a generated module."""
    return [
        f"# Generated from {sources} by make gen; do not edit.",
        f'"""{doc}"""',
        "",
        "from __future__ import annotations",
        "",
    ]


def text(value: str) -> str:
    """Return a string literal with double quotes."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def prose(doc: str, indent: str = "") -> list[str]:
    """Return a docstring, on several lines if it is too long for one."""
    line = f'{indent}"""{doc}"""'
    if len(line) <= COLUMNS:
        return [line]
    lines = textwrap.wrap(f'"""{doc}', COLUMNS - len(indent))
    return [*(indent + part for part in lines), f'{indent}"""']


def call(head: str, arguments: Sequence[str], tail: str, indent: str = "") -> list[str]:
    """Return `head(arguments)tail` on one line, or broken as `ruff format` does."""
    close = {"(": ")", "[": "]", "{": "}"}[head[-1]]
    line = f"{indent}{head}{', '.join(arguments)}{close}{tail}"
    if len(line) <= COLUMNS:
        return [line]
    inside = f"{indent}    {', '.join(arguments)}"
    if len(inside) <= COLUMNS:
        return [indent + head, inside, indent + close + tail]
    return [
        f"{indent}{head}",
        *(line for part in arguments for line in _argument(part, indent + "    ")),
        indent + close + tail,
    ]


def _argument(part: str, indent: str) -> list[str]:
    """Return the line of an argument; a long text becomes pieces between parentheses."""
    if len(indent) + len(part) < COLUMNS or not part.startswith('"'):
        return [f"{indent}{part},"]
    pieces = textwrap.wrap(part[1:-1], COLUMNS - len(indent) - 8, drop_whitespace=False)
    return [f"{indent}(", *(f'{indent}    "{piece}"' for piece in pieces), f"{indent}),"]


def int_enum(name: str, title: str, values: Sequence[tuple[str, int, str]]) -> list[str]:
    """Return an IntEnum with the prose of its values."""
    lines = [f"class {name}(IntEnum):", f'    """{title}"""', ""]
    for key, value, doc in values:
        lines.append(f"    {key} = {value}")
        if doc:
            lines += prose(doc, "    ")
    return lines


def camel(name: str) -> str:
    """Convert frame_type or FRAME_TYPE to FrameType."""
    return "".join(part.capitalize() for part in name.lower().split("_"))


def finish(lines: Sequence[str]) -> str:
    """Return lines as the text of a file."""
    return "\n".join(lines) + "\n"

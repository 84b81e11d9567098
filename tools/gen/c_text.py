"""Pieces of C shared by all generated files."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COLUMNS = 100


def banner(sources: str, text: str) -> list[str]:
    """Return the first lines of a generated C file: its sources and its description."""
    lines = [f"/* Generated from {sources} by make gen; do not edit. */", "/*"]
    lines += [f" * {line}".rstrip() for line in text.strip().splitlines()]
    return [*lines, " */"]


def comment(text: str, indent: str = "") -> list[str]:
    """Return a comment, on one line if it fits."""
    if len(indent) + len(text) + 6 <= COLUMNS:
        return [f"{indent}/* {text} */"]
    lines = textwrap.wrap(text, COLUMNS - len(indent) - 3)
    return [f"{indent}/*", *(f"{indent} * {line}" for line in lines), f"{indent} */"]


def macro(lines: Sequence[str]) -> list[str]:
    """Return the lines of a macro, all but the last with a backslash in the last column."""
    return [*(f"{line:<{COLUMNS - 1}}\\" for line in lines[:-1]), lines[-1]]


def defines(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return macros with their values in one column."""
    width = max((len(name) for name, _ in pairs), default=0)
    return [f"#define {name:<{width}} {value}" for name, value in pairs]


def call(
    head: str, arguments: Iterable[str], tail: str, indent: str = "", columns: int = COLUMNS
) -> list[str]:
    """Return `head(arguments)tail`, broken after commas and aligned as clang-format does."""
    start = f"{indent}{head}("
    parts = list(arguments)
    lines, line = [], start
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        piece = part + (")" + tail if last else ",")
        joiner = "" if line.endswith("(") or not line.strip() else " "
        if len(line) + len(joiner) + len(piece) > columns and line != start:
            lines.append(line)
            line, joiner = " " * len(start), ""
        line += joiner + piece
    return [*lines, line]


def number(value: int) -> str:
    """Return an unsigned constant."""
    return f"{value}u"


def finish(lines: Iterable[str]) -> str:
    """Return lines as the text of a file."""
    return "\n".join(lines) + "\n"

"""Formats the lines of display files of Kiwi (`.tra`), the successor of Quivi.

A line of the file is a directive or an event, `time type arguments`. Directives precede the first
event. Times are in seconds from 0 to 9999.999999999 and never step back. A display has up to 100
named lines, 0 to 99. docs/ktrace.md has the grammar.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from tickertape.decode.ticks import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Mapping

LINE_LIMIT: Final = 100
MOST_NS: Final = 9_999_999_999_999
NS_DIGITS: Final = 9
# Kiwi is a Tcl program and splits a line as a list: blanks and special characters end a word.
_NOT_IN_A_WORD: Final = re.compile(r"[^0-9A-Za-z_.:+/=<>-]+")


class KiwiType(IntEnum):
    """Type of a display event."""

    START = 0
    STOP = 1
    DEADLINE = 2
    EXEC_B = 3
    EXEC_E = 4
    READY_B = 5
    READY_E = 6
    LOCK = 7
    UNLOCK = 8
    ARROWDOWN = 9
    ARROWUP = 10
    BLOCK = 11
    VLINE = 12
    TEXTOVER = 13
    TEXTUNDER = 14


def word(text: str) -> str:
    """Convert a text to one Tcl word: other characters become `_`, an empty text becomes `-`."""
    return _NOT_IN_A_WORD.sub("_", text) or "-"


def seconds(ns: int) -> str:
    """Format a time, at most `MOST_NS`, in seconds."""
    return f"{ns // NS_PER_S}.{ns % NS_PER_S:09d}"


def event_line(ns: int, kind: KiwiType, *arguments: int | str) -> str:
    """Format an event; texts among the arguments must be words, see `word`."""
    name = kind.name.replace("_", "-")
    return " ".join([seconds(ns), name, *map(str, arguments)]) + "\n"


def head(remarks: list[str], duration_ns: int, lines: Mapping[int, str]) -> str:
    """Format the directives.

    Args:
        remarks: comments, one line each.
        duration_ns: time of the last event.
        lines: names of display lines, by number.
    """
    said = [f"# {' '.join(remark.split())}" for remark in remarks]
    said += [
        "FROM 0",
        f"DURATION {seconds(max(duration_ns, 1))}",
        f"DECIMAL_DIGITS {NS_DIGITS}",
        *(f"LINE_NAME {number} {word(name)}" for number, name in sorted(lines.items())),
    ]
    return "".join(line + "\n" for line in said)

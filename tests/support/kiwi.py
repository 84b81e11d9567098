"""A strict reader of Kiwi's display files, written from their grammar.

It uses no code of the host package. Input that Kiwi would refuse or misread raises ValueError.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    *("START", "STOP", "DEADLINE", "EXEC-B", "EXEC-E", "READY-B", "READY-E", "LOCK", "UNLOCK"),
    *("ARROWDOWN", "ARROWUP", "BLOCK", "VLINE", "TEXTOVER", "TEXTUNDER"),
)
# Arguments by type: L line of the display, T text, C colour, c optional colour.
ARGUMENTS = {
    **dict.fromkeys(("START", "STOP", "DEADLINE", "EXEC-E", "READY-E"), "Lc"),
    **dict.fromkeys(("EXEC-B", "READY-B"), "L"),
    **dict.fromkeys(
        ("LOCK", "UNLOCK", "ARROWDOWN", "ARROWUP", "BLOCK", "TEXTOVER", "TEXTUNDER"), "LTC"
    ),
    "VLINE": "TC",
}
DIRECTIVES = {
    **dict.fromkeys(("FROM", "DURATION"), "t"),
    **dict.fromkeys(("ZOOM_X", "ZOOM_Y"), "n"),
    "PALETTE": "T",
    "DECIMAL_DIGITS": "d",
    "LINE_NAME": "LT",
    "COLOR": "ELC",
}
PATTERNS = {
    "L": r"[0-9]{1,2}",
    "n": r"[0-9]+",
    "d": r"[0-9]",
    "t": r"[0-9]+(\.[0-9]+)?",
    "C": r"[A-Za-z]+[0-9]*|#[0-9A-Fa-f]{6}",
    "T": r'[^\s{}"\[\]$;\\]+',
    "E": "|".join(NAMES) + "|[0-9]|1[0-4]",
}
LIMIT = Decimal("9999.999999999")


@dataclass(frozen=True)
class KiwiEvent:
    """One event; `line` is None for VLINE."""

    time: Decimal
    type: str
    line: int | None
    text: str | None


@dataclass
class KiwiFile:
    """A whole file."""

    directives: dict[str, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    events: list[KiwiEvent] = field(default_factory=list)

    def intervals(self, kind: str) -> dict[int, list[tuple[Decimal, Decimal]]]:
        """Return the intervals of EXEC or READY by line; begins and ends must alternate."""
        found: dict[int, list[tuple[Decimal, Decimal]]] = defaultdict(list)
        open_: dict[int, Decimal] = {}
        for event in self.events:
            if event.type == f"{kind}-B":
                if event.line in open_:
                    raise ValueError(f"{event} begins twice")
                assert event.line is not None
                open_[event.line] = event.time
            elif event.type == f"{kind}-E":
                assert event.line is not None
                found[event.line].append((open_.pop(event.line), event.time))
        if open_:
            raise ValueError(f"{open_} do not end")
        return found


def read_kiwi(path: Path) -> KiwiFile:
    """Read a file.

    Raises:
        ValueError: Kiwi would refuse or misread the file.
    """
    file = KiwiFile()
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] in DIRECTIVES:
            _directive(file, words)
        else:
            file.events.append(_event(words))
            if len(file.events) > 1 and file.events[-2].time > file.events[-1].time:
                raise ValueError(f"{line!r} is out of order")
    return file


def _match(words: list[str], kinds: str) -> None:
    least = len(kinds.rstrip("c"))
    if not least <= len(words) <= len(kinds):
        raise ValueError(f"{words} have another number of arguments")
    for word, kind in zip(words, kinds, strict=False):
        if not re.fullmatch(PATTERNS[kind.upper() if kind == "c" else kind], word):
            raise ValueError(f"{word!r} of {words} is not a {kind}")


def _directive(file: KiwiFile, words: list[str]) -> None:
    if file.events:
        raise ValueError(f"{words} follow an event")
    _match(words[1:], DIRECTIVES[words[0]])
    if words[0] == "LINE_NAME":
        file.names[int(words[1])] = words[2]
    file.directives[words[0]] = words[1]


def _event(words: list[str]) -> KiwiEvent:
    _match(words[:1], "t")
    time = Decimal(words[0])
    name = NAMES[int(words[1])] if words[1].isdigit() else words[1]
    kinds = ARGUMENTS.get(name)
    if kinds is None or time > LIMIT:
        raise ValueError(f"{words} are not an event")
    _match(words[2:], kinds)
    line = int(words[2]) if kinds.startswith("L") else None
    text = words[2 + (line is not None)] if "T" in kinds else None
    return KiwiEvent(time, name, line, text)

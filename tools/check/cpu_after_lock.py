"""Check that the CPU number is read only while interrupts are masked.

A thread that reads `tt_port_cpu()` before it masks may migrate in between: it then uses the ring of
its previous CPU, and becomes its second writer. Zephyr's `arch_curr_cpu()` is the same.
A function that reads the number has to mask first, or to have a comment above it which states that
its caller has masked (`interrupts masked`, `interrupts are masked`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_CALL = re.compile(r"\b(?:tt_port_cpu|arch_curr_cpu)\(\)")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LOCK = re.compile(r"\btt_(?:port|control)_lock\(\)")
_UNLOCK = re.compile(r"\btt_(?:port|control)_unlock\(")
_STATED = re.compile(r"interrupts\s+(?:are\s+)?masked")
_FUNCTION = re.compile(
    r"^(?P<head>[^\n{}]*\([^{};]*\)\n)\{\n(?P<body>.*?)^\}", re.MULTILINE | re.DOTALL
)


def _blank(match: re.Match[str]) -> str:
    """Replace the text of a comment by spaces; keep its line breaks."""
    return re.sub(r"[^\n]", " ", match[0])


def _functions(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (position of the body, body without comments, comment above) of every function."""
    code = _COMMENT.sub(_blank, text)
    for match in _FUNCTION.finditer(code):
        above = text[: match.start()].rstrip()
        start = above.rfind("/*") if above.endswith("*/") else len(above)
        yield match.start("body"), match["body"], " ".join(above[start:].replace("*", " ").split())


def check_text(name: str, text: str) -> list[str]:
    """Check one file; return one line per read of the CPU number without masking."""
    problems = []
    for start, body, comment in _functions(text):
        for call in _CALL.finditer(body):
            before = body[: call.start()]
            masked = len(_LOCK.findall(before)) > len(_UNLOCK.findall(before))
            if not masked and not _STATED.search(comment):
                line = text.count("\n", 0, start + call.start()) + 1
                problems.append(f"{name}:{line}: {call[0]} before interrupts are masked")
    return problems


def check(root: Path, files: Iterable[Path]) -> list[str]:
    """Check C files, given relative to `root`, except port.h, which defines the function."""
    return [
        problem
        for file in files
        if file.name != "port.h"
        for problem in check_text(str(file), (root / file).read_text(encoding="utf-8"))
    ]

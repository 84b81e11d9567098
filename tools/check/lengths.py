"""Check the limits of STYLE: 60 lines for a function, 500 for a file.

The rule is 35 and 300 lines; the rule may have exceptions, the limits have none. Generated files
are exempt: they are not read from top to bottom.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FUNCTION_LINES = 60
FILE_LINES = 500
_GENERATED = re.compile(r"generated (by|from)", re.IGNORECASE)
_HEAD_CHARACTERS = 400


def is_generated(text: str) -> bool:
    """Return whether a file is marked as generated at its top."""
    return _GENERATED.search(text[:_HEAD_CHARACTERS]) is not None


def python_functions(text: str) -> Iterator[tuple[int, int]]:
    """Yield (first line, length) of every function; the docstring does not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            length = node.end_lineno - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) and first.end_lineno:
                length -= first.end_lineno - first.lineno + 1
            yield node.lineno, length


def c_functions(text: str) -> Iterator[tuple[int, int]]:
    """Yield (first line, length) of every body; its braces are in column 0 by clang-format."""
    start = None
    for number, line in enumerate(text.splitlines(), 1):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield start, number - start + 1
            start = None


def check_text(name: str, text: str) -> list[str]:
    """Check one file; return one line per exceeded limit."""
    if is_generated(text):
        return []
    problems = []
    count = text.count("\n")
    if count > FILE_LINES:
        problems.append(f"{name}: {count} lines, the wall is {FILE_LINES}; one module, one idea")
    functions = python_functions(text) if name.endswith(".py") else c_functions(text)
    problems.extend(
        f"{name}:{line}: a function of {length} lines, the wall is {FUNCTION_LINES}"
        for line, length in functions
        if length > FUNCTION_LINES
    )
    return problems


def check(root: Path, files: Iterable[Path]) -> list[str]:
    """Check Python and C files, given relative to `root`."""
    return [
        problem
        for file in files
        for problem in check_text(str(file), (root / file).read_text(encoding="utf-8"))
    ]

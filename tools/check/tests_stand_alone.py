"""Check the tests: imports from other tests, and assertions that cannot fail.

A test imports helpers from `tests.support`, or from a module in its own folder that contains only
helpers. An import of a test module couples two tests: one cannot be changed, moved or run without
the other.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_TESTS = "tests."
_SUPPORT = "tests.support"


def check(root: Path, files: Iterable[Path]) -> list[str]:
    """Check Python files of `tests`, given relative to `root`; return one line per violation."""
    return [
        complaint
        for file in files
        for complaint in check_text(file, (root / file).read_text(encoding="utf-8"))
    ]


def check_text(file: Path, text: str) -> list[str]:
    """Check one file, given by its path relative to the root and its text."""
    tree = ast.parse(text)
    own = ".".join(file.parent.parts)
    return [
        f"{file}:{node.lineno}: {what}"
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        for what in (*_imports(node, own), *_assertions(node))
    ]


def _imports(node: ast.stmt, own: str) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{one.name}" for one in node.names]
    elif isinstance(node, ast.Import):
        names = [one.name for one in node.names]
    else:
        return
    for name in names:
        if not name.startswith(_TESTS) or name.startswith(_SUPPORT):
            continue
        if any(part.startswith("test_") or part == "conftest" for part in name.split(".")):
            yield f"imports {name} of another test; move it to {_SUPPORT}"
        elif not name.startswith(f"{own}."):
            yield f"imports {name} of another folder; move it to {_SUPPORT}"


def _assertions(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assert) and _always_true(node.test):
        yield f"asserts {ast.unparse(node.test)}, which cannot fail"
    elif isinstance(node, ast.Try) and any(map(_swallows_failures, node.handlers)):
        yield "swallows failed assertions; name the exception that is expected"


def _always_true(test: ast.expr) -> bool:
    """Return whether a condition is true regardless of the product."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple):
        return bool(test.elts)
    if isinstance(test, ast.BoolOp):
        every = all if isinstance(test.op, ast.And) else any
        return every(map(_always_true, test.values))
    if isinstance(test, ast.IfExp):
        return _always_true(test.body) or _always_true(test.orelse)
    return ast.unparse(test).startswith("len(") and ast.unparse(test).endswith(") >= 0")


def _swallows_failures(handler: ast.ExceptHandler) -> bool:
    kinds = ast.unparse(handler.type) if handler.type else "BaseException"
    broad = {"BaseException", "Exception", "AssertionError"} & set(kinds.strip("()").split(", "))
    return bool(broad) and not any(isinstance(one, ast.Raise) for one in ast.walk(handler))

"""Guards the direction of imports in the host (DESIGN: cli at the top, protocol at the bottom).

A module names what it needs; the table says who may need whom. A package that is not in the
table is an error as well: whoever adds one decides where it belongs.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = "tickertape"

_TAPE_READERS = frozenset({"errors", "protocol", "decode", "tape", "symbols", "model"})

# Part of the package -> parts it may import. "" is tickertape/__init__.py.
ALLOWED: dict[str, frozenset[str]] = {
    "": frozenset({"errors", "decode", "api"}),
    "errors": frozenset(),
    "protocol": frozenset({"errors"}),
    "btf": frozenset({"errors"}),
    "_native": frozenset(),
    "decode": frozenset({"", "errors", "protocol", "_native"}),
    "link": frozenset({"errors", "decode"}),  # packets of an SWO pin
    "symbols": frozenset({"errors"}),
    "tape": frozenset({"", "errors", "protocol", "decode", "_native"}),
    "model": frozenset({"errors", "protocol", "decode", "tape", "symbols", "_native"}),
    "analysis": _TAPE_READERS,
    "export": _TAPE_READERS | {"_native", "analysis", "btf"},
    "imports": _TAPE_READERS | {"btf"},
    "api": _TAPE_READERS | {"analysis", "export", "imports", "collector", "link"},
    "collector": _TAPE_READERS | {"", "link", "analysis"},
    "control": frozenset({"errors", "protocol", "decode", "link"}),
    "broker": frozenset({"errors", "protocol", "decode", "link", "control"}),
    "posix_trace": frozenset({"errors"}),
    "targets": frozenset({"errors", "link"}),
    "cli": _TAPE_READERS
    | {"", "link", "analysis", "export", "imports", "collector", "control", "broker"}
    | {"targets", "btf"},
}

# Modules from elsewhere -> parts that may import them. What reads a tape never touches a device,
# decoders do no I/O, and only the command line knows that there is a screen.
OUTSIDE: dict[str, frozenset[str]] = {
    "serial": frozenset({"link"}),
    "elftools": frozenset({"symbols"}),
    "rich": frozenset({"cli"}),
    "argparse": frozenset({"cli"}),
    "socket": frozenset({"link", "targets"}),
    "select": frozenset({"link", "targets"}),
    "subprocess": frozenset({"targets", "cli"}),
    "construct": frozenset({"protocol", "decode", "tape"}),
}


def part_of(path: Path, source: Path) -> str:
    """Name the part of the package that a file belongs to."""
    first = path.relative_to(source / PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def imported_modules(tree: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of everything that a module imports, wherever it does.

    Args:
        tree: the parsed module.
        package: names of the packages around the module, for relative imports.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{stem}.{alias.name}"


def complaint(part: str, module: str, parts: frozenset[str]) -> str | None:
    """Say why `part` must not import `module`, or None when it may."""
    top, _, rest = module.partition(".")
    if top != PACKAGE:
        owners = OUTSIDE.get(top)
        if owners is None or part in owners:
            return None
        return f"only {', '.join(sorted(owners))} may import {top}"
    name = rest.partition(".")[0]
    target = name if name in parts else ""
    if target == part or target in ALLOWED[part]:
        return None
    return f"{part or PACKAGE} must not import {target or PACKAGE}"


def check(source: Path) -> list[str]:
    """Check every module under `source`/tickertape; return one line per crossing."""
    modules = sorted((source / PACKAGE).rglob("*.py"))
    parts = frozenset(part_of(path, source) for path in modules)
    problems = [f"{PACKAGE}/{part}: add it to ALLOWED" for part in sorted(parts - set(ALLOWED))]
    for path in modules:
        part = part_of(path, source)
        if part not in ALLOWED:
            continue
        relative = path.relative_to(source)
        tree = ast.parse(path.read_text(encoding="utf-8"), str(relative))
        for line, module in imported_modules(tree, relative.parts[:-1]):
            if reason := complaint(part, module, parts):
                problems.append(f"{relative}:{line}: {reason}")
    return problems

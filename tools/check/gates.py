"""The list of static gates; each one returns its complaints as lines."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools import stack
from tools.check import (
    c_compile,
    c_includes,
    c_layers,
    cpu_after_lock,
    lengths,
    prose,
    tests_stand_alone,
    view_page,
)
from tools.check.process import TOOLS, complaints, tracked_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_C_KINDS = ("c", "h", "cpp", "hpp")
_FIRMWARE_FILES = tuple(f"firmware/**/*.{kind}" for kind in _C_KINDS)
_C_FILES = (
    *_FIRMWARE_FILES,
    *(f"{folder}/**/*.{kind}" for folder in ("tests", "host", "examples") for kind in _C_KINDS),
)
# Files with prose, without test data and released copies of the protocol, which must not change.
_PROSE_FILES = (
    *_C_FILES,
    *("*.py", "*.md", "*.yaml", "*.yml", "*.toml", "*.mk", "*.conf", "*.overlay", "*.pml"),
    *("**Makefile", "**Kconfig", "**CMakeLists.txt", "tools/setup", ".ci/run"),
    *(":!tests/data", ":!protocol/vectors", ":!protocol/released/*.yaml"),
)


@dataclass(frozen=True)
class Gate:
    """One gate.

    Attributes:
        name: name for --only.
        run: checks the project at a root; returns lines of complaints.
    """

    name: str
    run: Callable[[Path], list[str]]


def _tool(name: str, *arguments: str) -> Callable[[Path], list[str]]:
    return lambda root: complaints([str(TOOLS / name), *arguments], root)


def _clang_format(root: Path) -> list[str]:
    files = map(str, tracked_files(root, *_C_FILES))
    return complaints([str(TOOLS / "clang-format"), "--dry-run", "-Werror", *files], root)


def _cpu_after_lock(root: Path) -> list[str]:
    folders = ("core", "facades", "links", "ports/zephyr", "ports/freertos")
    files = tracked_files(
        root, *(f"firmware/{folder}/**/*.{kind}" for folder in folders for kind in "ch")
    )
    return cpu_after_lock.check(root, files)


def _lengths(root: Path) -> list[str]:
    return lengths.check(root, tracked_files(root, *_C_FILES, "*.py"))


def _docs(root: Path) -> list[str]:
    """Build the site of the documentation; a warning, such as a broken link, is an error."""
    return complaints([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], root)


def _generated(root: Path) -> list[str]:
    return complaints([sys.executable, "-m", "tools.gen", "--check"], root)


GATES = (
    Gate("ruff", _tool("ruff", "check", "--no-fix", "--output-format=concise", ".")),
    Gate("ruff-format", _tool("ruff", "format", "--check", ".")),
    Gate("mypy", _tool("mypy")),
    Gate("clang-format", _clang_format),
    Gate("gcc", c_compile.compile_all),
    Gate("clang-tidy", c_compile.tidy_all),
    Gate("imports", _tool("lint-imports", "--no-logo")),
    Gate("c-includes", lambda root: c_includes.check(root, tracked_files(root, *_FIRMWARE_FILES))),
    Gate("c-layers", lambda root: c_layers.check(root, tracked_files(root, *_FIRMWARE_FILES))),
    Gate("cpu-after-lock", _cpu_after_lock),
    Gate("lengths", _lengths),
    Gate("prose", lambda root: prose.check(root, tracked_files(root, *_PROSE_FILES))),
    Gate("tests", lambda root: tests_stand_alone.check(root, tracked_files(root, "tests/**/*.py"))),
    Gate("stack", stack.check),
    Gate("view-page", view_page.check),
    Gate("docs", _docs),
    Gate("generated", _generated),
)


def format_in_place(root: Path) -> list[str]:
    """Format Python and C; return the errors of the formatters."""
    files = map(str, tracked_files(root, *_C_FILES))
    return [
        *complaints([str(TOOLS / "ruff"), "format", "."], root),
        *complaints([str(TOOLS / "clang-format"), "-i", *files], root),
    ]

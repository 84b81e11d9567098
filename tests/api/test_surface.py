"""The API is closed: all types that public names take, return and raise are public, documented."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, get_args

import pytest

import tickertape
from tests.support.patience import HANG_S
from tickertape import TickertapeError

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = Path(__file__).with_name("user_program.py")
PUBLIC = {id(getattr(tickertape, name)) for name in tickertape.__all__}
INNER = {"BootStats": {"ProcessStats"}, "Verdict": {"Violation"}}
"""Types inside of answers, described in docs/stats.md and docs/check.md."""
USERS = {"OnEvent", "OnGap", "Callable[[OnEvent], OnEvent]"}
"""Annotations of functions of the user."""


def names_in(module: str) -> dict[str, Any]:
    """Return the names of a module, including those imported for type checking only."""
    found = dict(vars(sys.modules[module]))
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
        if isinstance(node, ast.ImportFrom) and node.module:
            home = import_module(node.module)
            found |= {
                one.asname or one.name: getattr(home, one.name)
                for one in node.names
                if hasattr(home, one.name)
            }
    return found


def functions_of(value: object) -> Iterator[FunctionType]:
    """Yield a function, or the public methods and properties of a class and its bases."""
    if isinstance(value, FunctionType):
        yield value
    if not isinstance(value, type):
        return
    for one in value.__mro__:
        if not one.__module__.startswith("tickertape."):
            continue
        for name, member in vars(one).items():
            found = member.fget if isinstance(member, property) else member
            found = found.func if isinstance(found, cached_property) else found
            if isinstance(found, FunctionType) and not name.startswith("_"):
                yield found


def classes_in(hint: Any) -> Iterator[type]:  # noqa: ANN401 - a type of any form
    if isinstance(hint, type) and not get_args(hint):
        yield hint
    for part in get_args(hint):
        for one in part if isinstance(part, list) else [part]:
            yield from classes_in(one)


def types_of(name: str) -> Iterator[type]:
    """Yield our types that a public name takes and returns."""
    for function in functions_of(getattr(tickertape, name)):
        known = names_in(function.__module__)
        for text in set(function.__annotations__.values()) - USERS:
            for one in classes_in(eval(text, known)):  # noqa: S307 - our own annotation
                if one.__module__.startswith("tickertape."):
                    yield one


@pytest.mark.parametrize("name", tickertape.__all__)
def test_what_a_public_name_takes_and_returns_is_public(name: str) -> None:
    hidden = {one.__qualname__ for one in types_of(name) if id(one) not in PUBLIC}
    assert hidden == INNER.get(name, set())


def test_the_check_of_types_sees_returned_and_taken_ones() -> None:
    found = {one.__name__ for one in types_of("Tape")}
    assert {"Selected", "Summary", "PlanOptions", "TapeEvent", "TapeBalance", "Hello"} <= found


def test_each_error_is_public() -> None:
    import_module("tickertape.answers.spec")
    every, found = [TickertapeError], set()
    while every:
        one = every.pop()
        every += one.__subclasses__()
        if one.__module__.startswith("tickertape.") and one.__name__ != "OutdatedError":
            found.add(one.__name__)  # `view` itself handles OutdatedError
    assert found - set(tickertape.__all__) == set()
    assert len(found) > 20


@pytest.mark.parametrize("name", tickertape.__all__)
def test_each_member_of_a_public_name_is_documented(name: str) -> None:
    for function in functions_of(getattr(tickertape, name)):
        assert inspect.getdoc(function), function.__qualname__


def judged(program: Path, folder: Path) -> list[str]:
    """Return the errors of mypy --strict in a program of a user."""
    words = ["--strict", "--config-file=", "--no-color-output", f"--cache-dir={folder / 'cache'}"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if "error:" in line]


def test_mypy_accepts_a_program_that_uses_everything_and_refuses_mistakes(tmp_path: Path) -> None:
    program = PROGRAM.read_text(encoding="utf-8")
    wrong = {
        'tape.select(tasks=["control", 3], boot=0)': 'tape.select(taks=["control"])',
        "cpus=range(2)": 'cpus="0"',
        'tickertape.run(target="native"': 'tickertape.run(tagret="native"',
        "event.time_ns + 1": "event.time_ns + event.nam",
    }
    for good, bad in wrong.items():
        assert program.count(good) == 1
        program = program.replace(good, bad)
    mistaken = tmp_path / "mistaken.py"
    mistaken.write_text(program, encoding="utf-8")
    assert judged(PROGRAM, tmp_path) == []
    text = "\n".join(judged(mistaken, tmp_path))
    for word in ("taks", '"cpus"', "tagret", '"nam"'):
        assert word in text

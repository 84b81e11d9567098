"""The gate for lengths: 60 lines per function, 500 per file."""

from __future__ import annotations

import pytest

from tools.check import lengths


def python_function(lines: int) -> str:
    return "def f():\n" + "    x = 1\n" * (lines - 1)


def c_function(lines: int) -> str:
    return "int f(void)\n{\n" + "    x();\n" * (lines - 2) + "}\n"


@pytest.mark.parametrize(
    ("name", "make", "line"), [("a.py", python_function, 1), ("a.c", c_function, 2)]
)
def test_a_function_may_have_60_lines(name: str, make: object, line: int) -> None:
    assert callable(make)
    assert lengths.check_text(name, make(60)) == []
    assert lengths.check_text(name, make(61)) == [
        f"{name}:{line}: a function of 61 lines, the wall is 60"
    ]


def test_a_docstring_is_free() -> None:
    text = 'def f():\n    """One.\n' + "\n" * 40 + '    """\n' + "    x = 1\n" * 50
    assert lengths.check_text("a.py", text) == []


@pytest.mark.parametrize("name", ["a.c", "a.h"])
def test_a_file_may_have_500_lines(name: str) -> None:
    assert lengths.check_text(name, "\n" * 500) == []
    assert len(lengths.check_text(name, "\n" * 501)) == 1


def test_generated_files_are_exempt() -> None:
    text = "/* Generated from protocol/wire.yaml by make gen; do not edit. */\n"
    assert lengths.check_text("a.h", text + "\n" * 900) == []

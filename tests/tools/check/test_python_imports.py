"""The import guard: silent on the real package, and it speaks for every way to cross a layer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.check import python_imports

HOST = Path(__file__).parents[3] / "host/src"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tiny package in which nothing is crossed."""
    package = tmp_path / "tickertape"
    for part in ("decode", "tape", "link", "cli"):
        (package / part).mkdir(parents=True)
        (package / part / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "errors.py").write_text("")
    (package / "tape/reader.py").write_text(
        "import numpy\nfrom tickertape.decode import x\nfrom tickertape import errors\n"
    )
    assert python_imports.check(tmp_path) == []
    return tmp_path


def test_the_project_keeps_its_layers() -> None:
    assert python_imports.check(HOST) == []


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("decode/a.py", "from tickertape.tape import reader", "decode must not import tape"),
        ("decode/a.py", "import tickertape.cli.main", "decode must not import cli"),
        ("tape/a.py", "from tickertape import link", "tape must not import link"),
        ("tape/a.py", "from .. import link", "tape must not import link"),
        ("tape/a.py", "from ..link import base", "tape must not import link"),
        ("tape/a.py", "def f():\n    import tickertape.link", "tape must not import link"),
        ("link/a.py", "from tickertape import __version__", "link must not import tickertape"),
        ("decode/a.py", "import socket", "only link, targets may import socket"),
        ("tape/a.py", "from serial import Serial", "only link may import serial"),
        ("tape/a.py", "import rich.console", "only cli may import rich"),
        ("errors.py", "import tickertape.decode", "errors must not import decode"),
        ("__init__.py", "import tickertape.cli", "tickertape must not import cli"),
    ],
)
def test_a_crossing_is_found(source: Path, file: str, line: str, reason: str) -> None:
    path = source / "tickertape" / file
    path.write_text(line)
    number = len(line.splitlines())
    assert python_imports.check(source) == [f"tickertape/{file}:{number}: {reason}"]


def test_an_unknown_part_has_to_be_placed(source: Path) -> None:
    (source / "tickertape/surprise").mkdir()
    (source / "tickertape/surprise/__init__.py").write_text("import serial")
    assert python_imports.check(source) == ["tickertape/surprise: add it to ALLOWED"]


@pytest.mark.parametrize("line", ["from . import other", "from .other import x", "import json"])
def test_its_own_part_and_the_library_are_free(source: Path, line: str) -> None:
    (source / "tickertape/tape/a.py").write_text(line)
    assert python_imports.check(source) == []

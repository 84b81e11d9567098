"""Files and answers are identical byte for byte with the compiled part and with Python."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tickertape._native.engine import VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

FORMATS = [
    ("btf", "--version", "2.1"),
    ("btf", "--version", "2.3"),
    ("perfetto",),
    ("chrome",),
]


@pytest.mark.parametrize("example", ["messages", "stress", "storm"])
def test_exports_are_the_same(tickertape: Command, tmp_path: Path, example: str) -> None:
    words = ("run", "--target", "native", "--example", example, "-o", "x.tape", "--duration", "0.2")
    assert tickertape(*words).returncode == 0
    for number, (format_, *options) in enumerate(FORMATS):
        files = []
        for chosen in ("0", "1"):
            output = tmp_path / f"{number}.{chosen}"
            line = ("export", format_, "x.tape", "-o", output, *options)
            done = tickertape(*line, env={**os.environ, VARIABLE: chosen})
            assert done.returncode == 0, done.stderr
            files.append(output.read_bytes())
        assert files[0] == files[1], (format_, options)
        assert files[0]
    answers = [
        tickertape("stats", "x.tape", "--json", env={**os.environ, VARIABLE: chosen})
        for chosen in ("0", "1")
    ]
    assert answers[0].returncode == answers[1].returncode == 0
    assert answers[0].stdout == answers[1].stdout

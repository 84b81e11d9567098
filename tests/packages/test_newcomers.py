"""Newcomers with the wheel, outside of the checkout, who type what README.md shows and no more."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.support.programs import ROOT
from tickertape.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.packages import Environment

pytestmark = pytest.mark.process
README = (ROOT / "README.md").read_text(encoding="utf-8")


def door(who: str) -> str:
    """Return the block of code that follows the name of a kind of user."""
    found = re.search(rf"\*\*{who}\*\*.*?^```\w+\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def typed(installed: Environment, cwd: Path, who: str) -> list[str]:
    """Run all commands of a door; return what they print."""
    printed = []
    for line in door(who).splitlines():
        done = installed.run(*shlex.split(line, comments=True), cwd=cwd)
        assert done.returncode == 0, (line, done.stderr)
        printed.append(done.stdout)
    return printed


def balance(installed: Environment, tape: str, cwd: Path) -> dict[str, int]:
    done = installed.run("tickertape", "info", tape, "--json", cwd=cwd)
    total: dict[str, int] = json.loads(done.stdout)["balance"]
    return total


def test_with_a_trace_of_another_tool(installed: Environment, tmp_path: Path, tape: Path) -> None:
    assert main(["export", "kev", str(tape), "-o", str(tmp_path / "trace.kev"), "-q"]) == 0
    _, info = typed(installed, tmp_path, "I have a trace of another tool")
    assert "CPU time by task" in info
    assert re.search(r"^consumer ", info, re.MULTILINE)
    total = balance(installed, "T.tape", tmp_path)
    assert total["offered"] == total["delivered"] > 0


def test_with_a_regression_test_for_ci(installed: Environment, tmp_path: Path) -> None:
    _, why, _, verdicts = typed(installed, tmp_path, "I want a regression test in CI")
    assert "blocked on bus, held by logger" in why
    assert "0 FAIL, 0 UNKNOWN" in verdicts
    assert "<testsuite" in (tmp_path / "verdicts.xml").read_text(encoding="utf-8")
    spec = tmp_path / "timing.yaml"
    limits = spec.read_text(encoding="utf-8")
    spec.write_text(
        re.sub(r"(- response: control\n    max: ).*", r"\g<1>3 ms", limits), encoding="utf-8"
    )
    judge = shlex.split(door("I want a regression test in CI").splitlines()[-1], comments=True)
    assert installed.run(*judge, cwd=tmp_path).returncode == 1
    total = balance(installed, "demo.tape", tmp_path)
    assert total["offered"] == total["delivered"] > 0


def test_who_writes_python(installed: Environment, tmp_path: Path) -> None:
    (record,) = re.findall(r"^tickertape run .*", README, re.MULTILINE)
    assert installed.run(*shlex.split(record, comments=True), cwd=tmp_path).returncode == 0
    (tmp_path / "mine.py").write_text(door("I write Python"), encoding="utf-8")
    done = installed.run("python", "mine.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " control bus\n" in done.stdout
    total = balance(installed, "T.tape", tmp_path)
    assert total["offered"] == total["delivered"] > 0

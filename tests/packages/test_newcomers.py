"""The commands of README.md for new users work with the wheel, outside of the checkout."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.programs import ROOT
from tests.support.zephyr_boards import build, needs_zephyr
from tickertape.cli.main import main

if TYPE_CHECKING:
    from tests.support.packages import Environment

pytestmark = pytest.mark.process
README = (ROOT / "README.md").read_text(encoding="utf-8")


def door(who: str) -> str:
    """Return the last code block of the README section for a kind of user."""
    part = re.search(rf"\*\*{who}\*\*.*?(?=\n\*\*|\n## )", README, re.DOTALL)
    assert part is not None
    block: str = re.findall(r"^```\w+\n(.*?)^```$", part[0], re.MULTILINE | re.DOTALL)[-1]
    return block


def typed(installed: Environment, cwd: Path, who: str) -> list[str]:
    """Run all lines of a `door` in a shell; return the output of each line.

    Debian packages that a line would install must be installed already.
    """
    printed = []
    for line in door(who).splitlines():
        words = shlex.split(line, comments=True)
        if words[:3] == ["sudo", "apt-get", "install"]:
            subprocess.run(["dpkg-query", "-W", *words[3:]], check=True, capture_output=True)
            continue
        done = installed.shell(line, cwd=cwd)
        assert done.returncode == 0, (line, done.stderr)
        assert "warning" not in done.stderr.lower(), (line, done.stderr)
        printed.append(done.stdout)
    return printed


def balance(installed: Environment, tape: str, cwd: Path) -> dict[str, int]:
    done = installed.run("tickertape", "info", tape, "--json", cwd=cwd)
    total: dict[str, int] = json.loads(done.stdout)["balance"]
    return total


def test_with_their_own_kernel(installed: Environment, tmp_path: Path) -> None:
    info = typed(installed, tmp_path, "I have my own kernel")[-1]
    assert "superloop on mps2-an385" in info
    total = balance(installed, "T.tape", tmp_path)
    assert total["offered"] == total["delivered"] > 1000


ZEPHYR = "I have Zephyr"


def test_the_sample_for_zephyr_is_where_west_fetches_it() -> None:
    (manifest,) = re.findall(
        r"\*\*I have Zephyr\*\*.*?^```yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
    )
    (project,) = yaml.safe_load(manifest)
    sample = Path(shlex.split(door(ZEPHYR))[4])
    assert sample.parts[0] == project["name"]
    assert (
        "CONFIG_TICKERTAPE=y"
        in (ROOT / sample.relative_to(project["name"]) / "prj.conf").read_text()
    )


@needs_zephyr
def test_with_zephyr(installed: Environment, tmp_path: Path) -> None:
    """Build with CMake instead of `west build`, because the tree may not be a west workspace."""
    build_line, *rest = door(ZEPHYR).splitlines()
    west, verb, _, board, sample = shlex.split(build_line, comments=True)
    assert (west, verb) == ("west", "build")
    folder = build(ROOT / Path(sample).relative_to("tickertape"), board, name="newcomer")
    (tmp_path / "build").symlink_to(folder)
    for line in rest:
        done = installed.shell(line, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
    total = balance(installed, "T.tape", tmp_path)
    assert total["offered"] == total["delivered"] > 0


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
    record = re.findall(r"^tickertape run .*", README, re.MULTILINE)[0]
    assert installed.run(*shlex.split(record, comments=True), cwd=tmp_path).returncode == 0
    (tmp_path / "mine.py").write_text(door("I write Python"), encoding="utf-8")
    done = installed.run("python", "mine.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " control bus\n" in done.stdout
    total = balance(installed, "T.tape", tmp_path)
    assert total["offered"] == total["delivered"] > 0

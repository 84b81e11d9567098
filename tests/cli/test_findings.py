"""`tickertape findings`: lines, JSON, exit codes, and the commands that it prints."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Done
from tests.support.golden import CHAIN, DEADLOCK, INVERSION, LATE
from tests.support.row_tapes import row_tape
from tickertape.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.support.columns import Row

    Command = Callable[..., Done]


@pytest.fixture
def tickertape(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command in this process."""

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Done(words, code, *capsys.readouterr())

    return run


def test_a_deadlock_is_shown_with_commands(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", DEADLOCK)
    done = tickertape("findings", tape)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "deadlock at 0.000000400 s: deadlock: a waits for b waits for a",
        f"    tickertape print {tape} --from 0.000000400 --to 0.000000400",
        f"    tickertape why {tape} --task a --at 0.000000400 --boot 0",
    ]
    assert "unknown inversion: the tape does not contain all priorities" in lines
    assert lines[-1] == "1 fault, 0 remarks, 2 detectors unknown"


@pytest.mark.parametrize(("rows", "code"), [(DEADLOCK, 1), (LATE, 1), (CHAIN, 0), (INVERSION, 0)])
def test_exit_codes(tickertape: Command, tmp_path: Path, rows: Sequence[Row], code: int) -> None:
    tape = row_tape(tmp_path / "T.tape", rows)
    done = tickertape("findings", tape, "-q")
    assert (done.returncode, done.stdout) == (code, "")


def test_the_limit_is_an_option(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", LATE)
    assert "starvation" not in tickertape("findings", tape, "--limit", "2us").stdout
    assert "b was ready for 840 ns" in tickertape("findings", tape, "--limit", "800ns").stdout


@pytest.mark.parametrize("options", [(), ("--stream", "0")])
def test_the_commands_of_the_json_show_the_finding(
    tickertape: Command, tmp_path: Path, options: tuple[str, ...]
) -> None:
    tape = row_tape(tmp_path / "a b.tape", LATE)
    done = tickertape("findings", tape, "--json", *options)
    (found,) = (one for one in json.loads(done.stdout)["detectors"] if one["count"])
    (finding,) = found["findings"]
    assert (found["detector"], finding["task"], finding["ns"]) == ("deadline", "a", 2000)
    shown, explained, viewed = (shlex.split(command) for command in finding["commands"])
    assert "DEADLINE_MISS" in tickertape(*shown[1:]).stdout
    assert "a, instance 0: 2.800 µs" in tickertape(*explained[1:]).stdout
    # A page that is written, not served, accepts the same range, but no cursor.
    place = viewed.index("--at")
    del viewed[place : place + 2], viewed[viewed.index("--task") :]
    page = tickertape(*viewed[1:], *options, "--html", tmp_path / "page.html")
    assert (page.returncode, page.stderr) == (0, "")

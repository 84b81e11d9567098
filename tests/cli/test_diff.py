"""`tickertape diff`: the screen, JSON, exit codes, and unanswerable requests."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.columns import Row, name
from tests.support.command import Done, assert_complaint
from tests.support.golden import INVERSION
from tests.support.row_tapes import row_tape
from tickertape.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Done]

SCIPY = "scipy.stats"


@pytest.fixture
def diff(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in this process."""
    monkeypatch.setenv("COLUMNS", "140")

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main(["diff", *(str(word) for word in words)])
        return Done(words, code, *capsys.readouterr())

    return run


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return row_tape(tmp_path / "A.tape", INVERSION)


def later(row: Row) -> Row:
    return Row(row.time + 10 * (row.time > 50), row.kind, row.data, row.payload)


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return row_tape(tmp_path / "B.tape", [later(row) for row in INVERSION])


def test_equal_tapes(diff: Command, before: Path) -> None:
    done = diff(before, before, "--fail-on-regression", "5%")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "all 7 scheduling decisions are equal",
        f"all {len(INVERSION)} events are equal",
        "no difference is known",
    ]


def test_the_exact_event_of_a_slower_run(diff: Command, before: Path, after: Path) -> None:
    done = diff(before, after)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[1].startswith("all 7 scheduling decisions are equal")
    assert lines[2].startswith("first different event on CPU 0, after")
    assert lines[3].split()[1] == "0.000002800"
    assert lines[4].split()[1] == "0.000003200"
    assert ["high", "response.max", "3.200", "µs", "3.600", "µs", "+12.5%"] in [
        line.split() for line in lines
    ]


def test_json_and_exit_codes(diff: Command, before: Path, after: Path) -> None:
    done = diff(before, after, "--json", "--fail-on-regression", "5")
    assert done.returncode == 10, "one instance of high is too few"
    (found,) = json.loads(done.stdout)["comparisons"]
    assert found["decision"]["differs"] is False
    assert found["event"]["ns"] == [2800, 3200]
    (mean,) = (
        one for one in found["figures"] if (one["name"], one["figure"]) == ("high", "response.mean")
    )
    assert (mean["change"], mean["interval"], mean["regressed"]) == ("unknown", None, None)
    assert diff(before, after, "-q", "--fail-on-regression", "5").stdout == ""


def test_a_missed_deadline_more_is_a_regression(
    diff: Command, tmp_path: Path, before: Path
) -> None:
    missed = [*INVERSION[:-2], Row(100, (9, 8), (3, 1)), *INVERSION[-2:]]
    done = diff(before, row_tape(tmp_path / "B.tape", missed), "--fail-on-regression", "0%")
    assert done.returncode == 1
    assert "REGRESSION high deadline_misses" in done.stdout
    assert "only in B: event SCHED.DEADLINE_MISS (1)" in done.stdout


def test_names_of_a_tape_are_no_markup(diff: Command, tmp_path: Path, before: Path) -> None:
    hostile = [*INVERSION[:-1], name(100, 2, "[red]x[/red]\x1b[2J"), INVERSION[-1]]
    done = diff(before, row_tape(tmp_path / "B.tape", hostile), "--all")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "[red]x[/red]" in done.stdout


@pytest.mark.parametrize("word", ["", "x", "-1", "nan", "inf"])
def test_a_wrong_percentage(diff: Command, before: Path, word: str) -> None:
    done = diff(before, before, f"--fail-on-regression={word}")
    assert_complaint(done, 2, "is not a percentage")


def test_without_scipy(diff: Command, before: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, SCIPY, None)
    assert_complaint(diff(before, before), 2, "need scipy", "tickertape[diff]")


def test_a_tape_that_is_missing(diff: Command, before: Path, tmp_path: Path) -> None:
    assert_complaint(diff(before, tmp_path / "no.tape"), 4, "there is no")

"""`tickertape check` and `spec`: output, files, exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.support.columns import Row
from tests.support.command import Done, assert_complaint
from tests.support.golden import INVERSION
from tests.support.row_tapes import row_tape
from tickertape.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Done]


@pytest.fixture
def tickertape(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command in this process."""

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Done(words, code, *capsys.readouterr())

    return run


@pytest.fixture
def inversion(tmp_path: Path) -> Path:
    return row_tape(tmp_path / "inversion.tape", INVERSION)


def spec(folder: Path, *requirements: str) -> Path:
    path = folder / "timing.yaml"
    path.write_text("requirements:\n" + "".join(f"- {{{one}}}\n" for one in requirements))
    return path


PASSES, FAILS = "response: high, max: 1 ms", "response: high, max: 1 us, name: high is fast"
UNKNOWN = "service: tick, max: 1 ms"


@pytest.mark.parametrize(
    ("requirements", "code"),
    [
        ([PASSES], 0),
        ([PASSES, FAILS], 1),
        ([PASSES, UNKNOWN], 10),
        ([UNKNOWN, FAILS], 1),
    ],
)
def test_exit_codes(
    tickertape: Command, inversion: Path, tmp_path: Path, requirements: list[str], code: int
) -> None:
    file = spec(tmp_path, *requirements)
    assert tickertape("check", inversion, "--spec", file).returncode == code
    assert tickertape("check", inversion, "--spec", file, "--json").returncode == code
    assert tickertape("check", inversion, "--spec", file, "-q").stdout == ""


def test_a_failure_shows_its_reason(tickertape: Command, inversion: Path, tmp_path: Path) -> None:
    done = tickertape("check", inversion, "--spec", spec(tmp_path, FAILS, UNKNOWN))
    assert done.stdout.splitlines()[:5] == [
        "FAIL    high is fast: Each instance of high ends within 1 us of its activation.",
        "        at 0.000004000 s: instance 0: response 3.200 us",
        "            2.20 us  blocked on mutex 0x100, held by low",
        "                1.60 us  preempted by medium",
        "                0.56 us  running",
    ]
    assert "UNKNOWN service of tick" in done.stdout
    assert done.stdout.splitlines()[-1] == "0 PASS, 1 FAIL, 1 UNKNOWN"


def test_the_junit_file_has_the_reason(
    tickertape: Command, inversion: Path, tmp_path: Path
) -> None:
    file = spec(tmp_path, PASSES, FAILS, UNKNOWN)
    tickertape("check", inversion, "--spec", file, "--junit", tmp_path / "out.xml")
    root = ET.parse(tmp_path / "out.xml").getroot()  # noqa: S314 - our own file
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    passed, failed, unknown = root.findall("testcase")
    assert list(passed) == []
    assert (failed.get("name"), failed.get("line")) == ("high is fast", "3")
    assert "preempted by medium" in (failed[0].text or "")
    assert (failed[0].tag, unknown[0].tag) == ("failure", "error")


def test_json_has_all(tickertape: Command, inversion: Path, tmp_path: Path) -> None:
    done = tickertape("check", inversion, "--spec", spec(tmp_path, FAILS), "--json")
    found = json.loads(done.stdout)
    (verdict,) = found["verdicts"]
    assert found["counts"] == {"PASS": 0, "FAIL": 1, "UNKNOWN": 0}
    assert verdict["outcome"] == "FAIL"
    assert verdict["violations"][0]["why"]["response_ns"] == 3200


@pytest.mark.parametrize(
    ("requirement", "parts"),
    [
        ("response: hihg, max: 1 ms", ["timing.yaml:2:14", "did you mean high?"]),
        ("response: high, max: 1 mss", ["timing.yaml:2:25", "no unit mss", "did you mean ms?"]),
        ("never: REDY, without: USER.1", ["timing.yaml:2:11", "no event REDY"]),
    ],
)
def test_a_specification_that_cannot_be_used(
    tickertape: Command, inversion: Path, tmp_path: Path, requirement: str, parts: list[str]
) -> None:
    done = tickertape("check", inversion, "--spec", spec(tmp_path, requirement))
    assert_complaint(done, 2, *parts)


def test_what_is_missing(tickertape: Command, inversion: Path, tmp_path: Path) -> None:
    file = spec(tmp_path, PASSES)
    assert_complaint(tickertape("check", tmp_path / "no.tape", "--spec", file), 4, "there is no")
    assert_complaint(tickertape("check", inversion, "--spec", "none.yaml"), 2, "none.yaml")
    done = tickertape("check", inversion, "--spec", file, "--junit", tmp_path / "no" / "x.xml")
    assert_complaint(done, 4, "cannot be written")


def test_a_tape_without_switches_is_unknown(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", [Row(1), Row(2)])
    done = tickertape("check", tape, "--spec", spec(tmp_path, PASSES, "load: 0, max: 9 %"))
    assert done.returncode == 10
    assert "the tape has no event of class SCHED" in done.stdout


def test_spec_explain_and_schema(tickertape: Command, tmp_path: Path) -> None:
    done = tickertape("spec", "explain", spec(tmp_path, PASSES, FAILS))
    assert done.stdout.splitlines() == [
        "1. response of high: Each instance of high ends within 1 ms of its activation.",
        "2. high is fast: Each instance of high ends within 1 us of its activation.",
    ]
    assert json.loads(tickertape("spec", "schema").stdout)["required"] == ["requirements"]
    done = tickertape("spec", "init", row_tape(tmp_path / "i.tape", INVERSION))
    assert_complaint(done, 2, "no task with 3 whole instances")

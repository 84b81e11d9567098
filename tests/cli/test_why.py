"""`tickertape why`: the tree, JSON, the drawing, and unanswerable requests."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.support.columns import Row, name, state
from tests.support.command import Done, assert_complaint
from tests.support.golden import INVERSION, LATE
from tests.support.row_tapes import row_tape
from tickertape.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Done]


@pytest.fixture
def tickertape(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in this process."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Done(words, code, *capsys.readouterr())

    return run


@pytest.fixture
def inversion(tmp_path: Path) -> Path:
    return row_tape(tmp_path / "inversion.tape", INVERSION)


def parts_add_up(whole: int, parts: list[dict[str, Any]]) -> None:
    assert sum(part["ticks"] for part in parts) == whole
    for part in parts:
        if part["parts"]:
            parts_add_up(part["ticks"], part["parts"])


def test_a_tree_shows_why_the_owner_was_late(tickertape: Command, inversion: Path) -> None:
    done = tickertape("why", inversion, "--task", "high")
    assert (done.returncode, done.stderr) == (0, "")
    *lines, command = (" ".join(line.split()) for line in done.stdout.splitlines())
    assert lines == [
        "high, instance 0: 3.200 µs, activated at 0.000000800 s",
        "├── 2.200 µs 68.8 % blocked on mutex 0x100, held by low",
        "│ ├── 1.600 µs 50.0 % preempted by medium",
        "│ ├── 560 ns 17.5 % running",
        "│ └── 40 ns 1.2 % kernel",
        "├── 880 ns 27.5 % running",
        "├── 80 ns 2.5 % ready while low runs",
        "└── 40 ns 1.2 % kernel",
    ]
    window = "--from 0.000000160 --to 0.000004640 --at 0.000000800"
    assert command == f"tickertape view {inversion} {window} --boot 0 --task high"


def test_json_adds_up_to_the_tick(tickertape: Command, inversion: Path) -> None:
    done = tickertape("why", inversion, "--task", "3", "--instance", "0", "--json")
    (answer,) = json.loads(done.stdout)["answers"]
    parts_add_up(answer["response_ticks"], answer["parts"])
    assert answer["unknown_ticks"] == 0


def test_a_waterfall_has_a_row_for_each_reason(
    tickertape: Command, inversion: Path, tmp_path: Path
) -> None:
    tickertape("why", inversion, "--task", "high", "--svg", tmp_path / "why.svg")
    root = ET.parse(tmp_path / "why.svg").getroot()  # noqa: S314 - our own file
    texts = [one.text for one in root if one.tag.endswith("text")]
    assert "blocked on mutex 0x100, held by low" in texts
    assert "preempted by medium" in texts
    assert len([one for one in root if one.tag.endswith("rect")]) >= 6


def test_an_instance_is_found_by_a_time(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "late.tape", LATE)
    done = tickertape("why", tape, "--task", "a", "--at", "3000ns", "--json")
    (answer,) = json.loads(done.stdout)["answers"]
    assert (answer["instance"], answer["begin_ns"], answer["response_ns"]) == (1, 2000, 1200)
    assert answer["parts"][0]["label"] == "waiting for an earlier instance of a"


def test_a_range_is_explained_whatever_instances_are_in_it(
    tickertape: Command, inversion: Path
) -> None:
    """The range is the window of `test_priority_inversion`, so the parts are equal."""
    words = ("why", inversion, "--task", "high", "--from", "800ns", "--to", "4000ns")
    done = tickertape(*words)
    first, *_ = done.stdout.splitlines()
    assert first == "high, a range of time: 3.200 µs, from 0.000000800 s"
    done = tickertape(*words, "--json")
    (answer,) = json.loads(done.stdout)["answers"]
    assert (answer["instance"], answer["response_ticks"]) == (None, 80)
    parts_add_up(80, answer["parts"])
    assert {part["label"]: part["ticks"] for part in answer["parts"]} == {
        "running": 22,
        "blocked on mutex 0x100, held by low": 55,
        "kernel": 1,
        "ready while low runs": 2,
    }


def test_ranges_side_by_side_add_up_to_the_instance(tickertape: Command, inversion: Path) -> None:
    def parts(*options: str) -> Counter[str]:
        done = tickertape("why", inversion, "--task", "high", "--json", *options)
        (answer,) = json.loads(done.stdout)["answers"]
        return Counter({part["label"]: part["ticks"] for part in answer["parts"]})

    whole = parts("--instance", "0")
    for cut in ("1000ns", "2000ns", "3320ns"):
        begin = parts("--from", "800ns", "--to", cut)
        assert begin + parts("--from", cut, "--to", "4000ns") == whole


def test_between_its_instances_a_task_is_not_active(tickertape: Command, inversion: Path) -> None:
    """Instance 0 ends at tick 100; the last record is at tick 101."""
    done = tickertape("why", inversion, "--task", "high", "--from", "3960ns", "--json")
    (answer,) = json.loads(done.stdout)["answers"]
    assert {part["label"]: part["ticks"] for part in answer["parts"]} == {
        "running": 1,
        "waiting for next activation": 1,
    }


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--task", "hihg"], ["no task is called hihg", "did you mean high?"]),
        (["--task", "9"], ["no task is called 9", "known: high, low, medium"]),
        (["--task", "high", "--instance", "7"], ["high has no instance 7"]),
        (["--task", "high", "--at", "1"], ["no instance of task high is under way"]),
        (["--task", "high", "--worst", "0"], ["'0' is not a number from 1 to 100"]),
        (["--task", "high", "--instance", "x"], ["'x' is not a number from 0 on"]),
        ([], ["--task"]),
        (["--task", "high", "--boot", "3"], ["has no boot 3; it has boot 0"]),
        (["--task", "high", "--stream", "3"], ["the tape has no stream 3; it has 0"]),
        (["--task", "hihg", "--from", "0"], ["no task is called hihg", "did you mean high?"]),
        (["--task", "high", "--from", "1"], ["nothing was recorded in that range"]),
        (["--task", "high", "--from", "2", "--to", "1"], ["--from is later than --to"]),
        (["--task", "high", "--from", "0", "--at", "0"], ["a range, not an instance"]),
        (["--task", "high", "--to", "1", "--worst", "2"], ["leave out --instance, --worst and"]),
    ],
)
def test_what_does_not_exist(
    tickertape: Command, inversion: Path, options: list[str], parts: list[str]
) -> None:
    assert_complaint(tickertape("why", inversion, *options), 2, *parts)


def test_a_drawing_that_cannot_be_written(tickertape: Command, inversion: Path) -> None:
    done = tickertape("why", inversion, "--task", "high", "--svg", "no/where.svg")
    assert_complaint(done, 4, "no/where.svg cannot be written")


def test_a_tape_without_switches(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", [Row(1), name(2, 1, "a"), Row(3)])
    assert_complaint(tickertape("why", tape, "--task", "a"), 2, "no task is called a")


def test_records_that_are_missing_are_unknown(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", INVERSION, is_lost=lambda number: number == 6)
    done = tickertape("why", tape, "--task", "high", "--json")
    (answer,) = json.loads(done.stdout)["answers"]
    parts_add_up(answer["response_ticks"], answer["parts"])
    assert not (answer["begin_known"] and answer["ended"])


def test_a_tape_of_one_state(tickertape: Command, tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", [state(5, 17, 1), Row(9)])
    done = tickertape("why", tape, "--task", "thread 1", "--json")
    (answer,) = json.loads(done.stdout)["answers"]
    assert (answer["begin_known"], answer["ended"]) == (False, False)

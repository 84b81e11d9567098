"""`tickertape stats`: the screen, JSON, CSV, time ranges, and unanswerable requests."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import wire_bytes
from tests.support.columns import Row, switch
from tests.support.command import Done, assert_complaint
from tests.support.golden import INVERSION
from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tickertape.cli.main import main
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Done]


@pytest.fixture
def stats(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in this process."""
    monkeypatch.setenv("COLUMNS", "140")

    def run(*words: str | Path) -> Done:
        capsys.readouterr()
        code = main(["stats", *(str(word) for word in words)])
        return Done(words, code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return row_tape(tmp_path_factory.mktemp("stats") / "T.tape", simulate(2).rows)


def boot_of(done: Done) -> dict[str, Any]:
    assert done.returncode == 0
    (boot,) = json.loads(done.stdout)["boots"]
    assert isinstance(boot, dict)
    return boot


def test_the_screen_shows_each_table(stats: Command, simulated: Path) -> None:
    done = stats(simulated)
    assert done.returncode == 0
    for word in ("Response time of tasks", "Activations of tasks", "Duration of interrupts"):
        assert word in done.stdout
    assert "240.0 µs of 1 CPU observed: tasks" in done.stdout
    assert "task 1" in done.stdout
    assert "irq0" in done.stdout


def test_a_file_has_a_row_per_line(
    stats: Command, simulated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Output to a terminal is folded at 80 columns; output to a pipe is not."""
    monkeypatch.delenv("COLUMNS")
    rows = stats(simulated).stdout.splitlines()
    (head,) = (row for row in rows if row.startswith("task ") and "missed" in row)
    assert head.split()[-4:] == ["worst", "execution", "ready", "missed"]
    (first,) = (row for row in rows if row.startswith("task 1 ") and row.endswith(" 0"))
    assert len(first.split()) > 10


def test_only_ten_rows_come_without_all(stats: Command, tmp_path: Path) -> None:
    rows = [Row(10 * i, (6, i)) for i in range(25)]
    tape = row_tape(tmp_path / "T.tape", [switch(0, 0, 1), *rows])
    short, whole = stats(tape).stdout, stats(tape, "--all").stdout
    assert "15 more; --all shows them" in short
    assert whole.count("USER.") == 25
    assert short.count("USER.") == 10


def test_json_has_every_figure_with_its_limits(stats: Command, simulated: Path) -> None:
    boot = boot_of(stats(simulated, "--json"))
    assert (boot["unit"], boot["unknown"], boot["intervals"]) == ("ns", 0, [])
    assert boot["observed"] == 6000 * 40
    for task in boot["tasks"]:
        maximum = task["response"]["max"]
        assert maximum["low"] == maximum["value"] == maximum["high"]
        assert task["response"]["p50"]["value"] <= maximum["value"]


def test_csv_has_a_row_for_each_figure(stats: Command, simulated: Path) -> None:
    done = stats(simulated, "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    boot = boot_of(stats(simulated, "--json"))
    one = next(row for row in rows if (row["name"], row["figure"]) == ("task 1", "response.max"))
    task = next(task for task in boot["tasks"] if task["name"] == "task 1")
    assert one["unit"] == "ns"
    assert int(one["value"]) == task["response"]["max"]["value"]
    assert {row["kind"] for row in rows} >= {"cpu", "task", "interrupt", "event"}
    assert {row["unit"] for row in rows} == {"ns", "count", "share"}


def test_a_range_of_time_counts_only_what_lies_in_it(stats: Command, simulated: Path) -> None:
    boot = boot_of(stats(simulated, "--json", "--from", "40us", "--to", "120us"))
    assert boot["observed"] == 80_000
    whole = boot_of(stats(simulated, "--json"))
    first, all_ = (each["tasks"][0]["activations"]["value"] for each in (boot, whole))
    assert 0 < first < all_
    nothing = boot_of(stats(simulated, "--json", "--from", "2"))
    assert (nothing["observed"], nothing["tasks"][0]["activations"]["value"]) == (0, 0)


def test_the_waits_of_a_priority_inversion_have_an_owner(stats: Command, tmp_path: Path) -> None:
    boot = boot_of(stats(row_tape(tmp_path / "T.tape", INVERSION), "--json"))
    high = next(task for task in boot["tasks"] if task["name"] == "high")
    assert {one["owner"] for one in high["blocked"]} >= {"low"}
    (mutex,) = (one for one in boot["objects"] if one["kind"] == "MUTEX")
    assert (mutex["contended"]["value"], mutex["takes"]["value"]) == (1, 2)


def test_a_tape_without_context_switches_gives_no_invented_figure(
    stats: Command, tmp_path: Path
) -> None:
    tape = row_tape(tmp_path / "T.tape", [Row(10 * i, (6, 1)) for i in range(20)])
    boot = boot_of(stats(tape, "--json"))
    assert boot["unknown"] == boot["observed"] == 190 * 40
    assert (boot["tasks"], boot["interrupts"]) == ([], [])
    assert "SCHED" in boot["missing_classes"]
    assert "The tape has no event of class SCHED." in stats(tape).stdout


def test_an_unknown_rate_gives_ticks(stats: Command, tmp_path: Path) -> None:
    path = tmp_path / "T.tape"
    records = [
        wire_bytes.RawRecord(0, 0, 9, 0, time, previous, following)
        for time, previous, following in ((0, 0, 1), (50, 1, 2), (70, 2, 1), (100, 1, 2))
    ]
    with TapeWriter(path) as writer:
        body = b"".join(one.pack("<") for one in records)
        writer.buffer(0, 0, wire_bytes.buffer_body((0, 0, 0), 0, 0, body))
    boot = boot_of(stats(path, "--json"))
    assert (boot["unit"], boot["observed"]) == ("ticks", 100)
    assert {task["name"]: task["cpu_time"]["value"] for task in boot["tasks"]} == {
        "thread 1": 80,
        "thread 2": 20,
    }
    assert "100 ticks of 1 CPU observed" in stats(path).stdout


def test_a_gap_moves_figures_and_is_shown(stats: Command, tmp_path: Path) -> None:
    rows = simulate(2).rows
    tape = row_tape(tmp_path / "T.tape", rows, is_lost=lambda number: 10 <= number < 20)
    boot = boot_of(stats(tape, "--json"))
    (interval,) = boot["intervals"]
    assert interval["reason"] == "records are missing"
    assert interval["records"] == 40
    limits = [task["response"]["max"] for task in boot["tasks"]]
    assert any(one["high"] > one["value"] for one in limits if one["value"] is not None)
    screen = stats(tape).stdout
    assert "at most" in screen
    assert "unknown from" in screen


def test_what_is_not_on_the_tape_is_refused(stats: Command, simulated: Path) -> None:
    assert_complaint(stats(simulated, "--boot", "3"), 2, "no boot 3")
    assert_complaint(stats(simulated, "--stream", "5"), 2, "no stream 5")
    assert_complaint(stats(simulated, "--from", "2", "--to", "1"), 2, "--from is later than --to")

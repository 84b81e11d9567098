"""`merge`, and commands that print a merged tape, with real captures of two programs."""

from __future__ import annotations

import csv
import json
import socket
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.command import COMMAND, Command, Done
from tests.support.patience import HANG_S
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader
from tickertape.tape.common import iter_common, origin_ns


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def listening_ports() -> set[int]:
    """Return the TCP ports of IPv4 on which some process of this machine listens."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    return {int(field[1].rpartition(":")[2], 16) for field in fields if field[3] == "0A"}


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with captures of two programs that ran at the same time."""
    folder = tmp_path_factory.mktemp("boards")
    built = subprocess.run(
        [COMMAND, "build", "--target", "native"], capture_output=True, text=True, check=True
    )
    image = built.stdout.strip()
    ports = {name: free_port() for name in ("left", "right")}
    words = [str(COMMAND), "capture", "-q", "--wait", "60"]
    captures = [
        subprocess.Popen(
            [*words, f"tcp-listen://127.0.0.1:{port}", "-o", f"{name}.tape"], cwd=folder
        )
        for name, port in ports.items()
    ]
    # Start both programs only when both captures listen, so that they run at the same time.
    while not set(ports.values()) <= listening_ports():
        assert [one.poll() for one in captures] == [None, None]
        time.sleep(0.05)
    programs = [
        subprocess.Popen(
            [image, "--realtime", "--duration-ms", "4000", "--trace", f"tcp:127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL,
        )
        for port in ports.values()
    ]
    assert [one.wait(HANG_S) for one in [*programs, *captures]] == [0, 0, 0, 0]
    return folder


@pytest.fixture(scope="module")
def merged(boards: Path) -> Path:
    """Merge both tapes. `--delay`: no test machine delays a program by a second."""
    done = subprocess.run(
        [COMMAND, "merge", "left.tape", "right.tape", "-o", "m.tape", "--delay", "1000"],
        cwd=boards,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (boards / "said.txt").write_text(done.stdout)
    return boards / "m.tape"


def test_real_boards_meet_within_their_bounds(boards: Path, merged: Path) -> None:
    """Both programs use the same clock, so the possible rates include the nominal rate."""
    said = (boards / "said.txt").read_text()
    assert "records of 2 boards" in said
    assert said.count("times within ±") == 2
    with TapeReader(merged) as reader:
        meta = reader.meta["merge"]
        assert isinstance(meta, dict)
        for boot in meta["boots"]:
            assert boot["ppm"][0] <= 0 <= boot["ppm"][1]
        for run in iter_common(reader):
            assert run.board.bound_ns is not None
        expected = []
        for name in ("left", "right"):
            with TapeReader(boards / f"{name}.tape") as one:
                expected.append(balance_of(one).total)
        assert balance_of(reader).total == expected[0] + expected[1]
        assert balance_of(reader).total.holds


@pytest.fixture
def run(tickertape: Command, boards: Path) -> Command:
    """Return a function that runs a command in the folder of the tapes."""

    def here(*words: str) -> Done:
        return tickertape(*words, cwd=boards)

    return here


def test_text_says_board_and_common_time(run: Command, merged: Path) -> None:
    lines = run("print", merged.name).stdout.splitlines()
    events = [line for line in lines if " -- " not in line]
    assert {line.split()[0] for line in events} == {"left", "right"}
    times = [float(line.split()[1]) for line in events]
    assert times == sorted(times)
    assert times[0] < 0.1
    # Both programs ran at the same time, so their lines alternate.
    turns = sum(one.split()[0] != other.split()[0] for one, other in pairwise(events))
    assert turns > 100
    alone = run("print", merged.name, "--board", "right").stdout.splitlines()
    assert alone == [line for line in lines if line.startswith("right")]
    middle = events[len(events) // 2].split()[1]
    found = run("print", merged.name, "--from", middle, "--to", middle).stdout
    assert events[len(events) // 2] in found.splitlines()
    assert run("print", "--follow", merged.name).stdout.splitlines() == lines


def test_tables_say_board_and_utc(run: Command, merged: Path) -> None:
    rows = list(csv.DictReader(run("print", merged.name, "--style", "csv").stdout.splitlines()))
    objects = [
        json.loads(line)
        for line in run("print", merged.name, "--style", "jsonl").stdout.splitlines()
    ]
    assert len(rows) == len(objects)
    events = [(row, one) for row, one in zip(rows, objects, strict=True) if one["kind"] == "event"]
    for row, one in events:
        assert (row["board"], int(row["utc_ns"])) == (one["board"], one["utc_ns"])
    times = [one["utc_ns"] for _, one in events]
    assert times == sorted(times)
    with TapeReader(merged) as reader:
        assert times[0] >= origin_ns(reader)


def test_qnx_says_the_board_where_it_changes(run: Command, merged: Path) -> None:
    lines = run("print", merged.name, "--style", "qnx").stdout.splitlines()
    said = [line for line in lines if line.startswith("-- board ")]
    assert set(said) == {"-- board left", "-- board right"}
    assert all(one != other for one, other in pairwise(said))


def test_what_makes_no_sense_is_refused(run: Command, merged: Path) -> None:
    for words, code, message in (
        (("merge", "left.tape", "-o", "x.tape"), 2, "one tape cannot be merged"),
        (("merge", "left.tape", "./left.tape", "-o", "x.tape"), 2, "is given twice"),
        (("merge", "left.tape", "right.tape"), 2, "required: -o/--output"),
        (("merge", "left.tape", "no.tape", "-o", "x.tape"), 4, "there is no file no.tape"),
        (("merge", "left.tape", "right.tape", "-o", "x.tape", "--wander", "-1"), 2, "--wander"),
        (("print", merged.name, "--board", "up"), 2, "choose one of: left, right"),
        (("print", "left.tape", "--board", "left"), 2, "contains only one board"),
    ):
        done = run(*words)
        assert (done.returncode, done.stdout) == (code, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


def test_emulators_have_no_common_time(run: Command, boards: Path) -> None:
    """The clocks of emulators advance with their work; merge reports an unknown offset."""
    for target in ("qemu", "native"):
        done = run("run", "-q", "--target", target, "-o", f"{target}.tape", "--duration", "3")
        assert done.returncode == 0, done.stderr
    done = run("merge", "qemu.tape", "native.tape", "-o", "e.tape", "--name", "arm")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("times are off by an unknown amount") == 2
    assert "  arm: " in done.stdout
    with TapeReader(boards / "e.tape") as reader:
        assert {board.bound_ns for board in reader.boards.values()} == {None}
        total = balance_of(reader).total
    parts = []
    for target in ("qemu", "native"):
        with TapeReader(boards / f"{target}.tape") as reader:
            parts.append(balance_of(reader).total)
    assert total == parts[0] + parts[1]


def test_verdicts_and_findings_have_the_times_of_the_merged_tape(
    run: Command, merged: Path
) -> None:
    """The time of a violation is that of a printed line of its board."""
    (merged.parent / "s.yaml").write_text("requirements: [{response: motor, max: 1 ns}]\n")
    lines = run("check", "--spec", "s.yaml", merged.name).stdout.splitlines()
    first = next(line.split() for line in lines if line.strip().startswith("board "))
    at = first[first.index("at") + 1]
    board = first[1].rstrip(",")
    printed = run("print", merged.name, "--board", board, "--from", at, "--to", at).stdout
    assert "COMPLETION" in printed
    assert board in printed
    found = run("findings", merged.name, "--limit", "1us", "--json").stdout
    commands = [
        one["commands"][0] for each in json.loads(found)["detectors"] for one in each["findings"]
    ]
    assert commands
    for command in commands[:3]:
        words = command.split()[1:]
        assert words[-2] == "--board"
        assert run(*words).stdout

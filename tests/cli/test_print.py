"""`print` as a process, on tapes with known content: styles, filters, growing tapes, pagers."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.patience import HANG_S
from tests.support.target import SimulatedTarget, target_with_events
from tests.support.wire_bytes import SIMPLE, RawRecord, buffer_body, hello_body, name_body
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.command import Command, Done

STYLES = ("text", "qnx", "xm", "csv", "jsonl")


def objects(done: Done) -> list[dict[str, object]]:
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_styles_agree_on_the_events(tickertape_inside: Command, tape: Path) -> None:
    found = objects(tickertape_inside("print", tape, "--style", "jsonl"))
    rows = list(
        csv.DictReader(tickertape_inside("print", tape, "--style", "csv").stdout.splitlines())
    )
    qnx = tickertape_inside("print", tape, "--style", "qnx", "--one-line").stdout.splitlines()
    text = tickertape_inside("print", tape).stdout.splitlines()
    head = qnx.index(" -- KERNEL EVENTS -- ") + 1
    assert len(found) == len(rows) == len(qnx) - head == len(text) == 81
    for item, row, line in zip(found, rows, text, strict=True):
        assert (str(item["ticks"]), item["event"]) == (row["ticks"], row["event"])
        assert str(item["event"]) in line
    assert qnx[head] == ("t:0x00000000 CPU:00 PROCESS :PROCTHREAD_NAME pid:0 tid:2 name:consumer")
    assert qnx[head + 2] == "t:0x0000012c CPU:00 SYNC    :MUTEX_LOCK_GRANTED mutex:0x20000000 tid:1"


@pytest.mark.parametrize("style", ["text", "csv"])
def test_a_thread_that_is_not_on_the_tape_is_refused(
    tickertape_inside: Command, tape: Path, style: str
) -> None:
    wanted = ["--task", "producer", "--task", "produser", "--task", "77"]
    done = tickertape_inside("print", tape, "--style", style, *wanted)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'tickertape: no thread called "77", "produser" (nearest: "producer") had the CPU; '
        "'tickertape info' lists them\n"
    )


@pytest.mark.parametrize("style", ["text", "jsonl"])
def test_boots_and_streams_are_chosen(
    tickertape_inside: Command, make_tape: Callable[[bytes], Path], style: str
) -> None:
    target = SimulatedTarget(streams=2, boot_id=1)
    for number in (1, 2):
        if number > 1:
            target.reset(boot_id=number)
        target.hello()
        for stream in (0, 1):
            target.record((stream, 0), 6, 10 * number + stream)
        target.finish()
    tape = make_tape(target.sent_bytes())

    def numbers(*options: str) -> list[str]:
        done = tickertape_inside("print", tape, "--style", style, *options)
        assert (done.returncode, done.stderr) == (0, "")
        return re.findall(r"USER_(\d+)", done.stdout)

    assert numbers() == ["10", "11", "20", "21"]
    assert numbers("--boot", "0") == ["10", "11"]
    assert numbers("--boot", "1") == ["20", "21"]
    assert numbers("--stream", "1") == ["11", "21"]
    assert numbers("--boot", "1", "--stream", "0") == ["20"]
    for option, value in (("--boot", "2"), ("--stream", "2")):
        done = tickertape_inside("print", tape, option, value)
        assert_complaint(done, 2, f"no {option[2:]} 2")


def test_a_cpu_that_the_target_has_not_is_refused(tickertape_inside: Command, tape: Path) -> None:
    done = tickertape_inside("print", tape, "--cpu", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"tickertape: {tape} has no CPU 1; its only CPU is 0\n"


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (["--class", "SYNC", "--class", "user"], lambda e: e["class"] in {"SYNC", "USER"}),
        (["--event", "CONTEXT_*"], lambda e: e["event"] == "CONTEXT_SWITCH"),
        (["--event", "user.1"], lambda e: e["class"] == "USER"),
        (["--event", "USER.EVENT_1"], lambda e: e["class"] == "USER"),
        (["--task", "producer"], lambda e: e["task"] == "producer"),
        (["--task", "2", "--class", "USER"], lambda e: e["class"] == "USER"),
        (["--cpu", "0"], lambda _: True),
        (["--domain", "0"], lambda _: True),
        (["--address", "0x20000000"], lambda e: e["class"] == "SYNC"),
        (["--address", "0x20000001-0x30000000"], lambda _: False),
        (["--from", "12us", "--to", "24us"], lambda e: 12_000 <= e["time_ns"] <= 24_000),
        (["--from", "0.000012"], lambda e: e["time_ns"] >= 12_000),
        (["--grep", '"event":"MUTEX'], lambda e: e["class"] == "SYNC"),
        (["--grep", "MUTEX", "--class", "SCHED"], lambda _: False),
    ],
)
def test_filters(
    tickertape_inside: Command,
    tape: Path,
    words: list[str],
    chosen: Callable[[dict[str, object]], bool],
) -> None:
    every = objects(tickertape_inside("print", tape, "--style", "jsonl"))
    some = objects(tickertape_inside("print", tape, "--style", "jsonl", *words))
    assert some == [item for item in every if chosen(item)]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--event", "MUTEX_LOK"], ["there is no event MUTEX_LOK", "did you mean MUTEX"]),
        (["--event", "x"], ["there is no event x", "docs/events.md"]),
        (["--event", "USER.1024"], ["there is no event USER.1024"]),
        (["--cpu", "64"], ["'64' is not a number from 0 to 63"]),
        (["--domain", "-1"], ["--domain"]),
        (["--address", "bus"], ["nothing is called bus", "--elf"]),
        (["--address", "2-1"], ["2-1 is not a range"]),
        (["--from", "soon"], ["'soon' is not a time", "print --help"]),
        (["--to", "1e9"], ["'1e9' is not a time"]),
        (["--grep", "("], ["is not a regular expression"]),
        (["--style", "xml"], ["xml"]),
    ],
)
def test_what_makes_no_sense_is_said(
    tickertape_inside: Command, tape: Path, words: list[str], parts: list[str]
) -> None:
    done = tickertape_inside("print", tape, *words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert all(part in line for part in parts), line


def test_objects_are_found_by_name(
    tickertape_inside: Command, make_tape: Callable[[bytes], Path]
) -> None:
    target = target_with_events()
    target.name(2, 0x2000_0000, "bus")
    target.finish()
    tape = make_tape(target.sent_bytes())
    found = objects(tickertape_inside("print", tape, "--style", "jsonl", "--address", "bus"))
    assert {item["event"] for item in found} == {"MUTEX_LOCK_GRANTED"}
    assert found[0]["names"] == {"mutex": "bus", "tid": "producer"}


def test_losses_are_told_whatever_is_chosen(
    tickertape_inside: Command, make_tape: Callable[[bytes], Path]
) -> None:
    target = target_with_events()
    target.finish()
    frames = [sent for sent in target.frames if sent.number not in {5, 6}]
    tape = make_tape(b"".join(sent.data for sent in frames))
    for style in STYLES:
        words = ("print", tape, "--style", style, "--class", "APP16")
        elsewhere = tickertape_inside(*words, "--to", "1ns").stdout
        assert "missing" not in elsewhere
        assert "gap" not in elsewhere
        last = tickertape_inside(*words).stdout.splitlines()[-1]
        if style == "jsonl":
            found = json.loads(last)
            assert (found["kind"], found["records"], found["damaged"]) == ("gap", 8, 8)
        elif style == "csv":
            assert last.startswith("gap,")
            assert "records=8 dropped=0 overwritten=0 damaged=8" in last
        else:
            assert last == (
                "-- 8 records missing on cpu 0, stream 0: 0 dropped, 0 overwritten, 8 damaged"
            )


@pytest.mark.parametrize("style", STYLES)
def test_a_closed_pipe_is_silent(tape: Path, style: str) -> None:
    with subprocess.Popen(
        [COMMAND, "print", tape, "--style", style], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(100) == 0


def body(first: int, count: int) -> bytes:
    records = [RawRecord(SIMPLE, 0, 6, 1, first + number, number, 0) for number in range(count)]
    data = b"".join(record.pack("<") for record in records)
    return buffer_body((first, 0, first), first, 0, data)


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that follows a tape which contains only a HELLO so far."""
    writer = TapeWriter(tmp_path / "t.tape")
    writer.hello(hello_body(tick_hz=1000))
    with subprocess.Popen(
        [COMMAND, "print", tmp_path / "t.tape", "--follow"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.writer = writer  # type: ignore[attr-defined] # rides along
        yield process
        process.kill()
    writer.close()


def test_a_growing_tape_is_followed_to_its_end(follower: subprocess.Popen[str]) -> None:
    writer: TapeWriter = follower.writer  # type: ignore[attr-defined] # see the fixture
    assert follower.stdout is not None
    for turn in range(3):
        writer.buffer(0, 0, body(turn * 10, 10))
        writer.flush()
        lines = [follower.stdout.readline() for _ in range(10)]  # printed while the tape is open
        assert lines[0].startswith(f"    {turn * 10 / 1000:.9f}  0  ?")
    writer.close()
    rest, errors = follower.communicate(timeout=HANG_S)
    assert (rest, errors, follower.returncode) == ("", "", 0)


def test_a_name_that_comes_late_is_used_from_then_on(follower: subprocess.Popen[str]) -> None:
    writer: TapeWriter = follower.writer  # type: ignore[attr-defined] # see the fixture
    assert follower.stdout is not None
    switch = RawRecord(SIMPLE, 0, 9, 0, 0, 7, 7)
    for turn, expected in enumerate(("prev_tid=7 next_tid=7", "prev_tid=7:late next_tid=7:late")):
        if turn:
            writer.name(name_body(1, 7, "late"))
        writer.buffer(0, 0, buffer_body((turn, 0, turn), 0, turn, switch.pack("<")))
        writer.flush()
        assert follower.stdout.readline().rstrip().endswith(expected)


def test_following_ends_when_the_user_has_enough(follower: subprocess.Popen[str]) -> None:
    writer: TapeWriter = follower.writer  # type: ignore[attr-defined] # see the fixture
    assert follower.stdout is not None
    writer.buffer(0, 0, body(0, 1))
    writer.flush()
    assert follower.stdout.readline()
    follower.send_signal(signal.SIGINT)
    assert follower.communicate(timeout=HANG_S) == ("", "")
    assert follower.returncode == 0


def test_a_capture_is_followed_while_it_runs(tmp_path: Path) -> None:
    """Following a real capture prints the same as printing the finished tape."""
    target = target_with_events()
    target.finish()
    pipe, tape = tmp_path / "pipe", tmp_path / "t.tape"
    os.mkfifo(pipe)
    with subprocess.Popen([COMMAND, "capture", pipe, "-o", tape, "-q"]) as capture:
        with pipe.open("wb", buffering=0) as link:
            link.write(target.frames[0].data)
            deadline = time.monotonic() + 100
            while not tape.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            with subprocess.Popen(
                [COMMAND, "print", tape, "-f"], stdout=subprocess.PIPE, text=True
            ) as follower:
                for sent in target.frames[1:]:
                    link.write(sent.data)
                    time.sleep(0.01)
                link.close()
                followed, _ = follower.communicate(timeout=HANG_S)
        assert capture.wait(100) == 0
    after = subprocess.run([COMMAND, "print", tape], capture_output=True, text=True, check=True)
    assert sorted(followed.splitlines()) == sorted(after.stdout.splitlines())
    assert len(followed.splitlines()) == 81


def on_terminal(words: list[str | Path], environment: dict[str, str]) -> bytes:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [COMMAND, *words],
        stdin=theirs,
        stdout=theirs,
        env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", **environment},
    ) as process:
        assert process.wait(100) == 0
    out = os.read(ours, 100_000)
    os.close(ours)
    os.close(theirs)
    return out


def test_a_terminal_gets_a_pager(tape: Path) -> None:
    words: list[str | Path] = ["print", tape, "-n", "2"]
    assert on_terminal(words, {"PAGER": "sed s/^/paged/"}).count(b"paged ") == 2
    for environment in ({"PAGER": "cat"}, {"PAGER": ""}, {"PAGER": "no-such-pager"}):
        assert on_terminal(words, environment).count(b"\r\n") == 2
    own = {"PAGER": "sed s/^/paged/", "TICKERTAPE_PAGER": "cat"}
    assert b"paged" not in on_terminal(words, own)
    assert b"paged" not in on_terminal(words, {"PAGER": "sed s/^/paged/", "TERM": "dumb"})
    assert b"paged" not in on_terminal([*words, "--no-pager"], {"PAGER": "sed s/^/paged/"})
    assert on_terminal(["print", tape], {"PAGER": "head -n 1"}).count(b"\r\n") == 1

"""`tickertape control` as a user types it, on running targets that are being captured."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest
from cobs import cobs

from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.wire_bytes import frame, hello_body
from tickertape.analysis.balance import balance_of
from tickertape.cli.main import main
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import Command as Asked
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import Event

WAIT_S = 100.0
FILTER = 13  # number of the command THREAD_FILTER
CALLER = -2  # index of the caller in the words of a kernel call's wide form


@contextmanager
def captured(tmp_path: Path, target: str) -> Iterator[Path]:
    """Run the example, capture it to t.tape, and accept commands at a socket; yield its path."""
    path = tmp_path / "s"
    words = ["run", "--target", target, "-o", "t.tape", "--duration", "100000", "--control", "s"]
    with subprocess.Popen(
        [COMMAND, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + WAIT_S
        while not path.exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        try:
            yield path
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("t.tape: ")
    assert not path.exists()


def events_on(tape: Path, *classes: EventClass) -> list[Event]:
    """Read a tape of millions of events; check that its balance is exact.

    Returns the events of these classes and of the host, and the last event of each part, so the
    last event of the tape, too.
    """
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        assert balance.contradictions == ()
        assert balance.total.holds
        events: list[Event] = []
        for part in iter_events(reader):
            rows = part.host | np.isin(part.cls, classes)
            rows[-1:] = True
            events += part.take(np.flatnonzero(rows)).events()
        return events


def done(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    """Run the command in this process, which is faster than a separate one; return its output."""
    code = main(["control", f"unix:{path}", *words])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    return out


def refused(capsys: pytest.CaptureFixture[str], path: Path, code: int, *words: str) -> str:
    """Run the command, which must fail with this exit code; return its error line."""
    assert main(["control", f"unix:{path}", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "; " in err
    return err


def test_a_user_controls_what_another_one_captures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with captured(tmp_path, "qemu") as path:

        def control(*words: str) -> str:
            return done(capsys, path, *words)

        assert control("del-class", "int", "APP20", "sched") == (
            "del-class INT: done\ndel-class APP20: done\ndel-class SCHED: done\n"
        )
        assert control("add-event", "SCHED.TICK") == "add-event SCHED.TICK: done\n"
        assert control("add-event", "USER.100") == (
            "add-event USER.EVENT_100: done, with all other events of class USER that the"
            " dictionary does not list; build the target with TT_CONFIG_EVENT_MASKS to select them"
            " one by one\n"
        )
        classes = json.loads(control("classes", "--json"))
        assert classes["stream"] == 0
        assert [classes["classes"][name] for name in ("INT", "SCHED", "APP20", "KERCALL")] == [
            *("none", "some", "none", "every")
        ]
        table = [line.split() for line in control("classes").splitlines()]
        assert ["SCHED", "some"] in table
        assert ["APP16-19", "every"] in table
        told = control("insert", "APP20.5", "1")
        assert told == (
            "insert APP20.EVENT_5: done, but no stream that runs records APP20.EVENT_5 now\n"
        )
        assert control("insert", "7", "0xbeef", "-1") == "insert USER.USER_7: done\n"
        assert control("insert", "8", "door öpened") == "insert USER.USER_8: done\n"
        assert control("insert", "SYSTEM.SLOG", "1", "6", "12") == "insert SYSTEM.SLOG: done\n"
        assert control("-q", "wide", "KERCALL") == ""
        assert control("stop") == "stop: done\n"
        status = json.loads(control("status", "--json"))
        assert (status["running"], status["policy"]) == (False, "DROP")
        assert [cpu["cpu"] for cpu in status["cpus"]] == [0]
        assert all(
            cpu["offered"] == cpu["sent"] + cpu["dropped"] + cpu["in_rings"]
            for cpu in status["cpus"]
        )
        assert control("ring") == "ring: done\n"
        assert control("start", "--no-state") == "start: done\n"
        assert "stream 0 records, policy OVERWRITE" in control("status")
        assert control("flush") == "flush: done\n"
    events = events_on(tmp_path / "t.tape", EventClass.TRACER)
    ours = {
        (event.name, event.words[:2], event.text or event.payload) for event in events if event.host
    }
    # The emulated board is never too slow, so no record was dropped.
    assert [cpu["dropped"] for cpu in status["cpus"]] == [0]
    assert ours == {
        ("USER.USER_7", (0xBEEF, 0xFFFF_FFFF), None),
        ("USER.USER_8", first_words("door öpened"), "door öpened".encode()),
        ("SYSTEM.SLOG", (1, 6), "12"),
    }
    commands = [Asked(event.words[0]) for event in events if event.name == "TRACER.COMMAND"]
    order = [Asked.DEL_CLASS, Asked.ADD_EVENT, Asked.INSERT, Asked.INSERT_BYTES, Asked.WIDE]
    found = [one for one in dict.fromkeys(commands) if one in order]
    assert found == order


def test_a_program_of_this_machine_is_controlled_as_well(
    capsys: pytest.CaptureFixture[str], tickertape: Command, tmp_path: Path
) -> None:
    with captured(tmp_path, "native") as path:
        # In virtual time the target records as fast as we read, so keep the recording short.
        done(capsys, path, "insert", "7", "hello")
        done(capsys, path, "stop")
        found = tickertape("control", "s", "status")
        assert (found.returncode, found.stderr) == (0, "")
        assert found.stdout.startswith("first_tape: stream 0 is stopped, policy DROP\ncpu ")
    events = events_on(tmp_path / "t.tape", EventClass.TRACER)
    assert [event.payload for event in events if event.host] == [b"hello"]
    told = [event.words[0] for event in events if event.name == "TRACER.COMMAND"]
    assert told == [Asked.INSERT_BYTES]
    assert events[-1].name == "TRACER.STOP"


def first_words(text: str) -> tuple[int, int]:
    data = text.encode()
    return int.from_bytes(data[:4], "little"), int.from_bytes(data[4:8], "little")


def test_a_filter_by_the_name_of_a_thread(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with captured(tmp_path, "qemu") as path:
        assert done(capsys, path, "wide", "KERCALL") == "wide KERCALL: done\n"
        told = done(capsys, path, "set-tid", "KERCALL", "motor").split()
        assert told[:2] == ["set-tid", "KERCALL"]
        tid = int(told[2].rstrip(":"))
        assert done(capsys, path, "set-tid", "KERCALL", hex(tid)).split() == told
        for number in range(1, 8):
            done(capsys, path, "set-tid", f"USER.{number}", "2")
        # KERCALL uses one of the eight filters.
        line = refused(capsys, path, 8, "set-tid", "SYNC", "2")
        assert "refused thread-filter: all its filters" in line
        assert "set-pid WHAT 0" in line
        done(capsys, path, "set-tid", "USER.1", "any")
        done(capsys, path, "set-pid", "SYNC", "any")
        line = refused(capsys, path, 2, "set-tid", "SYNC", "ghost")
        assert "no thread called ghost" in line
        line = refused(capsys, path, 2, "set-pid", "SYNC", "nowhere")
        assert "no domain called nowhere" in line
        assert "number 4294967296" in refused(capsys, path, 2, "set-tid", "SYNC", str(1 << 32))
    events = events_on(tmp_path / "t.tape", EventClass.TRACER, EventClass.KERCALL)
    commands = [place for place, one in enumerate(events) if one.name == "TRACER.COMMAND"]
    begin = next(place for place in commands if events[place].words[:2] == (FILTER, 0))
    calls = [one for one in events[begin:] if one.name.startswith("KERCALL.")]
    assert len(calls) > 10
    assert {one.words[CALLER] for one in calls if one.payload is not None} == {tid}


def test_refusals_have_their_reason_and_code(
    capsys: pytest.CaptureFixture[str], tickertape: Command, tmp_path: Path
) -> None:
    with captured(tmp_path, "qemu") as path:
        line = refused(capsys, path, 8, "ring")
        assert "refused policy: the stream records" in line
        assert line.endswith("stop it first\n")
        assert "no stream 5" in refused(capsys, path, 8, "stop", "--stream", "5")
        line = refused(capsys, path, 8, "shed", "USER", "--below", "100")
        assert "refused shed" in line
        assert done(capsys, path, "shed", "USER", "app16") == "shed USER APP16: done\n"
        assert done(capsys, path, "shed", "none") == "shed none: done\n"
        assert done(capsys, path, "raw") == "raw: done\n"
        assert done(capsys, path, "packed") == "packed: done\n"
        # Another program cannot take over the socket.
        other = tickertape("capture", "s", "-o", "u.tape", "--control", "s")
        assert_complaint(other, 3, "another program listens at s")
    assert events_on(tmp_path / "t.tape")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["control"], ["LINK", "see tickertape control --help"]),
        (["control", "x"], ["WHAT", "see tickertape control --help"]),
        (["control", "x", "dance"], ["dance"]),
        (["control", "x", "del-class"], ["CLASS"]),
        (["control", "x", "del-class", "NOISE"], ["no event class NOISE", "SCHED"]),
        (
            ["control", "x", "add-event", "MUTEX_LOK_GRANTED"],
            ["did you mean", "MUTEX_LOCK_GRANTED"],
        ),
        (["control", "x", "add-event", "6.1024"], ["6.1024"]),
        (["control", "x", "set-tid", "USER"], ["TID"]),
        (["control", "x", "set-pid", "USER"], ["PID"]),
        (["control", "x", "insert", "MUTEX_*"], ["matches", "name one"]),
        (["control", "x", "insert", "7", "1", "2", "3"], ["at most two numbers"]),
        (["control", "x", "insert", "7", "one", "two"], ["at most two numbers"]),
        (["control", "x", "insert", "7", str(1 << 32)], ["does not fit"]),
        (["control", "x", "shed", "USER", "--below", "-1"], ["--below cannot be -1"]),
        (["control", "x", "stop", "--stream", "8"], ["--stream"]),
        (["control", "x", "stop", "--wait", "0"], ["above 0"]),
        (["control", "gopher://x", "stop"], ["gopher"]),
        (["control", "unix:", "stop"], ["names no socket"]),
    ],
)
def test_wrong_command_lines(
    capsys: pytest.CaptureFixture[str], words: list[str], parts: list[str]
) -> None:
    assert main(words) == 2
    _, err = capsys.readouterr()
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


@pytest.mark.parametrize(
    ("link", "parts"),
    [
        ("unix:none", ["there is no socket none"]),
        ("none", ["there is no device or file none"]),
        ("socket://127.0.0.1:1", ["no program listens"]),
        ("recorded", ["recorded cannot carry commands to a target"]),
    ],
)
def test_links_that_do_not_lead_to_a_target(
    tickertape: Command, tmp_path: Path, link: str, parts: list[str]
) -> None:
    (tmp_path / "recorded").write_bytes(b"")
    assert_complaint(tickertape("control", link, "stop"), 3, *parts)


def test_silence_ends(tickertape: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = f"socket://127.0.0.1:{server.getsockname()[1]}"
        done = tickertape("control", link, "stop", "--wait", "0.3")
    assert_complaint(done, 3, "did not answer stop within 0.3 s; it is unknown whether the command")


def test_a_busy_device_leads_to_the_option(tickertape: Command) -> None:
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    with open(theirs, "rb", buffering=0) as held:  # noqa: PTH123 - a descriptor
        fcntl.flock(held, fcntl.LOCK_EX)
        done = tickertape("control", name, "status")
    os.close(ours)
    assert_complaint(done, 3, "in use by another program", "--control SOCKET")


def test_a_capture_of_a_file_takes_no_commands(tickertape: Command, tmp_path: Path) -> None:
    (tmp_path / "recorded").write_bytes(frame(1, 0, 0, 0, hello_body()))
    done = tickertape("capture", "recorded", "-o", "t.tape", "--control", "s")
    assert_complaint(done, 3, "cannot carry commands")
    assert not (tmp_path / "t.tape").exists()
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(("word", "code"), [("USER", 5), ("6", 0)])
def test_names_mean_nothing_to_a_target_with_another_list(word: str, code: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = f"socket://127.0.0.1:{server.getsockname()[1]}"
        process = subprocess.Popen(
            [COMMAND, "control", link, "del-class", word],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        peer, _ = server.accept()
        with peer:
            peer.sendall(b"\0" + frame(1, 0, 0, 0, hello_body(dictionary=1)))
            if code == 0:
                asked = b""
                while asked.count(b"\0") < 2:
                    asked += peer.recv(100)
                peer.sendall(frame(6, 0, 0, 1, _answer(asked)))
            out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == code, err
    if code:
        assert "another list of events, so USER may mean something else" in err
    else:
        assert out == "del-class USER: done\n"


def _answer(asked: bytes) -> bytes:
    command = cobs.decode(asked.split(b"\0")[1])[8:]
    return bytes(command[:6]) + bytes(10)

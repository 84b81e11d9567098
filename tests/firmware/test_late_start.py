"""A stream that starts late begins with a state dump."""

from __future__ import annotations

import socket
import struct
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cobs import cobs

from tests.support.boots import boots
from tests.support.control_target import command_frame
from tests.support.workbench import build, qemu_command, run_native, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.model.kernel import KernelModel
from tickertape.printing.text import TextExporter
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.events import Event

SOURCE = Path(__file__).parent / "late_start"
BOARDS = ("native", "mps2-an386")
HELLO, BUFFER, PACKED, REPLY, NAME = 1, 2, 3, 6, 7
START, STOP = 2, 3
ANSWER_SECONDS = 60
# Threads of first_tape except the tracer, which runs because it replies to the command.
FIRST_TAPE = {"motor", "control", "filter", "logger", "report", "sensor", "supervisor", "idle"}
HELD_UP = {"owner": "NANOSLEEP", "waiter": "MUTEX", "sleeper": "NANOSLEEP", "starter": "RUNNING"}


def frames_of(trace: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the encoded bytes of each frame."""
    for frame in filter(None, trace.split(b"\0")):
        yield cobs.decode(frame)[0], frame + b"\0"


def without_names(trace: bytes) -> bytes:
    """Return the trace without NAME frames, so that all names come from records."""
    return b"".join(frame for kind, frame in frames_of(trace) if kind != NAME)


def tape_of(trace: bytes, path: Path) -> TapeReader:
    capture(MemoryLink([trace]), path, CaptureOptions(handle_signals=False))
    return TapeReader(path)


def said_at_start(events: list[Event]) -> tuple[dict[str, str], dict[str, int]]:
    """Return state and priority of each thread by name, from the last state dump."""
    last = max(place for place, event in enumerate(events) if event.name == "TRACER.START")
    states: dict[int, str] = {}
    priorities: dict[int, int] = {}
    names: dict[int, str] = {}
    for event in events[last + 1 :]:
        if event.type.class_name == "THREAD" and event.event <= 20:
            states.setdefault(event.words[1], event.type.name)
        elif event.name == "SCHED.PRIORITY":
            priorities.setdefault(event.words[0], event.words[1])
        elif event.name == "THREAD.NAME":
            names.setdefault(event.words[1], event.text or "")
    return (
        {name: states[tid] for tid, name in names.items()},
        {name: priorities[tid] for tid, name in names.items()},
    )


@pytest.mark.parametrize("board", BOARDS)
def test_an_application_that_starts_its_tracer_late(board: str, tmp_path: Path) -> None:
    program = build(board, "late_start", SOURCE_DIR=str(SOURCE))
    trace = tmp_path / "trace.bin"
    if board == "native":
        done = run_native(program, "--duration-ms", "100", "--trace", f"file:{trace}")
    else:
        done = run_qemu(board, program, "duration_ms=100", trace=f"file:{trace}")
    assert (done.returncode, done.stdout) == (0, "")
    with tape_of(without_names(trace.read_bytes()), tmp_path / "late.tape") as reader:
        events = [event for part in iter_events(reader) for event in part.events()]
        balance = balance_of(reader)
        model = KernelModel(reader.names)
        for part in iter_events(reader):
            model.feed(part)
        tasks = Counter(task.name for task in model.finish().tasks)
    states, priorities = said_at_start(events)
    assert states.items() >= HELD_UP.items()
    assert states["worker"] in {"READY", "NANOSLEEP"}
    # The owner of the lock has inherited the waiter's priority.
    assert [priorities[name] for name in ("owner", "waiter", "sleeper", "worker")] == [9, 9, 7, 3]
    objects = {event.text for event in events if event.name == "SYSTEM.MAPNAME"}
    assert objects == {"tick", "lock"}
    assert balance.total.offered == balance.total.delivered
    # A thread in the state dump is not a second one.
    assert set(tasks) == {*HELD_UP, "worker", "tracer", "idle"}
    assert set(tasks.values()) == {1}


class Target:
    """A running program at the other end of a socket; the test reads frame by frame."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._rest = b""
        self.seen = b""

    def next_frame(self) -> int:
        """Wait for a frame and return its type."""
        while b"\0" not in self._rest:
            data = self._connection.recv(4096)
            assert data, "the target closed the link"
            self._rest += data
        frame, _, self._rest = self._rest.partition(b"\0")
        self.seen += frame + b"\0"
        return cobs.decode(frame)[0] if frame else 0

    def command(self, number: int, command: int) -> None:
        """Send a command and wait for its reply."""
        self._connection.sendall(command_frame(number, command))
        while self.next_frame() != REPLY:
            pass
        reply = cobs.decode(self.seen.split(b"\0")[-2])
        assert struct.unpack_from("<IBBH", reply, 8) == (number, command, 0, 0)

    def buffers(self, count: int) -> None:
        """Wait for `count` buffers."""
        while count:
            count -= self.next_frame() in {BUFFER, PACKED}


@pytest.mark.parametrize("board", BOARDS)
def test_recording_stops_and_starts_over_the_link(board: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(ANSWER_SECONDS)
        link = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        if board == "native":
            line = [str(build("native")), "--duration-ms", "1000000", "--trace", link]
        else:
            line = qemu_command(board, build(board), link, "duration_ms=1000000")
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
            try:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(ANSWER_SECONDS)
                    target = Target(connection)
                    target.buffers(2)
                    target.command(1, STOP)
                    before = len(target.seen)
                    target.command(2, START)
                    target.buffers(4)
            finally:
                program.kill()
    hello = next(frame for kind, frame in frames_of(target.seen) if kind == HELLO)
    with tape_of(hello + without_names(target.seen[before:]), tmp_path / "late.tape") as reader:
        parts = list(iter_events(reader))
    events = [event for part in parts for event in part.events()]
    states, priorities = said_at_start(events)
    assert states.keys() == FIRST_TAPE | {"tracer"}
    assert states["tracer"] == "RUNNING"
    assert priorities["motor"] == 25
    # Each thread that runs after the start has a name, known from records alone.
    exporter = TextExporter(boots(hz=1_000_000))
    lines = [line for part in parts for line in exporter.lines(part)]
    while " START " not in lines.pop(0):
        pass
    switches = [line for line in lines if "CONTEXT_SWITCH" in line]
    assert switches
    assert not [line for line in switches if "thread " in line]
    with tape_of(target.seen, tmp_path / "whole.tape") as reader:
        model = KernelModel(reader.names)
        for part in iter_events(reader):
            model.feed(part)
        tasks = Counter(task.name for task in model.finish().tasks)
    assert set(tasks) == FIRST_TAPE | {"tracer"}
    assert set(tasks.values()) == {1}

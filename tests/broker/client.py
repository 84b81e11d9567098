"""Run the C client of a broker as a program, with a simulated target."""

from __future__ import annotations

import struct
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tests.broker.line import WAIT_S, Line
from tests.support.wire_bytes import frame
from tickertape.decode.commands import Request, parse_command
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import Command, ReplyStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.target import SimulatedTarget


ROOT = Path(__file__).parents[2]

SOURCES = [*sorted((ROOT / "host/posix").glob("broker_*.c")), ROOT / "firmware/core/crc.c"]

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wmissing-prototypes", "-Werror"]


REPLY, STREAM_NAME = 6, "trace_stream1"

STREAM, NAMINGS = 2, 5

USER, HOST = 6, 1 << 22


class Answering:
    """The target's side of a line: executes each command once, by a function of the test."""

    def __init__(self, line: Line, answer: Callable[[Request], tuple[int, int, int]]) -> None:
        self._line = line
        self._answer = answer
        self.requests: list[Request] = []
        self._seen: dict[int, bytes] = {}
        self._sequence = 1_000_000
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        decoder = FrameDecoder()
        while data := self._line.receive():
            decoder.receive(data)
            for came in decoder.frames():
                number, request = parse_command(came.body)
                if number not in self._seen:
                    self.requests.append(request)
                    status, low, high = self._answer(request)
                    self._seen[number] = struct.pack(
                        "<IBBHII", number, request.command, request.stream, status, low, high
                    )
                with suppress(BrokenPipeError):  # the line may end before the last reply
                    self._line.feed(frame(REPLY, 0, 0, self._sequence, self._seen[number]))
                self._sequence += 1

    def join(self) -> None:
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


def of_posix_trace(request: Request) -> tuple[int, int, int]:
    """Return the reply of a target with named streams: status and two values."""
    if request.command == Command.STREAM_ATTACH and request.payload.startswith(b"number "):
        return (ReplyStatus.DONE, int(request.payload[7:]), NAMINGS)
    known = {
        (Command.STREAM_ATTACH, STREAM_NAME.encode()): (STREAM, NAMINGS),
        (Command.STREAM_DETACH, STREAM_NAME.encode()): (STREAM, NAMINGS),
        (Command.EVENT_OPEN, b"an event"): (USER << 10 | 3, 0),
        (Command.STREAM_ATTRIBUTE, (3, NAMINGS)): (7, 1),
        (Command.HELLO, b""): (0, 0),
    }
    about = request.args[:2] if request.command == Command.STREAM_ATTRIBUTE else request.payload
    if request.command == Command.INSERT_BYTES:
        return (ReplyStatus.DONE, 1 << STREAM, 0)
    found = known.get((Command(request.command), about))
    return (ReplyStatus.BAD_ARGUMENT, 0, 0) if found is None else (ReplyStatus.DONE, *found)


class Viewer:
    """The client process that reads the stream; `lines` is its output after the end."""

    def __init__(
        self, client: Path, address: str, readers: int = 1, name: str = STREAM_NAME
    ) -> None:
        self.process = subprocess.Popen(
            [client, "view", address, name, str(readers)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline().strip()

    def lines(self) -> list[str]:
        # Not communicate(): the buffer that held the first line may hold more output.
        assert self.process.stdout is not None
        limit = threading.Timer(WAIT_S, self.process.kill)
        limit.start()
        with self.process.stdout as stdout:
            lines = stdout.read().splitlines()
        assert self.process.wait(WAIT_S) == (0 if self.first == "attached" else 1)
        limit.cancel()
        return lines

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(WAIT_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


def records_of(lines: list[str]) -> list[tuple[int, ...]]:
    return [
        tuple(int(word, 16) for word in record.split("."))
        for line in lines
        if line.startswith("buffer ")
        for record in line.split()[4:]
    ]


def balance_of(lines: list[str]) -> tuple[int, ...]:
    words = next(line for line in lines if line.startswith("balance ")).split()[1:]
    offered, delivered, overwritten, dropped, damaged = map(int, words)
    assert offered == delivered + overwritten + dropped + damaged
    return (offered, delivered, overwritten, dropped, damaged)


def finish(target: SimulatedTarget, line: Line, sent: int) -> None:
    """Shut the stream down: remove its name, send waiting buffers and final counters."""
    target.stream_name(STREAM, NAMINGS, "")
    target.finish()
    for one in target.frames[sent:]:
        line.feed(one.data)

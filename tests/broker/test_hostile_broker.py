"""The C client refuses a hostile peer without memory errors (ASan and UBSan)."""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from tests.broker.client import ROOT, SOURCES, WARNINGS, balance_of, records_of
from tests.broker.line import WAIT_S
from tests.support.wire_bytes import BUFFER, HELLO, STATUS, buffer_body, frame, hello_body
from tickertape.decode.commands import parse_command
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import MAX_FRAME_BYTES, MAX_STREAMS, Command

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REPLY, NAMINGS, DONE = 6, 1, 0
RECORD = struct.pack("<IIII", 6 << 10, 5, 1, 2)
MOST_RECORDS = (MAX_FRAME_BYTES - 8 - 4 - 40) // 16
WORD = 1 << 64


class FakeBroker:
    """Replies DONE to the client's three commands, sends the test's bytes, and ends."""

    def __init__(self, stream: int, bodies: Sequence[tuple[int, bytes]], odd_id: int = 0) -> None:
        self._stream, self._bodies, self._odd_id = stream, bodies, odd_id
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with self._server, self._server.accept()[0] as line:
            line.sendall(frame(HELLO, 0, 0, 0, hello_body(ticks=1)))
            decoder, answered = FrameDecoder(), 0
            while answered < 3 and (data := line.recv(4096)):
                decoder.receive(data)
                for came in decoder.frames():
                    number, request = parse_command(came.body)
                    if self._odd_id:  # a reply to another command arrives first
                        line.sendall(self._reply(number + self._odd_id, request.command, 99))
                    value = self._stream if request.command == Command.STREAM_ATTACH else 5
                    line.sendall(self._reply(number, request.command, value))
                    answered += 1
            for sequence, (kind, body) in enumerate(self._bodies):
                line.sendall(frame(kind, self._stream % MAX_STREAMS, 0, sequence, body))

    def _reply(self, number: int, command: int, stream: int) -> bytes:
        body = struct.pack("<IBBHII", number, command, 0, DONE, stream, NAMINGS)
        return frame(REPLY, 0, 0, 0, body)

    def join(self) -> None:
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


def view(client: Path, broker: FakeBroker) -> tuple[int, list[str]]:
    done = subprocess.run(
        [client, "view", broker.address, "x", "1"],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    broker.join()
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def records(ordinal: int, count: int, *, dropped: int = 0, sent: int | None = None) -> bytes:
    receipt = (ordinal, dropped, ordinal if sent is None else sent)
    return buffer_body(receipt, 1, 0, RECORD * count)


def status(ordinal: int, dropped: int, sent: int) -> bytes:
    """Return a STATUS with the fields that the client reads, then zeros."""
    return struct.pack("<QQQ", ordinal, dropped, sent) + bytes(200)


@pytest.mark.parametrize("count", [MOST_RECORDS + 1, 4200, 8000])
def test_a_frame_longer_than_the_protocol_allows_is_refused(client: Path, count: int) -> None:
    bodies = [(BUFFER, records(0, 1)), (BUFFER, records(1, count)), (BUFFER, records(1, 2))]
    code, lines = view(client, FakeBroker(0, bodies))
    assert code == 0
    assert len(records_of(lines)) == 3
    assert balance_of(lines) == (3, 3, 0, 0, 0)


def test_the_longest_frame_is_taken(client: Path) -> None:
    code, lines = view(client, FakeBroker(0, [(BUFFER, records(0, MOST_RECORDS))]))
    assert code == 0
    assert balance_of(lines) == (MOST_RECORDS, MOST_RECORDS, 0, 0, 0)


@pytest.mark.parametrize("stream", [MAX_STREAMS, 32, 200, (1 << 32) - 1])
def test_a_stream_that_cannot_be_is_refused(client: Path, stream: int) -> None:
    code, lines = view(client, FakeBroker(stream, []))
    assert (code, lines) == (1, ["attach: No such file or directory"])


def test_a_reply_to_another_command_is_passed_over(client: Path) -> None:
    code, lines = view(client, FakeBroker(2, [(BUFFER, records(0, 3))], odd_id=7))
    assert code == 0
    assert f"about 2 {NAMINGS} 25000000 0" in lines


@pytest.mark.parametrize(
    "lie",
    [
        (STATUS, status(50, 0, 9)),  # fewer sent than were delivered
        (STATUS, status(20, 15, 15)),  # more sent and dropped than offered
        (STATUS, status(20, WORD - 1, 10)),
        (STATUS, status(WORD - 1, 0, WORD - 1)),  # consistent, but no true frame can follow
        (BUFFER, records(WORD - 2, 5)),  # ordinals past the last one
        (BUFFER, records(10, 5, sent=8)),
        (BUFFER, records(12, 5, dropped=7, sent=5)),
        (BUFFER, records(5, 10)),  # records that were delivered before
    ],
)
def test_counters_that_lie_make_no_negative_figure(client: Path, lie: tuple[int, bytes]) -> None:
    bodies = [(BUFFER, records(0, 10)), lie, (BUFFER, records(10, 5))]
    code, lines = view(client, FakeBroker(0, bodies))
    assert code == 0
    figures = balance_of(lines)
    assert all(figure <= figures[0] for figure in figures)
    assert figures[1] == len(records_of(lines)) >= 10


def test_a_stalled_deadline_ends_a_flood(tmp_path: Path) -> None:
    program = tmp_path / "line"
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", *WARNINGS, "-pthread"]
    command += [f"-I{ROOT / 'host/posix'}", f"-I{ROOT / 'firmware/include'}"]
    driver = ROOT / "tests/broker/line_driver.c"
    wraps = ["-Wl,--wrap=poll,--wrap=recv"]
    subprocess.run([*command, driver, *SOURCES, *wraps, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stdout) == (0, "")

"""A capture that is killed at any moment leaves a readable tape."""

from __future__ import annotations

import random
import select
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import balance_of
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 20
CAPTURE = """
import sys
from tickertape.collector import Collector
from tickertape.link import open_link
from tickertape.tape import TapeWriter
link, writer = open_link(sys.argv[1], wait_s=20), TapeWriter(sys.argv[2])
Collector(link, writer, flush_period_s=float(sys.argv[3])).run()
"""
RING = (0, 0)


def stream_of_frames() -> list[bytes]:
    """Return the frames of a busy target, some megabytes."""
    target = SimulatedTarget(
        buffers=8, buffer_records=512, dictionary=DICTIONARY_HASH, policy=0, boot_id=3
    )
    target.hello()
    for number in range(60_000):
        target.advance(7)
        target.record(RING, 6, number % 32, number, ~number)
        if number % 512 == 511:
            target.send_buffer(RING)
        if number % 5000 == 0:
            target.status(RING)
            target.hello()
            target.name(1, number % 7, f"thread {number}")
    return [sent.data for sent in target.frames]


def feed_for(connection: socket.socket, frames: list[bytes], tape: Path, seconds: float) -> None:
    """Send until `seconds` after the tape has appeared."""
    deadline = None
    connection.settimeout(0)
    rest = b""
    frame = iter(frames)
    while deadline is None or time.monotonic() < deadline:
        if deadline is None and tape.exists():
            deadline = time.monotonic() + seconds
        rest = rest or next(frame, b"")
        if not rest:
            time.sleep(0.001)
        elif select.select([], [connection], [], 0.001)[1]:
            rest = rest[connection.send(rest) :]


def test_twenty_random_kills_leave_tapes_that_open(tmp_path: Path) -> None:
    frames = stream_of_frames()
    rng = random.Random(20)
    found = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for number in range(KILLS):
            tape = tmp_path / f"{number}.tape"
            link, flush_s = f"socket://127.0.0.1:{port}", rng.choice(["1.0", "0.001", "0"])
            command = [sys.executable, "-c", CAPTURE, link, str(tape), flush_s]
            with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
                connection, _ = server.accept()
                with connection:
                    feed_for(connection, frames, tape, rng.random() * rng.choice([0.02, 0.2, 1.2]))
                    process.send_signal(signal.SIGKILL)
                assert process.wait() == -signal.SIGKILL
            found.append(check(tape))
    assert max(found) > 0


def check(path: Path) -> int:
    """Check that the tape is readable and contains the sent records in order; return how many."""
    with TapeReader(path) as reader:
        assert not reader.closed
        balance = balance_of(reader)
        assert balance.contradictions == ()
        assert not balance.final
        numbers = [int(word) for part in iter_events(reader) for word in part.data0]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) == balance.total.delivered
    return len(numbers)

"""A shared target: each program gets all records, or an exact receipt of its losses."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.broker.line import WAIT_S, shared
from tests.support.target import SimulatedTarget
from tests.support.wire_bytes import BUFFER, PACKED, frame
from tickertape.analysis.balance import balance_of
from tickertape.broker import Place, sharing
from tickertape.collector import CaptureOptions, capture
from tickertape.decode.frames import FrameDecoder
from tickertape.errors import LinkBusy, LinkError, LinkLost, LinkMissing
from tickertape.link import MemoryLink, open_link
from tickertape.link.unix import UnixListener
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import Command
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.collector import CaptureResult
    from tickertape.decode.frames import Frame


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s"


COMMAND, REPLY = 5, 6


def record_some(target: SimulatedTarget, rng: random.Random, count: int) -> None:
    rings = list(target.rings)
    for number in range(count):
        target.advance(rng.randrange(50))
        target.record(rng.choice(rings), 16 + number % 3, number % 7, number, ~number)
        if number % 50 == 0:
            ring = rng.choice(rings)
            target.combine(ring, 6, 1, rng.randbytes(rng.randrange(40)))
            target.flush(ring)
            while target.send_buffer(ring) is not None:
                pass


class Watcher(threading.Thread):
    """A program that captures from the broker, as `tickertape capture` does."""

    def __init__(self, address: str, tape: Path) -> None:
        super().__init__()
        self._link = open_link(address)
        self._tape = tape
        self.met = threading.Event()
        self.result: CaptureResult | None = None

    def run(self) -> None:
        with closing(self._link):
            options = CaptureOptions(handle_signals=False, on_frame=lambda _: self.met.set())
            self.result = capture(self._link, self._tape, options)


def events_of(tape: Path) -> list[tuple[object, ...]]:
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        assert balance.contradictions == ()
        assert balance.total.holds
        assert balance.final
        return [
            (event.time_ticks, event.stream, event.cpu, event.name, event.words, event.payload)
            for part in iter_events(reader)
            for event in part.events()
        ]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("cpus", [1, 2])
def test_everybody_gets_every_event(path: Path, tmp_path: Path, packed: bool, cpus: int) -> None:  # noqa: FBT001 - a parameter
    rng = random.Random(3)
    target = SimulatedTarget(
        cpus=cpus, streams=3, boot_id=7, packed=packed, dictionary=DICTIONARY_HASH
    )
    target.hello()
    ours = tmp_path / "ours.tape"
    with shared(path, ours, port=0) as line:
        assert len(line.addresses) == 2
        line.feed(target.sent_bytes())
        watchers = [
            Watcher(line.addresses[number % 2], tmp_path / f"{number}.tape") for number in range(6)
        ]
        for watcher in watchers:
            watcher.start()
        for watcher in watchers:
            assert watcher.met.wait(WAIT_S)
        sent = len(target.frames)
        record_some(target, rng, 3000)
        target.finish()
        for one in target.frames[sent:]:
            line.feed(one.data)
    for watcher in watchers:
        watcher.join(WAIT_S)
        assert watcher.result is not None
        assert watcher.result.problems == ()
        assert watcher.result.final
    wanted = events_of(ours)
    assert len(wanted) > 2000
    for number in range(6):
        assert events_of(tmp_path / f"{number}.tape") == wanted


def ask(connection: socket.socket, number: int, command: int, *args: int) -> None:
    words = (*args, 0, 0, 0, 0)[:4]
    connection.sendall(
        frame(COMMAND, 0, 0, 0, struct.pack("<IBBHIIII", number, command, 0, 0, *words))
    )


def frames_until_reply(
    connection: socket.socket, number: int, kept: bytearray | None = None
) -> tuple[list[Frame], tuple[int, int]]:
    """Read up to the reply to a command; return the frames before it and the reply's values."""
    decoder = FrameDecoder()
    frames: list[Frame] = []
    while data := connection.recv(65_536):
        if kept is not None:
            kept += data
        decoder.receive(data)
        for came in decoder.frames():
            if came.type == REPLY and came.body[:4] == struct.pack("<I", number):
                low, high = struct.unpack("<II", came.body[8:16])
                return frames, (low, high)
            frames.append(came)
    pytest.fail("the broker hung up")


def test_what_a_slow_program_does_not_take_is_counted(path: Path, tmp_path: Path) -> None:
    """The broker's count of discarded records equals the loss in the program's balance."""
    target = SimulatedTarget(boot_id=7, buffer_records=100, buffers=200)
    target.hello()
    rng = random.Random(1)
    kept = bytearray()
    with (
        shared(path, tmp_path / "ours.tape", most_bytes=1 << 16) as line,
        socket.socket(socket.AF_UNIX) as slow,
        socket.socket(socket.AF_UNIX) as other,
    ):
        slow.connect(str(path))
        ask(slow, 1, Command.LOST)
        assert frames_until_reply(slow, 1, kept)[1] == (0, 0)
        other.connect(str(path))
        ask(other, 1, Command.SUBSCRIBE, 0)
        frames_until_reply(other, 1)
        record_some(target, rng, 100_000)
        target.status((0, 0))
        line.feed(target.sent_bytes())
        # Once the broker passes the last frame on, it has received all frames.
        seen = 0
        decoder = FrameDecoder()
        while not seen:
            decoder.receive(other.recv(65_536))
            seen = sum(came.type == 4 for came in decoder.frames())
        ask(slow, 2, Command.LOST)
        _, (lost, _) = frames_until_reply(slow, 2, kept)
        assert lost > 1000
        sent = len(target.frames)
        target.finish()
        line.feed(b"".join(one.data for one in target.frames[sent:]))
        ask(slow, 3, Command.LOST)
        assert frames_until_reply(slow, 3, kept)[1] == (lost, 0)
        while data := _some(slow, target, kept):
            kept += data
    result = capture(MemoryLink([bytes(kept)]), tmp_path / "slow.tape")
    balance = result.progress.balance
    assert result.final
    assert balance.holds
    assert balance.damaged == lost
    assert balance.offered == len(target.rings[0, 0].fates)
    events_of(tmp_path / "slow.tape")
    assert events_of(tmp_path / "ours.tape")


def _some(connection: socket.socket, target: SimulatedTarget, kept: bytearray) -> bytes:
    """Read until the final STATUS has arrived."""
    decoder = FrameDecoder()
    decoder.receive(bytes(kept))
    del target
    ends = [came for came in decoder.frames() if came.type == 4 and came.body[59]]
    return b"" if ends else connection.recv(65_536)


def test_records_of_the_streams_that_one_asks_for(path: Path) -> None:
    target = SimulatedTarget(streams=3, boot_id=7, packed=True)
    target.hello()
    with (
        shared(path) as line,
        socket.socket(socket.AF_UNIX) as picky,
        socket.socket(socket.AF_UNIX) as plain,
    ):
        line.feed(target.sent_bytes())
        picky.connect(str(path))
        ask(picky, 5, Command.SUBSCRIBE, 0b101, 1)
        frames_until_reply(picky, 5)
        plain.connect(str(path))
        ask(plain, 5, Command.LOST)
        frames_until_reply(plain, 5)
        sent = len(target.frames)
        record_some(target, random.Random(2), 2000)
        for one in target.frames[sent:]:
            line.feed(one.data)
        line.feed(target.status((0, 0)).data)
        found = [_records_until_status(one) for one in (picky, plain)]
    assert {(came.type, came.stream) for came in found[0]} == {(BUFFER, 0), (BUFFER, 2)}
    assert {(came.type, came.stream) for came in found[1]} == {
        (PACKED, 0),
        (PACKED, 1),
        (PACKED, 2),
    }


def _records_until_status(connection: socket.socket) -> list[Frame]:
    decoder = FrameDecoder()
    records: list[Frame] = []
    while data := connection.recv(65_536):
        decoder.receive(data)
        for came in decoder.frames():
            if came.type == 4:
                return records
            if came.type in {BUFFER, PACKED}:
                records.append(came)
    pytest.fail("the broker hung up")


def test_a_reset_of_the_target_is_one_for_everybody(path: Path, tmp_path: Path) -> None:
    """Without a boot id, only the frame numbers reveal the reset."""
    target = SimulatedTarget(now=5_000_000)
    rng = random.Random(4)
    target.hello()
    record_some(target, rng, 2000)
    first = target.sent_bytes()
    sent = len(target.frames)
    target.reset(now=10)
    target.hello()
    record_some(target, rng, 500)
    target.finish()
    with shared(path, tmp_path / "ours.tape") as line:
        line.feed(first)
        watcher = Watcher(line.addresses[0], tmp_path / "t.tape")
        watcher.start()
        assert watcher.met.wait(WAIT_S)
        for one in target.frames[sent:]:
            line.feed(one.data)
    watcher.join(WAIT_S)
    for name in ("ours.tape", "t.tape"):
        with TapeReader(tmp_path / name) as reader:
            balance = balance_of(reader)
            assert balance.contradictions == ()
            assert max(ring.ring.epoch for ring in balance.rings) == 1
            assert balance.rings[-1].final


def test_programs_that_vanish_in_the_middle_do_no_harm(path: Path, tmp_path: Path) -> None:
    rng = random.Random(6)
    target = SimulatedTarget(boot_id=7, packed=True)
    target.hello()
    with shared(path, tmp_path / "ours.tape") as line:
        line.feed(target.sent_bytes())
        watcher = Watcher(line.addresses[0], tmp_path / "t.tape")
        watcher.start()
        assert watcher.met.wait(WAIT_S)
        for _ in range(30):
            with socket.socket(socket.AF_UNIX) as rude:
                rude.connect(str(path))
                sent = len(target.frames)
                record_some(target, rng, 200)
                line.feed(b"".join(one.data for one in target.frames[sent:]))
                half = frame(COMMAND, 0, 0, 0, bytes(24))
                rude.sendall(rng.choice([b"", half[:20], rng.randbytes(5000)]))
                rude.recv(rng.randrange(1, 500))
        sent = len(target.frames)
        target.finish()
        line.feed(b"".join(one.data for one in target.frames[sent:]))
    watcher.join(WAIT_S)
    assert events_of(tmp_path / "t.tape") == events_of(tmp_path / "ours.tape")


def test_the_end_of_the_link_is_the_end_for_everybody(path: Path) -> None:
    with shared(path) as line:
        link = open_link(line.addresses[0])
    with closing(link):
        deadline = time.monotonic() + WAIT_S
        while not link.at_end:
            link.read(1000, 0.1)
            assert time.monotonic() < deadline
        with pytest.raises(LinkLost):
            link.write(b"x" * 1000)
    with pytest.raises(LinkMissing):
        open_link(line.addresses[0], wait_s=0.0)


def test_places_that_are_taken(path: Path, tmp_path: Path) -> None:
    with shared(path, port=0) as line:
        port = int(line.addresses[1].rpartition(":")[2])
        with pytest.raises(LinkBusy, match="another program listens"), shared(path):
            pass
        with pytest.raises(LinkBusy, match=f"port {port}"), shared(tmp_path / "2", port=port):
            pass
        # The socket made before the failure was removed.
        assert not (tmp_path / "2").exists()
    path.write_text("mine")
    with pytest.raises(LinkBusy, match="is not a socket"), shared(path):
        pass
    assert path.read_text() == "mine"


def test_a_link_of_one_direction_leaves_no_socket(path: Path, tmp_path: Path) -> None:
    recorded = tmp_path / "bytes"
    recorded.write_bytes(b"x")
    with (
        closing(open_link(str(recorded))) as link,
        pytest.raises(LinkError, match="cannot carry commands"),
        sharing(link, Place(str(path))),
    ):
        pass
    assert not path.exists()
    UnixListener(str(path)).close()

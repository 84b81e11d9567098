"""Commands as bytes: whatever the line does to them, the target executes each id once.

The oracle reads the same bytes with independent code: the cobs package, zlib, rules of SPEC.md.
"""

from __future__ import annotations

import random
import struct
import subprocess
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from cobs import cobs

from tests.support.core_driver import build_driver
from tests.support.patience import HANG_S
from tests.support.wire_bytes import frame
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.decode.frames import FrameDecoder
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.decode.events import Event

COMMAND, REPLY = 5, 6
ADD_CLASS, DEL_CLASS, POLICY, INSERT, INSERT_BYTES, NONE = 9, 10, 16, 17, 20, 77
OURS, OTHERS = 20, 21
RECORDERS = (0, 1, 14)  # EMPTY, CONTROL, TRACER
ID_LIMIT = 1 << 32
LATE = 64
PAYLOAD = 192
SEEDS = range(60)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_driver(tmp_path_factory.mktemp("commands"), "command_driver.c")


def body(number: int, command: int, *args: int, stream: int = 0, payload: bytes = b"") -> bytes:
    words = (*args, 0, 0, 0, 0)[:4]
    return struct.pack("<IBBHIIII", number, command, stream, 0, *words) + payload


def some_command(rng: random.Random, number: int) -> bytes:
    choice = rng.choice([INSERT, INSERT, INSERT, INSERT_BYTES, ADD_CLASS, DEL_CLASS, POLICY, NONE])
    cls = rng.choice([OURS, OURS, OTHERS, 32])
    if choice in {INSERT, INSERT_BYTES} and rng.random() < 0.1:
        cls = rng.choice(RECORDERS)
    stream = 0 if rng.random() < 0.9 else 9
    words = (cls, rng.randrange(1025), rng.getrandbits(32), rng.getrandbits(32))
    payload = rng.randbytes(rng.randrange(PAYLOAD + 1)) if choice == INSERT_BYTES else b""
    return body(number, choice, *words, stream=stream, payload=payload)


def conversation(rng: random.Random) -> bytes:
    """Return the bytes of a host that repeats commands at random; one piece in three is damaged."""
    number = rng.choice([1, 5000, ID_LIMIT - 5])
    sent: list[bytes] = []
    line = bytearray()
    for sequence in range(40):
        if sent and rng.random() < 0.4:  # repeat a command, often the last one
            said = sent[-1 - min(len(sent) - 1, rng.randrange(1, 200) // 60)]
        else:
            step = rng.choice([1, 1, 1, LATE, LATE + 1, 1000])
            number = (number + step) % ID_LIMIT or 1
            said = some_command(rng, number)
            sent.append(said)
        piece = b"\0" * rng.randrange(2) + frame(COMMAND, 0, 0, sequence, said)
        if rng.random() < 1 / 3:
            piece = hurt(piece, rng)
        line += piece
    line += b"\0" + frame(REPLY, 0, 0, 0, sent[-1]) + frame(COMMAND, 0, 0, 0, body(0, INSERT, OURS))
    line += frame(COMMAND, 0, 0, 0, sent[-1] + bytes(PAYLOAD + 1)) + frame(
        COMMAND, 0, 0, 0, b"short"
    )
    return bytes(line)


def hurt(piece: bytes, rng: random.Random) -> bytes:
    begin = rng.randrange(len(piece))
    end = begin + rng.randrange(1, 8)
    run = piece[begin:end]
    other = rng.choice([b"", run * 2, rng.randbytes(len(run)), rng.randbytes(200)])
    return piece[:begin] + other + piece[end:]


@dataclass
class Oracle:
    """Model of a target: the replies and events that the bytes of a line have to cause."""

    selected: dict[int, bool] = field(default_factory=lambda: {OURS: True, OTHERS: True})
    last: int = 0
    reply: bytes = b""
    replies: list[bytes] = field(default_factory=list)
    inserted: list[tuple[int, int, bytes]] = field(default_factory=list)
    results: list[tuple[int, int]] = field(default_factory=list)

    def read(self, line: bytes) -> None:
        for said in commands_in(line):
            number = int.from_bytes(said[:4], "little")
            if self.last and 0 < (self.last - number) % ID_LIMIT <= LATE:
                continue
            if number != self.last:
                self.last = number
                self.reply = self.carry_out(number, said)
            self.replies.append(self.reply)

    def carry_out(self, number: int, said: bytes) -> bytes:
        _, command, stream, _, cls, event, *words = struct.unpack("<IBBHIIII", said[:24])
        status, value = 0, 0
        if stream > 0:
            status = 1
        elif command == NONE:
            status = 3
        elif command == POLICY:
            status = 1 if cls > 2 else 2  # the stream records
        elif cls > 31 or (command in {INSERT, INSERT_BYTES} and (event > 1023 or cls in RECORDERS)):
            status = 1
        elif command in {ADD_CLASS, DEL_CLASS}:
            self.selected[cls] = command == ADD_CLASS
        elif self.selected[cls]:
            value = 1
            payload = said[24:] if command == INSERT_BYTES else struct.pack("<II", *words)
            self.inserted.append((cls, event, payload))
        self.results.append((command, -status))
        return struct.pack("<IBBHII", number, command, stream, status, value, 0)


def commands_in(line: bytes) -> Iterator[bytes]:
    """Yield the bodies of undamaged commands."""
    for piece in line.split(b"\0")[:-1]:
        try:
            plain = cobs.decode(piece)
        except cobs.DecodeError:
            continue
        said, crc = plain[8:-4], plain[-4:]
        whole = len(crc) == 4 and zlib.crc32(plain[:-4]) == int.from_bytes(crc, "little")
        if whole and plain[0] == COMMAND and 24 <= len(said) <= 24 + PAYLOAD and any(said[:4]):
            yield said


@pytest.mark.parametrize("seed", SEEDS)
def test_each_is_carried_out_once(program: Path, tmp_path: Path, seed: int) -> None:
    line = conversation(random.Random(seed))
    oracle = Oracle()
    oracle.read(line)
    assert oracle.replies
    done = subprocess.run([program], input=line, capture_output=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    decoder = FrameDecoder()
    decoder.receive(done.stdout)
    assert [one.body for one in decoder.frames() if one.type == REPLY] == oracle.replies
    capture(MemoryLink([done.stdout]), tmp_path / "t.tape", CaptureOptions(handle_signals=False))
    with TapeReader(tmp_path / "t.tape") as reader:
        total = balance_of(reader).total
        events = [event for part in iter_events(reader) for event in part.events()]
    assert total.offered == total.delivered > 0
    assert [facts(event) for event in events if event.host] == oracle.inserted
    results = [event.words for event in events if event.name == "TRACER.COMMAND"]
    assert [(command, status - ID_LIMIT * (status > 9)) for command, status in results] == (
        oracle.results
    )


def facts(event: Event) -> tuple[int, int, bytes]:
    payload = event.payload
    return event.cls, event.event, struct.pack("<II", *event.words) if payload is None else payload

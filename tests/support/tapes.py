"""Make tapes for tests, and compare the host's reader with the reader written from SPEC."""

from __future__ import annotations

import resource
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import wire_bytes
from tests.support.rings import plain_events
from tests.support.spec_reader import SpecTape
from tests.support.target import DROP, OVERWRITE, SimulatedTarget
from tests.support.wire_bytes import SIMPLE, RawRecord
from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.decode.frames import FrameDecoder, LinkCounters
from tickertape.tape import TapeReader, TapeWriter
from tickertape.tape.format import RingKey
from tickertape.tape.stream import ring_events

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.reference import PlainEvent
    from tests.support.target import SentFrame
    from tickertape.tape.format import RingKey


def write(target: SimulatedTarget, path: Path, rng: random.Random) -> None:
    """Write the frames of a target to a tape, in chunks of random sizes."""
    with TapeWriter(path) as writer:
        for sent in target.frames:
            while writer.epoch < sent.boot:
                writer.new_epoch()
            keep(writer, sent)
            if rng.random() < 0.2:
                writer.flush()


def keep(writer: TapeWriter, sent: SentFrame) -> None:
    decoder = FrameDecoder()
    decoder.receive(sent.data)
    (frame,) = decoder.frames()
    if frame.type == wire_bytes.BUFFER:
        writer.buffer(frame.stream, frame.cpu, frame.body)


def busy(rng: random.Random, *, cpus: int, streams: int) -> SimulatedTarget:
    """Return a target that has recorded on all rings, with losses and resets."""
    target = SimulatedTarget(
        cpus=cpus,
        streams=streams,
        buffers=2,
        buffer_records=rng.choice([1, 4, 9]),
        policy=rng.choice([DROP, OVERWRITE]),
        now=rng.choice([0, 2**32 - 30]),
    )
    for _ in range(rng.randrange(150)):
        ring = rng.choice(list(target.rings))
        action = rng.random()
        if action < 0.6:
            target.record(ring, 6, rng.randrange(4), rng.randrange(9))
        elif action < 0.7:
            target.combine(ring, 6, 9, rng.randbytes(rng.randrange(20)))
        elif action < 0.85:
            target.advance(rng.choice([1, 2, 50, 2**31]))
        elif action < 0.98:
            target.flush(ring)
            target.send_buffer(ring)
        else:
            target.reset(now=rng.randrange(5))
    target.finish()
    return target


def records(first: int, count: int, order: str = "<") -> bytes:
    return b"".join(
        RawRecord(SIMPLE, 0, 6, 0, number, number, 0).pack(order)
        for number in range(first, first + count)
    )


def buffer(first: int, count: int, order: str = "<") -> bytes:
    return wire_bytes.buffer_body((first, 0, first), first, 0, records(first, count, order))


def fill(writer: TapeWriter) -> None:
    """Write chunks of each type, with two epochs and two rings."""
    writer.hello(wire_bytes.hello_body(cpus=2, ticks=1))
    writer.name(wire_bytes.name_body(1, 5, "idle"))
    writer.buffer(0, 0, buffer(0, 3))
    writer.buffer(0, 1, buffer(0, 2))
    writer.buffer(0, 0, buffer(3, 3))
    writer.flush()
    writer.status(0, 1, bytes(64))
    writer.text(b"hello")
    writer.note("a remark")
    writer.anchor(1, 2, 3)
    writer.receipt(LinkCounters(bytes=5, frames=4, bad_frames=3, noise_bytes=2, missed_frames=1))
    writer.meta({"board": "native"})
    writer.new_epoch()
    writer.hello(wire_bytes.hello_body(boot_id=9))
    writer.buffer(0, 0, buffer(0, 1))


@contextmanager
def file_size_limit(count: int) -> Iterator[None]:
    """Limit the size of files to `count` bytes; the operating system refuses writes beyond."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def compare(path: Path, *, damaged: bool = False) -> None:
    """Check that both readers return the same contents; less if the tape is `damaged`."""
    spec = SpecTape(path.read_bytes())
    with TapeReader(path) as reader:
        assert [tuple(row) for row in reader.chunks.tolist()] == [
            (chunk.offset, int.from_bytes(chunk.magic, "little"), *chunk[2:])
            for chunk in spec.chunks
        ]
        assert damaged or spec.indexed in (None, spec.walked)
        assert reader.closed == spec.closed
        assert reader.meta == spec.meta
        assert [tuple(ring) for ring in reader.rings] == sorted(spec.rings)
        for epoch, hello in reader.hellos.items():
            assert hello.tick_hz == spec.tick_hz(epoch)
            names = reader.names(epoch)
            assert {key: name.text for key, name in names.items()} == spec.names(epoch)
        if not damaged:
            assert [
                (table.build_id or bytes(20), [tuple(row) for row in table.rows])
                for table in reader.symbol_tables
            ] == [(build, [tuple(row) for row in rows]) for build, rows in spec.symbols]
        for found in balance_of(reader, by_class=False).rings:
            ring = spec.rings[found.ring]
            names_of_terms = ("offered", "delivered", "overwritten", "dropped", "damaged")
            assert {name: getattr(found.balance, name) for name in names_of_terms} == ring.balance
            assert found.final == (ring.final is not None and ring.final == max(ring.receipts))
            events = plain_events(list(ring_events(reader, found.ring, DecodeCounters())))
            assert [
                (one.ordinal, one.time, one.cpu, one.cls, one.event, one.words, one.payload)
                for one in events
            ] == [tuple(event) for event in spec.events(ring)]


def events_of(path: Path) -> dict[RingKey, list[PlainEvent]]:
    with TapeReader(path) as reader:
        return {
            ring: plain_events(list(ring_events(reader, ring, DecodeCounters())))
            for ring in reader.rings
        }

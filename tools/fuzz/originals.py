# ruff: noqa: PLR2004, S311 - probabilities; random damage needs no cryptography
"""Valid inputs from a simulated target that knows the events it sent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from tests.support.target import DROP, OVERWRITE, SimulatedTarget
from tickertape.collector import CaptureOptions, capture
from tickertape.collector.intake import Arrival, Intake
from tickertape.decode.events import DecodeCounters
from tickertape.decode.frames import FrameDecoder
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tickertape.decode.events import EventColumns

_BEGIN_NS = 1_700_000_000_000_000_000

# An event and its place: epoch, stream, CPU of the ring, ordinal, and all its values.
Key = tuple[object, ...]


@dataclass(frozen=True)
class Original:
    """A capture without damage.

    Attributes:
        frames: frames as sent over the link, each with its delimiter.
        tape: bytes of its tape.
        events: keys of all sent events.
    """

    frames: tuple[bytes, ...]
    tape: bytes
    events: frozenset[Key]


def keys_of(parts: Iterable[EventColumns]) -> list[Key]:
    """Return a key per event; keys are equal only if place and content are."""
    return [
        key
        for part in parts
        for key in zip(
            [part.epoch] * len(part),
            part.stream.tolist(),
            part.cpu.tolist(),
            part.ordinal.tolist(),
            part.time.tolist(),
            part.header.tolist(),
            part.data0.tolist(),
            part.data1.tolist(),
            map(part.payload_of, range(len(part))),
            strict=True,
        )
    ]


def _busy(rng: Random, byte_order: str | None = None) -> SimulatedTarget:
    """Return a target with losses, events of several records, two rings and a reset."""
    target = SimulatedTarget(
        cpus=2,
        buffers=2,
        buffer_records=rng.choice([4, 12]),
        policy=rng.choice([DROP, OVERWRITE]),
        byte_order=byte_order or rng.choice("<>"),
        boot_id=1,
        dictionary=DICTIONARY_HASH,
        now=rng.choice([0, 2**32 - 500]),
    )
    for boot in range(2):
        target.hello()
        target.name(1, 1, "motor")
        for number in range(30):
            ring = (0, rng.randrange(2))
            target.advance(rng.randrange(1, 90))
            if rng.random() < 0.2:
                target.combine(ring, 6, 9, rng.randbytes(rng.randrange(60)))
            else:
                target.record(ring, rng.randrange(1, 15), number, rng.randrange(2**32), number)
            if rng.random() < 0.2:
                target.flush(ring)
                target.send_buffer(ring)
        target.status((0, 0))
        if boot == 0:
            target.reset(boot_id=2, now=5)
    target.finish()
    return target


@cache
def originals(folder: Path) -> tuple[Original, ...]:
    """Make six captures, the same ones in each call."""
    found = []
    for seed in range(6):
        target = _busy(Random(seed))
        path = folder / "original.tape"
        data = target.sent_bytes()
        capture(MemoryLink([data]), path, CaptureOptions(handle_signals=False))
        with TapeReader(path) as reader:
            counters = DecodeCounters()
            events = frozenset(keys_of(iter_events(reader, counters=counters)))
        _check(target, events)
        found.append(
            Original(tuple(sent.data for sent in target.frames), path.read_bytes(), events)
        )
        path.unlink()
    return tuple(found)


@cache
def with_anchors(folder: Path) -> tuple[Original, ...]:
    """Make two captures of a live link, with anchors of the host's clock."""
    found = []
    for seed in (8, 9):
        target = _busy(Random(seed), byte_order="<")
        path = folder / "anchored.tape"
        decoder = FrameDecoder()
        with TapeWriter(path) as writer:
            intake = Intake(decoder, writer, live=True)
            for number, sent in enumerate(target.frames):
                decoder.receive(sent.data)
                arrival = Arrival(_BEGIN_NS + number * 1_000_000, 2_000_000)
                intake.take([(frame, arrival) for frame in decoder.frames()])
        with TapeReader(path) as reader:
            events = frozenset(keys_of(iter_events(reader)))
        found.append(Original((), path.read_bytes(), events))
        path.unlink()
    return tuple(found)


def _check(target: SimulatedTarget, events: frozenset[Key]) -> None:
    """Check the decoded events against the records of the target.

    Raises:
        AssertionError: the decoder fails on undamaged input.
    """
    for epoch, _, cpu, ordinal, time, header, data0, *_ in events:
        record = target.boots[_int(epoch)][0, _int(cpu)].records[_int(ordinal)]
        said = (record.time, record.kind << 30 | record.cpu << 24 | record.cls << 10 | record.event)
        if said != (time, header) or np.uint32(record.data0 % 2**32) != data0:
            raise AssertionError(f"the undamaged event {ordinal} of CPU {cpu} is not what was sent")


def _int(value: object) -> int:
    assert isinstance(value, int)  # noqa: S101 - keys are made above
    return value

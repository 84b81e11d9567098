"""Simulate boards whose clocks drift, and record tapes with known true times."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tests.support.target import DROP, OVERWRITE, SimulatedTarget
from tickertape.collector.intake import Arrival, Intake
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    import random
    from pathlib import Path


BEGIN_NS = 1_700_000_000_000_000_000


class Clock(NamedTuple):
    """A simulated clock with known parameters."""

    tick_hz: int
    ppm: Fraction
    began_ns: int
    bends: tuple[tuple[int, Fraction], ...] = ()  # (tick, ppm): changes of the rate

    def utc(self, tick: int) -> Fraction:
        """Return the true UTC time of a tick, in ns."""
        nominal = Fraction(10**9, self.tick_hz)
        time, at, ppm = Fraction(self.began_ns), 0, self.ppm
        for begin, other in self.bends:
            if begin >= tick:
                break
            time += (begin - at) * nominal / (1 + ppm / 10**6)
            at, ppm = begin, other
        return time + (tick - at) * nominal / (1 + ppm / 10**6)


HZ = 25_000_000


@dataclass
class Recorded:
    """A tape, and the true clock of each boot."""

    path: Path
    clocks: list[Clock]


def record(
    path: Path, rng: random.Random, *, boots: int = 1, byte_order: str = "<", **meta: object
) -> Recorded:
    """Capture a simulated board with a drifting clock, over a link with delays and losses."""
    target = SimulatedTarget(
        cpus=2,
        buffers=3,
        buffer_records=8,
        policy=rng.choice([DROP, OVERWRITE]),
        boot_id=1,
        dictionary=DICTIONARY_HASH,
        byte_order=byte_order,
    )
    began = BEGIN_NS + rng.randrange(10**9)
    clocks = []
    when: list[int] = []  # true time at which each frame was sent

    def sent_now() -> None:
        when.extend([int(clock.utc(target.now))] * (len(target.frames) - len(when)))

    for boot in range(boots):
        if boot:
            target.reset(boot_id=boot + 1, now=rng.randrange(1000))
            began = when[-1] + 10**8
        clock = Clock(HZ, Fraction(rng.randrange(-100, 100)), began)
        clocks.append(clock)
        target.hello()
        target.name(1, 1, "motor")
        sent_now()
        for number in range(60):
            target.advance(rng.randrange(1, HZ // 20))
            ring = (0, rng.randrange(2))
            if rng.random() < 0.2:
                target.combine(ring, 6, 9, rng.randbytes(rng.randrange(40)))
            else:
                target.record(ring, 6, number % 20, number, boot)
            if rng.random() < 0.15:
                target.flush(ring)
                target.send_buffer(ring)
            if rng.random() < 0.2:
                target.hello()
            sent_now()
        target.finish()
        sent_now()
    with TapeWriter(path, meta={"link": path.stem, **meta}) as writer:
        decoder = FrameDecoder()
        intake = Intake(decoder, writer, live=True)
        for sent, true in zip(target.frames, when, strict=True):
            if rng.random() < 0.1 and sent.ring is not None:
                continue  # lost on the line
            late = rng.randrange(1, 2_000_000)
            decoder.receive(sent.data)
            arrival = Arrival(true + late, late + 1 + rng.randrange(1_000_000))
            intake.take([(frame, arrival) for frame in decoder.frames()])
        writer.receipt(decoder.counters)
        writer.note(f"a remark about {path.stem}")
    return Recorded(path, clocks)

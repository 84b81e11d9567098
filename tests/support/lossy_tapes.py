"""Make random histories of a simulated target, and capture them over a lossy line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.support.target import DROP, OVERWRITE, UNTIL_FULL, SimulatedTarget
from tickertape.collector import Collector
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.target import OpenCombine, Ring, Terms
    from tickertape.analysis.balance import Balance
    from tickertape.collector import CaptureResult
    from tickertape.link import MemoryLink


def live(rng: random.Random) -> SimulatedTarget:
    """Return a target after a random history: it records, sends too slowly, sometimes resets."""
    target = SimulatedTarget(
        cpus=rng.choice([1, 1, 2]),
        streams=rng.choice([1, 1, 2]),
        buffers=rng.randrange(2, 5),
        buffer_records=rng.choice([2, 5, 16]),
        policy=rng.choice([OVERWRITE, UNTIL_FULL, DROP]),
        byte_order=rng.choice("<>"),
        boot_id=rng.choice([0, 77]),
        now=rng.choice([0, 2**32 - 50]),
        packed=rng.random() < 0.5,
    )
    target.hello()
    opened: list[OpenCombine] = []
    for _ in range(rng.randrange(200)):
        act(target, rng, opened)
    if rng.random() < 0.7:
        target.finish()
    return target


def act(target: SimulatedTarget, rng: random.Random, opened: list[OpenCombine]) -> None:
    ring = rng.choice(list(target.rings))
    action = rng.random()
    if action < 0.5:
        target.record(ring, rng.randrange(1, 16), rng.randrange(8), rng.randrange(2**32))
    elif action < 0.6 and len(opened) < 3:
        payload = rng.randbytes(rng.randrange(40))
        opened.append(target.begin(ring, 6, 20 + len(opened), payload))
    elif action < 0.7 and opened:
        one = rng.choice(opened)
        if not one.done:
            target.go_on(one)
        opened[:] = [left for left in opened if not left.done]
    elif action < 0.8:
        target.advance(rng.choice([1, 3, 1000, 2**31]))
    elif action < 0.985:
        send(target, rng, ring)
    elif action < 0.99:
        opened.clear()
        target.reset(boot_id=rng.choice([0, target.boot_id + 1]), now=rng.randrange(9))
        target.hello()


def send(target: SimulatedTarget, rng: random.Random, ring: Ring) -> None:
    action = rng.random()
    if action < 0.3:
        target.flush(ring)
    elif action < 0.75:
        target.send_buffer(ring)
    elif action < 0.9:
        target.status(ring)
    else:
        target.hello()


def capture(link: MemoryLink, path: Path) -> CaptureResult:
    with TapeWriter(path) as writer:
        return Collector(link, writer, flush_period_s=0.0).run()


def damaged(target: SimulatedTarget, rng: random.Random) -> tuple[list[bytes], set[int]]:
    """Lose, damage or double frames; return the pieces on the line and the numbers that arrive."""
    pieces, arrived = [], set()
    rate = rng.choice([0.0, 0.0, 0.1, 0.5])
    for sent in target.frames:
        fate = rng.random()
        # Only HELLO contains the byte order: without any, big-endian records are undecodable.
        told = sent.number == 0 and target.byte_order == ">"
        if fate >= rate or told:
            arrived.add(sent.number)
            pieces += [sent.data] * (2 if rng.random() < 0.1 else 1)
        elif fate < rate / 2:
            broken = bytearray(sent.data)
            broken[rng.randrange(len(broken) - 1)] ^= rng.randrange(1, 256)
            pieces.append(bytes(broken))
    return pieces, arrived


def terms_of(balance: Balance) -> Terms:
    names = ("offered", "delivered", "overwritten", "dropped", "damaged")
    return {name: getattr(balance, name) for name in names}


def lossy(seed: int) -> tuple[SimulatedTarget, bytes]:
    """Return a target and its bytes on a link that loses a tenth of the frames of its rings.

    The target has two CPUs, two streams that drop records, a reset, and simple, keyed and combine
    events.
    """
    target = SimulatedTarget(cpus=2, streams=2, buffers=2, buffer_records=8, policy=DROP, boot_id=5)
    rng = random.Random(seed)
    target.hello()
    for number in range(300):
        ring = rng.randrange(2), rng.randrange(2)
        target.advance(rng.choice([1, 100, 2**20, 2**31 - 1]))
        match rng.randrange(6):
            case 0:
                target.combine(ring, 4, 320, bytes(8) + b"some name"[: rng.randrange(10)])
            case 1:
                target.combine(ring, 6, 33, rng.randbytes(rng.randrange(20)))
            case 2:
                target.combine(ring, 4, 2, rng.randbytes(4 * rng.randrange(2, 8)))
            case 3:
                target.record(ring, 2, 128 + 80, 2**32 - 3, 7)
            case _:
                target.record(ring, 8, 0, number, 2)
        if rng.random() < 0.1:
            target.send_buffer((rng.randrange(2), rng.randrange(2)))
    target.finish()
    target.reset(boot_id=6)
    target.hello()
    target.record((0, 0), 9, 0, 1, 2)
    target.finish()
    kept = [one.data for one in target.frames if rng.random() < 0.9 or one.ring is None]
    return target, b"".join(kept)

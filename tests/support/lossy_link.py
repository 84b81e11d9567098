"""A link to a real target that drops, doubles and flips bytes in both directions."""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tickertape.link.base import Link

_LATE_COPIES = 3


class LossyLink:
    """A `Link` with random faults around another one.

    A third of the faults of writes send the data now and again after a later write, as a routed
    line would: so repeated commands arrive late.

    Attributes:
        written: all data passed to `write`.
        accidents: number of faults so far, of writes and of reads.
    """

    def __init__(self, link: Link, seed: int, *, write_rate: float, read_rate: float) -> None:
        """Begin with faults.

        Args:
            link: the link without faults.
            seed: seed of the faults.
            write_rate: share of writes with a fault.
            read_rate: faults per byte read.
        """
        self._link = link
        self._read_random = random.Random(f"read {seed}")
        self._write_random = random.Random(f"write {seed}")
        self._write_rate = write_rate
        self._read_rate = read_rate
        self._late: deque[bytes] = deque()
        self.written: list[bytes] = []
        self.accidents = [0, 0]

    def repair(self) -> None:
        """Stop causing faults."""
        self._write_rate = self._read_rate = 0.0
        self._late.clear()

    @property
    def name(self) -> str:
        return self._link.name

    @property
    def live(self) -> bool:
        return self._link.live

    @property
    def byte_rate(self) -> float:
        return self._link.byte_rate

    @property
    def at_end(self) -> bool:
        return self._link.at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        data = self._link.read(max_bytes, timeout_s)
        if self._read_random.random() < self._read_rate * len(data):
            self.accidents[1] += 1
            return _hurt(data, self._read_random)
        return data

    def write(self, data: bytes) -> None:
        self.written.append(data)
        rng = self._write_random
        if rng.random() < self._write_rate:
            self.accidents[0] += 1
            if rng.random() < 1 / 3:
                self._late.append(data)
            else:
                data = _hurt(data, rng)
        self._link.write(data)
        if self._late and rng.random() < 1 / _LATE_COPIES:
            self._link.write(self._late.popleft())

    def close(self) -> None:
        self._link.close()


def _hurt(data: bytes, rng: random.Random) -> bytes:
    """Drop, double or flip a run of bytes."""
    begin = rng.randrange(len(data))
    end = begin + rng.randrange(1, 60)
    run = data[begin:end]
    match rng.choice(["drop", "double", "flip"]):
        case "drop":
            run = b""
        case "double":
            run *= 2
        case _:
            mask = rng.randrange(1, 256)
            run = bytes(byte ^ mask for byte in run)
    return data[:begin] + run + data[end:]

"""A line between a real target and the host that drops, doubles and flips bytes both ways."""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tickertape.link.base import Link

_LATE_COPIES = 3


class LossyLink:
    """A `Link` around another one. Bytes that are written are hurt more often than those read.

    One accident in three of a write repeats all of it after up to three later writes, as a line
    would that is routed: so commands come late as well.

    Attributes:
        written: everything that was handed to `write`.
        accidents: how many there were so far, of bytes written and of bytes read.
    """

    def __init__(self, link: Link, seed: int, *, write_rate: float, read_rate: float) -> None:
        """Begin in a bad state.

        Args:
            link: the line without accidents.
            seed: of the accidents.
            write_rate: share of writes that are hurt.
            read_rate: accidents per byte that is read.
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
        """Have no more accidents."""
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

# ruff: noqa: PLR2004 - probabilities of damage
"""Shared by all fuzz targets: their protocol, their exception, and forged tapes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

from tickertape.protocol.wire import CHUNK_HEADER_BYTES, TAPE_HEADER_BYTES
from tools.fuzz.mutate import mutated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


class Broken(Exception):  # noqa: N818 - the name states the condition
    """A condition of a target does not hold."""


class Target(Protocol):
    """A decoder with its inputs and conditions."""

    def __init__(self, folder: Path) -> None:
        """Make valid inputs; files go into `folder`."""

    def feed(self, rng: Random) -> int:
        """Feed one batch of new mutated inputs; return their number.

        Raises:
            Broken: a condition does not hold.
        """


def forged(tape: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """Mutate the header or body of one chunk of a tape, and give it valid CRCs."""
    places = []
    offset = TAPE_HEADER_BYTES
    while offset + CHUNK_HEADER_BYTES <= len(tape):
        size = int.from_bytes(tape[offset + 8 : offset + 12], "little")
        places.append((offset, size))
        offset += CHUNK_HEADER_BYTES + size + -size % 16
    begin, size = rng.choice(places)
    head = bytearray(tape[begin : begin + CHUNK_HEADER_BYTES])
    body = tape[begin + CHUNK_HEADER_BYTES : begin + CHUNK_HEADER_BYTES + size]
    if rng.random() < 0.5:
        body = mutated(body, others, rng)
        head[8:12] = len(body).to_bytes(4, "little")
    else:
        place = rng.randrange(4, CHUNK_HEADER_BYTES - 4)
        head[place] = rng.choice([0, 1, 0xFF, rng.randrange(256)])
    head[12:16] = zlib.crc32(body).to_bytes(4, "little")
    head[28:] = zlib.crc32(bytes(head[:28])).to_bytes(4, "little")
    rest = tape[begin + CHUNK_HEADER_BYTES + size + -size % 16 :]
    # Usually without the end of the tape: then the reader has to walk the chunks.
    cut = rest[:-CHUNK_HEADER_BYTES] if rng.random() < 0.7 else rest
    return tape[:begin] + bytes(head) + body + bytes(-len(body) % 16) + cut

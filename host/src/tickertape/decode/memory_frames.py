"""Convert frames in memory to frames on a link. No I/O.

protocol/SPEC.md, "Frames in memory", has the format: frames without CRC and COBS, each after a head
with its length. The rest of the host reads the converted bytes as from any other link.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from cobs import cobs

from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    FRAME_HEADER_BYTES,
    MAX_FRAME_BYTES,
    MEMORY_FRAME,
    MEMORY_FRAME_BYTES,
    MEMORY_LINK,
    MEMORY_LINK_BYTES,
    MEMORY_MARK,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD: Final = 1 << 32
"""Modulus of counters and offsets."""
_HEAD: Final = Layout(MEMORY_LINK)
_FRAME: Final = Layout(MEMORY_FRAME)
_LARGEST_RING_BYTES: Final = 1 << 28
_CRC_BYTES: Final = 4
_SIXTEEN_BITS: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class MemoryHead:
    """The head of a link in memory: `memory_link` of the protocol, without its mark.

    Attributes:
        up_offset: offset from the head to the ring of frames, in bytes, modulo 2^32.
        up_bytes: size of the ring of frames, a power of two.
        up_written: bytes written to the ring of frames, modulo 2^32.
        up_read: bytes read from it, modulo 2^32.
        down_offset: offset from the head to the ring of commands, in bytes, modulo 2^32.
        down_bytes: size of the ring of commands, a power of two.
        down_written: bytes written to the ring of commands, modulo 2^32.
        down_read: bytes read from it, modulo 2^32.
    """

    up_offset: int
    up_bytes: int
    up_written: int
    up_read: int
    down_offset: int
    down_bytes: int
    down_written: int
    down_read: int

    @classmethod
    def parse(cls, data: bytes) -> Self | None:
        """Return the head in the first bytes of `data`; None if there is no valid head."""
        if len(data) < MEMORY_LINK_BYTES:
            return None
        mark, inverse, *words = _HEAD.parse(data)
        head = cls(*words)
        sizes = (head.up_bytes, head.down_bytes)
        marked = mark == MEMORY_MARK and mark ^ inverse == WORD - 1
        fits = all(size.bit_count() == 1 and size <= _LARGEST_RING_BYTES for size in sizes)
        return head if marked and fits else None

    @property
    def waiting_bytes(self) -> int:
        """Bytes of frames that the host has not read; may exceed the ring size after a reset."""
        return (self.up_written - self.up_read) % WORD


def find_head(data: bytes) -> int | None:
    """Return the offset of the first head in `data`; None if there is none."""
    mark = MEMORY_MARK.to_bytes(4, "little")
    place = data.find(mark)
    while place >= 0:
        if MemoryHead.parse(data[place : place + MEMORY_LINK_BYTES]) is not None:
            return place
        place = data.find(mark, place + 1)
    return None


def frames_of(data: bytes) -> list[bytes] | None:
    """Return the frames in bytes read from a ring, without their heads.

    Returns:
        The frames; None if the heads do not lead exactly to the end of `data`. Then `data` does not
        begin with a frame, or was overwritten.
    """
    frames: list[bytes] = []
    place = 0
    while place < len(data):
        if place + MEMORY_FRAME_BYTES > len(data):
            return None
        count, inverse = _FRAME.parse(data[place : place + MEMORY_FRAME_BYTES])
        begin = place + MEMORY_FRAME_BYTES
        possible = FRAME_HEADER_BYTES <= count <= MAX_FRAME_BYTES - _CRC_BYTES
        if count ^ inverse != _SIXTEEN_BITS or not possible or begin + count > len(data):
            return None
        frames.append(data[begin : begin + count])
        place = begin + -(-count // 4) * 4
    return frames if place == len(data) else None


def on_a_link(frames: list[bytes]) -> bytes:
    """Return the frames as bytes on a link: with CRC, COBS and delimiters."""

    def encoded() -> Iterator[bytes]:
        for frame in frames:
            crc = zlib.crc32(frame).to_bytes(_CRC_BYTES, "little")
            yield cobs.encode(frame + crc)
            yield b"\0"

    return b"".join(encoded())

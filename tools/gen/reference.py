"""A plain reference encoder of records and frames, close to the specification.

It only makes the golden vectors. Firmware and host share no code with it, so that the vectors
reveal a mistake in one of them.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

SIMPLE, BEGIN, CONTINUE, END = range(4)
RUN_LIMIT = 254


@dataclass(frozen=True)
class Event:
    """The fields of a record's header, and its time."""

    class_number: int
    number: int
    cpu: int = 0
    domain: int = 0
    time: int = 0
    truncated: bool = False
    host: bool = False
    big_endian: bool = False
    key: int | None = None

    def header(self, struct_bits: int) -> int:
        """Return the header of a record, by the table in DESIGN: bits 31-30, 29-24, 23, 22, ..."""
        return (
            struct_bits << 30
            | self.cpu << 24
            | self.truncated << 23
            | self.host << 22
            | self.domain << 16
            | (self.key is not None) << 15
            | self.class_number << 10
            | self.number
        )

    def words(self, *words: int) -> bytes:
        """Return words in the target's byte order."""
        mark = ">" if self.big_endian else "<"
        return struct.pack(f"{mark}{len(words)}I", *words)

    def record(self, struct_bits: int, data: bytes) -> bytes:
        """Return a record; `data` is its last 8 bytes."""
        time = self.time
        if self.key is not None and struct_bits in {CONTINUE, END}:
            time = self.key
        return self.words(self.header(struct_bits), time) + data


def simple(event: Event, data0: int, data1: int) -> list[bytes]:
    """Return the record of a simple event."""
    return [event.record(SIMPLE, event.words(data0, data1))]


def combine(event: Event, payload: bytes) -> list[bytes]:
    """Return the records of a combine event: payload, zeros, and its length as the last word."""
    padded = payload + bytes(-len(payload) % 4)
    while len(padded) % 8 != 4 or len(padded) < 12:  # noqa: PLR2004 -- two records at least
        padded += bytes(4)
    padded += event.words(len(payload))
    pieces = [padded[at : at + 8] for at in range(0, len(padded), 8)]
    if event.key is not None:
        pieces.insert(0, event.words(event.key, 0))
    marks = [BEGIN, *[CONTINUE] * (len(pieces) - 2), END]
    return [event.record(mark, piece) for mark, piece in zip(marks, pieces, strict=True)]


def cobs(data: bytes) -> bytes:
    """Encode by consistent overhead byte stuffing: without zero bytes and without delimiter."""
    out = bytearray()
    rest = data
    while True:
        end = rest.find(0)
        run = rest if end < 0 else rest[:end]
        if len(run) >= RUN_LIMIT:
            out += bytes([RUN_LIMIT + 1]) + rest[:RUN_LIMIT]
            rest = rest[RUN_LIMIT:]
            if not rest:
                return bytes(out)
            continue
        out += bytes([len(run) + 1]) + run
        if end < 0:
            return bytes(out)
        rest = rest[end + 1 :]


def frame(header: bytes, body: bytes) -> bytes:
    """Return a frame with its delimiter."""
    content = header + body
    return cobs(content + struct.pack("<I", zlib.crc32(content))) + b"\0"


def frame_header(
    kind: int, sequence: int, stream: int = 0, cpu: int = 0, boot_tag: int = 0
) -> bytes:
    """Return the first eight bytes of a frame's content."""
    return struct.pack("<BBBBI", kind, stream, cpu, boot_tag, sequence)

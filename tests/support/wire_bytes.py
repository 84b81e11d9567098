"""Make the bytes of frames and records, written from protocol/SPEC.md.

This module uses neither the generated tables nor code of the host package, so both cannot share an
error.
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

import numpy as np

SIMPLE, BEGIN, CONTINUE, END = range(4)
HELLO, BUFFER, PACKED, STATUS, NAME, TEXT = 1, 2, 3, 4, 7, 8
WORD = 1 << 32


def cobs(data: bytes) -> bytes:
    """Encode bytes without zeros (COBS): each zero becomes the distance to the next zero."""
    stuffed = np.frombuffer(b"\0" + data + b"\0", np.uint8).copy()
    zeros = np.flatnonzero(stuffed == 0)
    distances = np.diff(zeros)
    if distances.max() > 254:
        return _cobs_by_blocks(data)
    stuffed[zeros[:-1]] = distances
    return stuffed[:-1].tobytes()


def _cobs_by_blocks(data: bytes) -> bytes:
    """Encode data that has 254 or more bytes between zeros; a full block stands for no zero."""
    out = b""
    *before, last = data.split(b"\0")
    for piece in before:
        out += _blocks(piece) + bytes([len(piece) % 254 + 1]) + piece[len(piece) // 254 * 254 :]
    out += _blocks(last)
    rest = last[len(last) // 254 * 254 :]
    if rest or not last:
        out += bytes([len(rest) + 1]) + rest
    return out


def _blocks(piece: bytes) -> bytes:
    """Return the full blocks (254 bytes) of a piece without zeros."""
    full = range(0, len(piece) // 254 * 254, 254)
    return b"".join(b"\xff" + piece[at : at + 254] for at in full)


def frame(
    kind: int, stream: int, cpu: int, sequence: int, body: bytes, *, boot_tag: int = 0
) -> bytes:
    """Return the bytes of a frame on a link."""
    data = struct.pack("<BBBBI", kind, stream, cpu, boot_tag, sequence % WORD) + body
    return cobs(data + struct.pack("<I", zlib.crc32(data))) + b"\0"


class RawRecord(NamedTuple):
    """The fields of a record."""

    kind: int
    cpu: int
    cls: int
    event: int
    time: int  # 64 bits
    data0: int
    data1: int
    flags: int = 0  # truncated, host and domain: bits 16 to 23 of the header
    keyed: bool = False

    @property
    def row(self) -> tuple[int, int, int, int]:
        """Return the four words of the record."""
        header = self.kind << 30 | self.cpu << 24 | self.flags << 16 | self.cls << 10 | self.event
        header |= self.keyed << 15
        return (header, self.time % WORD, self.data0 % WORD, self.data1 % WORD)

    def pack(self, byte_order: str) -> bytes:
        """Return the 16 bytes of the record; `byte_order` as in the module struct."""
        return struct.pack(f"{byte_order}IIII", *self.row)


def combine_words(payload: bytes, byte_order: str) -> list[tuple[int, int]]:
    """Return the word pairs of a combine event's records; the last word is the payload's length."""
    words = [
        struct.unpack(f"{byte_order}I", payload[at : at + 4].ljust(4, b"\0"))[0]
        for at in range(0, len(payload), 4)
    ]
    while len(words) < 3 or len(words) % 2 == 0:
        words.append(0)
    words.append(len(payload))
    return [(words[at], words[at + 1]) for at in range(0, len(words), 2)]


def hello_body(  # noqa: PLR0913 - one parameter a field
    *,
    tick_hz: int = 25_000_000,
    boot_id: int = 0,
    dictionary: int = 0,
    ticks: int = 0,
    cpus: int = 1,
    streams: int = 1,
    byte_order: str = "<",
    major: int = 1,
    target: str = "simulated",
    build_id: bytes = bytes(20),
) -> bytes:
    """Return the body of HELLO."""
    order = 1 if byte_order == "<" else 2
    return (
        struct.pack("<BBBBBBH", major, 1, order, cpus, streams, 4, 16)
        + struct.pack("<IIQQ20sI", tick_hz, boot_id, dictionary, ticks, build_id, 0)
        + target.encode()
    )


def name_body(kind: int, number: int, text: str, *, parent: int = 0, priority: int = 0) -> bytes:
    """Return the body of NAME."""
    return struct.pack("<BBBBII", kind, 0, priority, 0, number, parent) + text.encode()


def buffer_body(receipt: tuple[int, int, int], ticks: int, sequence: int, records: bytes) -> bytes:
    """Return the body of BUFFER; `receipt` is (ordinal, dropped, sent) at the first record."""
    return struct.pack("<QQQQIHBB", *receipt, ticks, sequence, len(records) // 16, 0, 0) + records

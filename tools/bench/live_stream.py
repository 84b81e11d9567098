"""The bytes of a live target: the standard mix again and again, as frames, packed or raw.

The mix is packed once; only the numbers at the front of each buffer change between rounds.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from cobs import cobs

from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import (
    BUFFER_HEADER,
    CLASS_SHIFT,
    EVENT_MASK,
    FRAME_HEADER,
    HELLO,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    STATUS,
    ByteOrder,
    FrameType,
)
from tools.bench import standard_mix
from tools.gen.reference_packed import Buffer, packed, varint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tools.bench.standard_mix import Row

BYTES_PER_S: Final = 1_200_000  # 12 Mbaud: 8 data bits, start and stop bit
BUFFER_RECORDS: Final = 128
_NUMBERS: Final = 5  # varints at the front of a packed body that change between rounds
_PREDICTORS: Final = {"thread": 1, "object": 2}


class _Frames:
    """Numbers frames, and adds CRC, COBS and delimiter."""

    def __init__(self) -> None:
        self._sequence = 0

    def frame(self, kind: FrameType, body: bytes) -> bytes:
        head: bytes = FRAME_HEADER.build(
            {"type": kind, "stream": 0, "cpu": 0, "boot_tag": 0, "sequence": self._sequence}
        )
        self._sequence += 1
        data = head + body
        wrapped: bytes = cobs.encode(data + struct.pack("<I", zlib.crc32(data)))
        return wrapped + b"\0"


class _Buffer:
    """A buffer of the mix, raw and packed."""

    def __init__(self, rows: list[Row], predictors: Mapping[int, int]) -> None:
        self.count = len(rows)
        self.ticks = rows[0][0]
        shown = tuple((code, ticks % 2**32, a, b) for ticks, code, a, b in rows)
        self._raw = b"".join(struct.pack("<IIII", *row) for row in shown)
        body = packed(Buffer(0, 0, 0, self.ticks, 0, 0, shown), predictors)
        skipped = sum(len(varint(number)) for number in (0, 0, 0, self.ticks, 0))
        self._packed = body[skipped:]
        self._shown = shown

    def raw(self, ordinal: int, ticks: int, sequence: int) -> bytes:
        """Return the body of BUFFER, with times `ticks` later."""
        rows = [(code, (low + ticks) % 2**32, a, b) for code, low, a, b in self._shown]
        header: bytes = BUFFER_HEADER.build(
            {
                "first_ordinal": ordinal,
                "dropped": 0,
                "sent": ordinal,
                "ticks": self.ticks + ticks,
                "sequence": sequence,
                "count": self.count,
                "ring_number": sequence % 8,
                "flags": 0,
            }
        )
        return header + b"".join(struct.pack("<IIII", *row) for row in rows)

    def packed(self, ordinal: int, ticks: int, sequence: int) -> bytes:
        """Return the body of PACKED, with times `ticks` later."""
        numbers = (ordinal, 0, ordinal, self.ticks + ticks, sequence)
        return b"".join(map(varint, numbers)) + self._packed


def write_stream(path: Path, seconds: float, *, raw: bool) -> int:
    """Write the bytes of `seconds` of the line; return the number of records."""
    rows = standard_mix.rows()
    predictors = {code: _predictors(code) for code in {row[1] for row in rows}}
    buffers = [
        _Buffer(rows[at : at + BUFFER_RECORDS], predictors)
        for at in range(0, len(rows), BUFFER_RECORDS)
    ]
    span = rows[-1][0] + 1
    records = 0
    with path.open("wb") as out:
        frames = _Frames()
        out.write(_hello(frames, 0))
        for number, (buffer, shift) in enumerate(_rounds(buffers, span)):
            if out.tell() > seconds * BYTES_PER_S:
                break
            make, kind = (
                (buffer.raw, FrameType.BUFFER) if raw else (buffer.packed, FrameType.PACKED)
            )
            out.write(frames.frame(kind, make(records, shift, number)))
            records += buffer.count
            if number % 1000 == 0:
                out.write(_hello(frames, buffer.ticks + shift))
                out.write(_status(frames, records, final=False))
        out.write(_status(frames, records, final=True))
    return records


def _rounds(buffers: list[_Buffer], span: int) -> Iterator[tuple[_Buffer, int]]:
    shift = 0
    while True:
        yield from ((buffer, shift) for buffer in buffers)
        shift += span


def _predictors(code: int) -> int:
    fields = event_type(code >> CLASS_SHIFT, code & EVENT_MASK).fields[:2]
    return sum(_PREDICTORS.get(one.type, 0) << 4 * place for place, one in enumerate(fields))


def _hello(frames: _Frames, ticks: int) -> bytes:
    body = HELLO.build(
        {
            "major": PROTOCOL_MAJOR,
            "minor": PROTOCOL_MINOR,
            "byte_order": ByteOrder.LITTLE,
            "cpu_count": 1,
            "stream_count": 1,
            "buffer_count": 8,
            "buffer_records": BUFFER_RECORDS,
            "tick_hz": standard_mix.TICK_HZ,
            "boot_id": 1,
            "dictionary": DICTIONARY_HASH,
            "ticks": ticks,
            "build_id": bytes(20),
            "flags": 0,
        }
    )
    return frames.frame(FrameType.HELLO, body + b"bench")


def _status(frames: _Frames, records: int, *, final: bool) -> bytes:
    body = STATUS.build(
        {
            "settled_ordinal": records,
            "settled_dropped": 0,
            "settled_sent": records,
            "offered": records,
            "dropped": 0,
            "overwritten": 0,
            "ticks": 0,
            "policy": 2,
            "running": 0 if final else 1,
            "class_count": 0,
            "final": int(final),
            "high_water_buffers": 1,
        }
    )
    return frames.frame(FrameType.STATUS, body)

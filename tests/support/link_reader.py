"""A second reader of link bytes, written from protocol/SPEC.md, without code of the host package.

It is slow and simple on purpose: tests of the recorder must not depend on the host's decoder.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cobs import cobs

from tests.support.unpack_reference import Unpacked, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

BUFFER, PACKED, STATUS, HELLO = 2, 3, 4, 1
SIMPLE, BEGIN, CONTINUE, END = range(4)
FRAME_HEADER = struct.Struct("<BBBBI")
BUFFER_HEADER = struct.Struct("<QQQQIHBB")
STATUS_BODY = struct.Struct("<QQQQQQQBBBBI")
CLASS_COUNTERS = struct.Struct("<III")
CLASSES = 32
RECORD = struct.Struct("<IIII")


@dataclass(frozen=True)
class Record:
    """One record with its 64-bit time and ordinal."""

    ordinal: int
    header: int
    time: int
    data: tuple[int, int]

    @property
    def struct_bits(self) -> int:
        """SIMPLE, BEGIN, CONTINUE or END."""
        return self.header >> 30

    @property
    def keyed(self) -> bool:
        """Whether the event has a key."""
        return bool(self.header >> 15 & 1)

    @property
    def identity(self) -> tuple[int, int]:
        """Key that all records of a combine event share."""
        named = self.data[0] if self.keyed and self.struct_bits == BEGIN else self.time
        return (self.header & 0x3FFFFFFF, named % 2**32)

    @property
    def event_class(self) -> int:
        """The class number."""
        return self.header >> 10 & 31


@dataclass
class LinkReader:
    """Reads all frames of a link, and checks those of the ring of `cpu` and `stream`."""

    cpu: int = 0
    stream: int = 0
    records: list[Record] = field(default_factory=list)
    receipts: list[tuple[int, int, int]] = field(default_factory=list)
    class_counters: list[tuple[int, int, int]] = field(default_factory=list)
    final: bool = False
    frames: int = 0
    packed: list[Unpacked] = field(default_factory=list)
    raw_buffers: int = 0

    def read(self, link_bytes: bytes) -> None:
        """Read all frames; fail on any damaged frame."""
        *frames, rest = link_bytes.split(b"\0")
        assert rest == b"", "the link ends in the middle of a frame"
        for encoded in frames:
            plain = cobs.decode(encoded)
            body, (crc,) = plain[:-4], struct.unpack("<I", plain[-4:])
            assert zlib.crc32(body) == crc
            frame_type, stream, cpu, flags, sequence = FRAME_HEADER.unpack_from(body)
            assert flags == 0
            assert sequence == self.frames
            self.frames += 1
            if (stream, cpu) != (self.stream, self.cpu):
                continue
            if frame_type == BUFFER:
                self._buffer(body[FRAME_HEADER.size :])
            elif frame_type == PACKED:
                self._packed(unpack(body[FRAME_HEADER.size :]))
            elif frame_type == STATUS:
                self._status(body[FRAME_HEADER.size :])

    def _buffer(self, body: bytes) -> None:
        ordinal, dropped, sent, ticks, _sequence, count, _ring, _flags = BUFFER_HEADER.unpack_from(
            body
        )
        assert len(body) == BUFFER_HEADER.size + count * RECORD.size
        self.raw_buffers += 1
        rows = RECORD.iter_unpack(body[BUFFER_HEADER.size :])
        self._records((ordinal, dropped, sent), count, ticks, rows)

    def _packed(self, body: Unpacked) -> None:
        self.packed.append(body)
        receipt = (body.first_ordinal, body.dropped, body.sent)
        self._records(receipt, body.count, body.ticks, body.records)

    def _records(
        self,
        receipt: tuple[int, int, int],
        count: int,
        ticks: int,
        rows: Iterable[tuple[int, ...]],
    ) -> None:
        ordinal, dropped, sent = receipt
        self.receipts += [receipt, (ordinal + count, dropped, sent + count)]
        now = ticks
        for header, low, *data in rows:
            if header >> 30 in (SIMPLE, BEGIN):
                now += (low - now) % 2**32
                time = now
            else:
                time = now - (now - low) % 2**32
            self.records.append(Record(ordinal, header, time, (data[0], data[1])))
            ordinal += 1

    def _status(self, body: bytes) -> None:
        values = STATUS_BODY.unpack_from(body)
        settled, settled_dropped, sent, offered, dropped, overwritten = values[:6]
        assert settled_dropped + sent <= settled <= offered
        assert settled_dropped <= dropped
        assert dropped + overwritten + sent <= offered
        self.receipts.append((values[0], values[1], values[2]))
        class_count, self.final = values[9], bool(values[10])
        if self.final:
            assert dropped + overwritten + sent == offered == settled
            assert class_count > 0
        if class_count > 0:
            self.class_counters = [(0, 0, 0)] * CLASSES
            self.class_counters[:class_count] = CLASS_COUNTERS.iter_unpack(body[STATUS_BODY.size :])

    def balance(self) -> dict[str, int]:
        """Return the terms of the balance between the first and the last receipt."""
        (first_ordinal, first_dropped, first_sent) = self.receipts[0]
        (last_ordinal, last_dropped, last_sent) = self.receipts[-1]
        offered = last_ordinal - first_ordinal
        dropped = last_dropped - first_dropped
        sent = last_sent - first_sent
        return {
            "offered": offered,
            "delivered": len(self.records),
            "dropped": dropped,
            "overwritten": offered - dropped - sent,
            "damaged": sent - len(self.records),
        }

    def combine_events(self) -> tuple[list[tuple[Record, bytes]], int]:
        """Return BEGIN and payload of the combine events, and the records in incomplete ones."""
        open_events: list[list[Record]] = []
        done: list[tuple[Record, bytes]] = []
        incomplete = 0
        expected = 0
        for record in self.records:
            if record.ordinal != expected:
                incomplete += sum(map(len, open_events))
                open_events.clear()
            expected = record.ordinal + 1
            if record.struct_bits == BEGIN:
                open_events.append([record])
            elif record.struct_bits in (CONTINUE, END):
                mine = [one for one in open_events if one[0].identity == record.identity]
                if not mine:
                    incomplete += 1
                    continue
                mine[-1].append(record)
                if record.struct_bits == END:
                    open_events.remove(mine[-1])
                    done.append((mine[-1][0], payload_of(mine[-1])))
        return done, incomplete + sum(map(len, open_events))


def payload_of(records: list[Record]) -> bytes:
    """Return the payload of a combine event."""
    records = records[records[0].keyed :]
    words = [word for record in records for word in record.data]
    length = words.pop()
    assert len(records) == max(2, -(-(-(-length // 4) + 1) // 2))
    return struct.pack(f"<{len(words)}I", *words)[:length]

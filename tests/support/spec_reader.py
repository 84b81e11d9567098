"""A second reader of tapes, written from protocol/SPEC.md, without code of the host package.

It is short and slow on purpose: if it agrees with the host's reader, both follow SPEC.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass, field
from typing import NamedTuple

TAPE_MAGIC = bytes.fromhex("89 54 41 50 45 0D 0A 1A")
CHUNK_MAGIC = bytes.fromhex("54 54 43 4B")
META, HELLO, RECORDS, STATUS, NAME, TEXT, ANCHOR, RECEIPT, NOTE, INDEX, END = range(1, 12)
SYMBOLS, BOARD, SUMMARY = 12, 14, 15
SIMPLE, BEGIN, CONTINUE, LAST = range(4)
WORD = 1 << 32
MOST_RECORDS = 4096

Terms = dict[str, int]


class Chunk(NamedTuple):
    """A chunk header and its offset in the file."""

    offset: int
    magic: bytes
    type: int
    flags: int
    body_bytes: int
    body_crc: int
    stream: int
    cpu: int
    epoch: int
    buffer_count: int
    record_count: int
    crc: int


class Buffer(NamedTuple):
    """A buffer header."""

    first_ordinal: int
    dropped: int
    sent: int
    ticks: int
    sequence: int
    records: int
    ring_number: int
    flags: int


class Record(NamedTuple):
    """A record, with its ordinal, time and stretch."""

    ordinal: int
    time: int  # 64 bits; for CONTINUE and END only the low 32 bits
    kind: int
    cpu: int
    cls: int
    event: int
    words: tuple[int, int]
    stretch: int  # number of gaps before the record
    keyed: int


class SpecBoard(NamedTuple):
    """The board of an epoch, and the relation of its clock to UTC."""

    board: int
    reserved: int
    ticks: int
    utc_ns: int
    tick_length: int
    bound_ns: int
    name: str


class SpecSymbol(NamedTuple):
    """A name of code or data."""

    address: int
    size_bytes: int
    name: str


class SpecEvent(NamedTuple):
    """A complete event."""

    ordinal: int
    time: int
    cpu: int
    cls: int
    event: int
    words: tuple[int, int]
    payload: bytes | None


@dataclass
class Ring:
    """Contents of one ring in one boot."""

    buffers: list[Buffer] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    receipts: list[tuple[int, int, int]] = field(default_factory=list)
    final: tuple[int, int, int] | None = None
    unknown_losses: int = 0

    @property
    def balance(self) -> Terms:
        """Terms of the balance, from the first receipt to the last."""
        nothing = (0, 0, 0)
        first = min(self.receipts, default=nothing)
        last = max(self.receipts, default=nothing)
        offered, dropped, sent = (end - begin for begin, end in zip(first, last, strict=True))
        overwritten = offered - dropped - sent
        damaged = sent - len(self.records)
        return {
            "offered": offered,
            "delivered": len(self.records),
            "overwritten": overwritten,
            "dropped": dropped,
            "damaged": damaged,
        }


class SpecTape:
    """A whole tape in memory."""

    def __init__(self, data: bytes) -> None:
        assert data[:8] == TAPE_MAGIC
        major, self.minor, order, _, self.created_ns, self.uuid, _, crc = struct.unpack(
            "<HHB3sQ16s20sI", data[8:64]
        )
        assert zlib.crc32(data[:60]) == crc
        assert major == 1
        self.order = {1: "<", 2: ">"}[order]
        self.data = data
        self.indexed = self._by_index()
        self.walked = self._walk()
        self.chunks = self.walked if self.indexed is None else self.indexed
        without_notes = [
            chunk.type for chunk in self.chunks if chunk.type not in {NOTE, INDEX, SUMMARY}
        ]
        self.closed = without_notes[-1:] == [END]
        self.rings: dict[tuple[int, int, int], Ring] = {}
        for chunk in self.chunks:
            self._take(chunk)

    # The chain of chunks.

    def _header(self, offset: int) -> Chunk | None:
        raw = self.data[offset : offset + 32]
        if len(raw) < 32 or raw[:4] != CHUNK_MAGIC:
            return None
        chunk = Chunk(offset, *struct.unpack("<4sHHIIBBHIII", raw))
        return chunk if zlib.crc32(raw[:28]) == chunk.crc else None

    def _by_index(self) -> list[Chunk] | None:
        end = len(self.data) - 32
        last = self._header(end) if end >= 96 else None
        if last is None or last.type != END:
            return None
        (offset,) = struct.unpack("<Q", self.data[end - 8 : end])
        index = self._header(offset)
        if index is None or index.type != INDEX or offset + 32 + index.body_bytes != end:
            return None
        body = self.data[offset + 32 : end]
        if zlib.crc32(body) != index.body_crc:
            return None
        rows = []
        for number in range((len(body) - 8) // 40):
            row = body[40 * number : 40 * number + 40]
            place, *fields = struct.unpack("<Q4sHHIIBBHIII", row)
            rows.append(Chunk(place, *fields))
        return [*rows, index, last]

    def _walk(self) -> list[Chunk]:
        found = []
        offset = 64
        while offset + 32 <= len(self.data):
            chunk = self._header(offset)
            if chunk is None:
                offset += 16
                continue
            end = offset + 32 + chunk.body_bytes
            if end > len(self.data):
                break
            found.append(chunk)
            offset = end + -end % 16
        return found

    # Contents of the chunks.

    def body(self, chunk: Chunk) -> bytes | None:
        """Return the body of a chunk; None if it is damaged."""
        body = self.data[chunk.offset + 32 : chunk.offset + 32 + chunk.body_bytes]
        return body if zlib.crc32(body) == chunk.body_crc else None

    def bodies(self, kind: int) -> list[tuple[int, bytes]]:
        """Return (epoch, body) of all undamaged chunks of a type."""
        found = [(chunk.epoch, self.body(chunk)) for chunk in self.chunks if chunk.type == kind]
        return [(epoch, body) for epoch, body in found if body is not None]

    @property
    def meta(self) -> dict[str, object]:
        """All META objects, merged."""
        values: dict[str, object] = {}
        for _, body in self.bodies(META):
            values.update(json.loads(body))
        return values

    def names(self, epoch: int) -> dict[tuple[int, int], str]:
        """Return the latest names of a boot by (kind, id)."""
        found = {}
        for boot, body in self.bodies(NAME):
            if boot == epoch:
                kind, _, _, _, number, _ = struct.unpack("<BBBBII", body[:12])
                found[kind, number] = body[12:].decode()
        return found

    def tick_hz(self, epoch: int) -> int:
        """Return the tick rate of a boot."""
        rates = [
            struct.unpack("<I", body[8:12])[0] for boot, body in self.bodies(HELLO) if boot == epoch
        ]
        return int(rates[0])

    @property
    def boards(self) -> dict[int, SpecBoard]:
        """Return the boards by epoch."""
        return {
            epoch: SpecBoard._make((*struct.unpack("<IIQQQQ", body[:40]), body[40:].decode()))
            for epoch, body in self.bodies(BOARD)
        }

    def utc_ns(self, epoch: int, ticks: int) -> int:
        """Return a time of an epoch in UTC."""
        board = self.boards[epoch]
        distance = (ticks - board.ticks) % (1 << 64)
        if distance >> 63:
            distance -= 1 << 64
        return board.utc_ns + (distance * board.tick_length >> 32)

    @property
    def symbols(self) -> list[tuple[bytes, list[SpecSymbol]]]:
        """Return build id and names of each table."""
        found = []
        for _, body in self.bodies(SYMBOLS):
            count, image_id, _ = struct.unpack("<I20sI", body[:28])
            names = body[28 + 16 * count :]
            rows = []
            for number in range(count):
                address, size, first, length = struct.unpack("<IIII", body[28 + 16 * number :][:16])
                rows.append(SpecSymbol(address, size, names[first : first + length].decode()))
            found.append((image_id, rows))
        return found

    def _take(self, chunk: Chunk) -> None:
        if chunk.type not in {RECORDS, STATUS}:
            return
        ring = self.rings.setdefault((chunk.epoch, chunk.stream, chunk.cpu), Ring())
        body = self.body(chunk)
        if body is None:
            return
        if chunk.type == STATUS:
            ordinal, dropped, sent = struct.unpack("<QQQ", body[:24])
            ring.receipts.append((ordinal, dropped, sent))
            if body[59]:
                ring.final = (ordinal, dropped, sent)
            return
        first = 40 * chunk.buffer_count
        place = first + -first % 16
        for number in range(chunk.buffer_count):
            buffer = Buffer(*struct.unpack("<QQQQIHBB", body[40 * number : 40 * number + 40]))
            raw = body[place : place + 16 * buffer.records]
            place += len(raw)
            self._take_buffer(ring, buffer, raw)

    def _take_buffer(self, ring: Ring, buffer: Buffer, raw: bytes) -> None:
        last = ring.buffers[-1] if ring.buffers else None
        end = last.first_ordinal + last.records if last else 0
        if buffer.first_ordinal < end:
            return  # a repetition
        ring.receipts.append((buffer.first_ordinal, buffer.dropped, buffer.sent))
        behind = buffer.first_ordinal + buffer.records
        ring.receipts.append((behind, buffer.dropped, buffer.sent + buffer.records))
        ring.buffers.append(buffer)
        ring.unknown_losses += buffer.flags & 1
        stretch = ring.records[-1].stretch if ring.records else 0
        if ring.records and (
            ring.records[-1].ordinal + 1 != buffer.first_ordinal or buffer.flags & 1
        ):
            stretch += 1
        time = buffer.ticks
        for number in range(buffer.records):
            header, low, *words = struct.unpack(f"{self.order}IIII", raw[16 * number :][:16])
            kind = header >> 30
            if kind in {SIMPLE, BEGIN}:
                time += (low - time) % WORD
            ring.records.append(
                Record(
                    buffer.first_ordinal + number,
                    time if kind in {SIMPLE, BEGIN} else low,
                    kind,
                    header >> 24 & 0x3F,
                    header >> 10 & 0x1F,
                    header & 0x3FF,
                    (words[0], words[1]),
                    stretch,
                    header >> 15 & 1,
                )
            )

    def events(self, ring: Ring) -> list[SpecEvent]:
        """Return the complete events of a ring, sorted; incomplete events are left out."""
        found: list[SpecEvent] = []
        opened: list[list[Record]] = []
        for record in ring.records:
            if record.kind == SIMPLE:
                found.append(_event(record, None))
                continue
            opened = [
                one
                for one in opened
                if one[0].stretch == record.stretch
                and record.ordinal - one[0].ordinal <= MOST_RECORDS
            ]
            mine = [one for one in opened if _key(one[0]) == _key(record)]
            if not mine and record.kind != BEGIN:
                continue
            if not mine:
                opened.append([record])
                continue
            mine[0].append(record)
            kinds = [one.kind for one in mine[0]]
            if kinds.count(LAST) == kinds.count(BEGIN):
                opened = [one for one in opened if one is not mine[0]]
                found += self._closed(mine[0]) if kinds.count(BEGIN) == 1 else []
        return sorted(found)

    def _closed(self, whole: list[Record]) -> list[SpecEvent]:
        records = whole[1:] if whole[0].keyed else whole
        words = [word for record in records for word in record.words]
        size = words.pop()
        if len(records) != max(2, -(-(-(-size // 4) + 1) // 2)):
            return []
        begin = whole[0]._replace(words=records[0].words)
        return [_event(begin, struct.pack(f"{self.order}{len(words)}I", *words)[:size])]


def _key(record: Record) -> tuple[int, ...]:
    named = record.words[0] if record.keyed and record.kind == BEGIN else record.time % WORD
    return record.cpu, record.keyed, record.cls, record.event, named


def _event(record: Record, payload: bytes | None) -> SpecEvent:
    return SpecEvent(
        record.ordinal, record.time, record.cpu, record.cls, record.event, record.words, payload
    )

"""A simulated target that stores the fate of every record.

It follows protocol/SPEC.md and the contract of firmware/include/tickertape/tickertape.h: rings of
buffers, policies, receipts, frames. `Oracle` computes the expected balance from the fates of the
records, without reading receipts.
"""

from __future__ import annotations

import random
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from tests.support.packing import PackedFields, packed_body
from tests.support.wire_bytes import (
    BEGIN,
    BUFFER,
    CONTINUE,
    END,
    HELLO,
    NAME,
    PACKED,
    SIMPLE,
    STATUS,
    WORD,
    RawRecord,
    buffer_body,
    combine_words,
    frame,
    hello_body,
    name_body,
)
from tickertape.protocol.events import DICTIONARY_HASH

OVERWRITE, UNTIL_FULL, DROP = range(3)
CLASS_COUNT = 32
HALF_PERIOD = 1 << 31
CONTROL, TIME = 1, 1

DROPPED, OVERWRITTEN, WAITING = "dropped", "overwritten", "waiting"
Fate = str | int  # one of the above, or the number of the frame that carried the record

Ring = tuple[int, int]  # stream, CPU
Terms = dict[str, int]


@dataclass
class Buffer:
    """A buffer with records, and its header values at opening."""

    first_ordinal: int
    dropped: int
    ticks: int
    sequence: int
    records: list[RawRecord] = field(default_factory=list)


@dataclass
class RingState:
    """State of a ring, with the fate and content of each offered record."""

    filling: Buffer | None = None
    full: deque[Buffer] = field(default_factory=deque)
    dropped: int = 0
    overwritten: int = 0
    sent: int = 0
    sequence: int = 0
    settled: tuple[int, int, int] = (0, 0, 0)
    fates: list[Fate] = field(default_factory=list)
    records: list[RawRecord] = field(default_factory=list)
    shed: list[RawRecord] = field(default_factory=list)  # dropped since the open buffer was opened

    @property
    def offered(self) -> int:
        """Number of offered records."""
        return len(self.fates) + len(self.shed)

    def settle_shed(self) -> None:
        """Add the records dropped while a buffer was open; their ordinals follow the buffer's."""
        self.fates += [DROPPED] * len(self.shed)
        self.records += self.shed
        self.shed.clear()

    def by_class(self) -> list[tuple[int, int, int]]:
        """Return the numbers of dropped, overwritten and sent records of each class."""
        counts = [[0, 0, 0] for _ in range(CLASS_COUNT)]
        for fate, record in zip(self.fates, self.records, strict=True):
            if fate != WAITING:
                column = {DROPPED: 0, OVERWRITTEN: 1}.get(str(fate), 2)
                counts[record.cls][column] += 1
        for record in self.shed:
            counts[record.cls][0] += 1
        return [(row[0], row[1], row[2]) for row in counts]


@dataclass(frozen=True)
class SentFrame:
    """A frame on the link. `boot` counts resets; `ring` is None except for buffers and STATUS.

    A frame with `whole` False was cut by a reset or by the end of the link.
    """

    number: int
    boot: int
    data: bytes
    ring: Ring | None = None
    receipts: tuple[int, ...] = ()  # ordinals of the receipts in it
    whole: bool = True


@dataclass
class OpenCombine:
    """An incomplete combine event; `pieces` are the records still to be written."""

    ring: Ring
    pieces: list[RawRecord]
    key: tuple[int, int]

    @property
    def done(self) -> bool:
        return not self.pieces


class SimulatedTarget:
    """Records, drops, overwrites and sends like a target; `frames` are the sent frames."""

    def __init__(  # noqa: PLR0913 - a configuration
        self,
        *,
        cpus: int = 1,
        streams: int = 1,
        buffers: int = 4,
        buffer_records: int = 16,
        policy: int = DROP,
        byte_order: str = "<",
        boot_id: int = 0,
        dictionary: int = 0,
        now: int = 0,
        packed: bool = False,
    ) -> None:
        self.packed = packed
        self.cpus, self.streams = cpus, streams
        self.buffers, self.buffer_records = buffers, buffer_records
        self.policy, self.byte_order = policy, byte_order
        self.boot_id, self.dictionary = boot_id, dictionary
        self.now = now
        self.frames: list[SentFrame] = []
        self.boots: list[dict[Ring, RingState]] = []
        self._sequence = 0
        self._last_begin: dict[int, int] = {}  # time of the last BEGIN, by CPU
        self._keys = 0
        self._begin_boot()

    @property
    def rings(self) -> dict[Ring, RingState]:
        """Rings of the current boot."""
        return self.boots[-1]

    def _begin_boot(self) -> None:
        self._sequence = 0
        self.boots.append(
            {
                (stream, cpu): RingState()
                for stream in range(self.streams)
                for cpu in range(self.cpus)
            }
        )

    def reset(self, *, boot_id: int = 0, now: int = 0) -> None:
        """Reset the target; records not sent are lost without a receipt."""
        self.boot_id, self.now = boot_id, now
        self._last_begin.clear()
        self._begin_boot()

    # Recording.

    def advance(self, ticks: int) -> None:
        """Advance the time; record TIME in open buffers at least every half counter period."""
        while ticks > 0:
            step = min(ticks, HALF_PERIOD)
            self.now += step
            ticks -= step
            for ring, state in self.rings.items():
                if state.filling is not None and self.now - _latest(state.filling) >= HALF_PERIOD:
                    self.record(ring, CONTROL, TIME, self.now // WORD, self.now % WORD)

    def record(self, ring: Ring, cls: int, event: int, data0: int = 0, data1: int = 0) -> None:
        """Record a simple event."""
        self._offer(ring, RawRecord(SIMPLE, ring[1], cls, event, self.now, data0, data1))

    def begin(self, ring: Ring, cls: int, event: int, payload: bytes) -> OpenCombine:
        """Begin a combine event and write its first record.

        If another combine event began at the same tick on this CPU, the event is keyed (SPEC,
        "Records").
        """
        cpu, pairs, time = ring[1], combine_words(payload, self.byte_order), self.now
        keyed = self._last_begin.get(cpu) == self.now
        self._last_begin[cpu] = self.now
        if keyed:
            self._keys += 1
            pairs, time = [(self._keys, 0), *pairs], self._keys
        kinds = [BEGIN, *[CONTINUE] * (len(pairs) - 2), END]
        pieces = [
            RawRecord(kind, cpu, cls, event, time, *pair, keyed=keyed)
            for kind, pair in zip(kinds, pairs, strict=True)
        ]
        pieces[0] = pieces[0]._replace(time=self.now)
        combine = OpenCombine(ring, pieces, (cls, event))
        self.go_on(combine)
        return combine

    def go_on(self, combine: OpenCombine) -> None:
        """Write the next record of a combine event."""
        self._offer(combine.ring, combine.pieces.pop(0))

    def combine(self, ring: Ring, cls: int, event: int, payload: bytes) -> None:
        """Record a whole combine event."""
        open_event = self.begin(ring, cls, event, payload)
        while not open_event.done:
            self.go_on(open_event)

    def _offer(self, ring: Ring, record: RawRecord) -> None:
        state = self.rings[ring]
        if state.filling is None and not self._open(state):
            state.fates.append(DROPPED)
            state.records.append(record)
            state.dropped += 1
            return
        assert state.filling is not None
        state.fates.append(WAITING)
        state.records.append(record)
        state.filling.records.append(record)
        if len(state.filling.records) == self.buffer_records:
            self.flush(ring)

    def _open(self, state: RingState) -> bool:
        if len(state.full) == self.buffers:
            if self.policy != OVERWRITE:
                return False
            victim = state.full.popleft()
            first = victim.first_ordinal
            for ordinal in range(first, first + len(victim.records)):
                state.fates[ordinal] = OVERWRITTEN
            state.overwritten += len(victim.records)
        state.filling = Buffer(len(state.fates), state.dropped, self.now, state.sequence)
        state.sequence += 1
        return True

    def flush(self, ring: Ring) -> None:
        """Close the open buffer."""
        state = self.rings[ring]
        if state.filling is not None:
            state.full.append(state.filling)
            state.filling = None
            state.settle_shed()

    # Sending.

    def _send(
        self, kind: int, ring: Ring | None, body: bytes, receipts: tuple[int, ...] = ()
    ) -> SentFrame:
        stream, cpu = ring or (0, 0)
        data = frame(kind, stream, cpu, self._sequence, body, boot_tag=self.boot_id & 0xFF)
        self._sequence += 1
        sent = SentFrame(len(self.frames), len(self.boots) - 1, data, ring, receipts)
        self.frames.append(sent)
        return sent

    def hello(self) -> SentFrame:
        """Send HELLO."""
        body = hello_body(
            boot_id=self.boot_id,
            dictionary=self.dictionary,
            ticks=self.now,
            cpus=self.cpus,
            streams=self.streams,
            byte_order=self.byte_order,
        )
        return self._send(HELLO, None, body)

    def name(self, kind: int, number: int, text: str) -> SentFrame:
        """Send the name of an object."""
        return self._send(NAME, None, name_body(kind, number, text))

    def stream_name(self, stream: int, generation: int, text: str) -> SentFrame:
        """Send the public name of a stream; an empty name means that it was destroyed."""
        return self._send(NAME, None, name_body(14, stream, text, parent=generation))

    def send_buffer(self, ring: Ring) -> SentFrame | None:
        """Send the oldest full buffer; return None if there is none."""
        state = self.rings[ring]
        if not state.full:
            return None
        buffer = state.full.popleft()
        first, count = buffer.first_ordinal, len(buffer.records)
        receipt = (first, buffer.dropped, state.sent)
        sent = self._send(*self._body(buffer, receipt, ring), (first, first + count))
        for ordinal in range(first, first + count):
            state.fates[ordinal] = sent.number
        state.sent += count
        state.settled = (first + count, buffer.dropped, state.sent)
        return sent

    def _body(
        self, buffer: Buffer, receipt: tuple[int, int, int], ring: Ring
    ) -> tuple[int, Ring, bytes]:
        """Return type, ring and body of the frame for a buffer; packed if enabled and possible."""
        if self.packed and self.now - buffer.ticks < HALF_PERIOD:
            fields = PackedFields(*receipt, buffer.ticks, buffer.sequence, 0)
            rows = [record.row for record in buffer.records]
            return PACKED, ring, packed_body(fields, rows, random.Random(len(self.frames)))
        records = b"".join(record.pack(self.byte_order) for record in buffer.records)
        return BUFFER, ring, buffer_body(receipt, buffer.ticks, buffer.sequence, records)

    def status(self, ring: Ring, *, final: bool = False) -> SentFrame:
        """Send the counters of a ring; a final STATUS settles all offered records."""
        state = self.rings[ring]
        offered = state.offered
        settled = (offered, state.dropped, state.sent) if final else state.settled
        body = struct.pack(
            "<QQQQQQQBBBBI",
            *settled,
            offered,
            state.dropped,
            state.overwritten,
            self.now,
            self.policy,
            not final,
            CLASS_COUNT,
            final,
            0,
        )
        body += b"".join(struct.pack("<III", *row) for row in state.by_class())
        return self._send(STATUS, ring, body, (settled[0],))

    def finish(self) -> None:
        """Stop gracefully: flush and send all buffers, then a final STATUS of each ring."""
        for ring in self.rings:
            self.flush(ring)
            while self.send_buffer(ring) is not None:
                pass
            self.status(ring, final=True)

    def sent_bytes(self) -> bytes:
        """Return the bytes of all sent frames."""
        return b"".join(sent.data for sent in self.frames)


def _latest(buffer: Buffer) -> int:
    times = [record.time for record in buffer.records if record.kind in {SIMPLE, BEGIN}]
    return times[-1] if times else buffer.ticks


@dataclass(frozen=True)
class Expected:
    """The expected balance of a ring."""

    terms: Terms
    by_class: dict[int, Terms]
    first: int
    end: int


class Life(Protocol):
    """History of a target: its rings with fates, by boot, and its sent frames."""

    frames: list[SentFrame]
    boots: list[dict[Ring, RingState]]
    byte_order: str


class Oracle:
    """Computes the expected results from fates and from the frames that arrived undamaged."""

    def __init__(self, target: Life, arrived: set[int]) -> None:
        """Store a history and the numbers of the frames that arrived."""
        self.target = target
        self.arrived = arrived

    def rings(self) -> list[tuple[int, Ring]]:
        """Return (boot, ring) of all rings with an arrived frame, sorted."""
        seen = {
            (sent.boot, sent.ring)
            for sent in self.target.frames
            if sent.number in self.arrived and sent.ring is not None
        }
        return sorted(seen)

    def balance(self, boot: int, ring: Ring) -> Expected:
        """Return the balance between the first and the last receipt that arrived."""
        receipts = [
            ordinal
            for sent in self.target.frames
            if sent.number in self.arrived and sent.boot == boot and sent.ring == ring
            for ordinal in sent.receipts
        ]
        first, end = min(receipts), max(receipts)
        state = self.target.boots[boot][ring]
        total = _no_terms()
        by_class: dict[int, Terms] = {}
        for ordinal in range(first, end):
            term = self._term(state.fates[ordinal])
            for terms in (total, by_class.setdefault(state.records[ordinal].cls, _no_terms())):
                terms["offered"] += 1
                terms[term] += 1
        return Expected(total, by_class, first, end)

    def _term(self, fate: Fate) -> str:
        if isinstance(fate, str):
            assert fate != WAITING, "a receipt must not speak of records that wait"
            return fate
        return "delivered" if fate in self.arrived else "damaged"

    def delivered(self, boot: int, ring: Ring) -> list[tuple[int, RawRecord]]:
        """Return (ordinal, record) of all records that arrived, in order."""
        state = self.target.boots[boot][ring]
        return [
            (ordinal, record)
            for ordinal, (fate, record) in enumerate(zip(state.fates, state.records, strict=True))
            if fate in self.arrived
        ]


def _no_terms() -> Terms:
    return dict.fromkeys(("offered", "delivered", "overwritten", "dropped", "damaged"), 0)


RING = (0, 0)


def target_with_events(*, dictionary: int = DICTIONARY_HASH, boot_id: int = 0) -> SimulatedTarget:
    """Return a target with two threads that take turns and use a mutex.

    Thread 1 is `producer` and runs 60 % of the time, thread 2 is `consumer`. The buffers were sent;
    `finish` was not called.
    """
    target = SimulatedTarget(dictionary=dictionary, boot_id=boot_id)
    target.hello()
    target.name(1, 1, "producer")
    target.combine(RING, 4, 320, b"\0\0\0\0\2\0\0\0consumer")
    for turn in range(20):
        target.record(RING, 9, 0, 2, 1)
        target.advance(300)
        target.record(RING, 8, 0, 0x2000_0000, 1)
        target.advance(300)
        target.record(RING, 9, 0, 1, 2)
        target.advance(200)
        target.record(RING, 6, 1, turn, 0xBEEF)
        target.advance(200)
        target.flush(RING)
        target.send_buffer(RING)
    return target

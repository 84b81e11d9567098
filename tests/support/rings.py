"""Make the records of a ring as on a tape, and decode them with the host's decoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.support.reference import PlainEvent
from tests.support.wire_bytes import BEGIN, CONTINUE, END, SIMPLE, RawRecord, combine_words
from tickertape.decode.events import DecodeCounters, EventColumns, Gap
from tickertape.decode.ring import RingDecoder
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, ByteOrder, record_dtype

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


ORDERS = {"<": ByteOrder.LITTLE, ">": ByteOrder.BIG}


@dataclass
class RingBuffer:
    """A buffer: receipt (first ordinal, dropped, sent), ticks and records."""

    receipt: tuple[int, int, int]
    ticks: int
    records: list[RawRecord]


def headers(buffers: Sequence[RingBuffer]) -> NDArray[np.void]:
    """Return the headers of buffers as a structured array."""
    rows = [
        (*one.receipt, one.ticks, number, len(one.records), 0, 0)
        for number, one in enumerate(buffers)
    ]
    return np.array(rows, BUFFER_HEADER_DTYPE)


def raw(buffers: Sequence[RingBuffer], byte_order: str = "<") -> NDArray[np.void]:
    """Return the records of buffers as a structured array."""
    data = b"".join(record.pack(byte_order) for one in buffers for record in one.records)
    return np.frombuffer(data, record_dtype(ORDERS[byte_order]))


def decode_ring(
    chunks: Sequence[Sequence[RingBuffer]],
    byte_order: str = "<",
    make: Callable[..., RingDecoder] = RingDecoder,
) -> tuple[list[EventColumns], DecodeCounters]:
    """Feed chunks of buffers to a decoder and finish it; return its columns and counters."""
    counters = DecodeCounters()
    decoder = make((0, 0), byte_order=ORDERS[byte_order], counters=counters)
    parts = [decoder.feed(headers(chunk), raw(chunk, byte_order)) for chunk in chunks]
    return [*parts, decoder.finish()], counters


def plain_events(parts: Sequence[EventColumns]) -> list[PlainEvent]:
    """Return the rows as events of the reference decoder."""
    return [
        PlainEvent(
            int(part.ordinal[row]),
            int(part.time[row]),
            int(part.cpu[row]),
            int(part.cls[row]),
            int(part.event[row]),
            (int(part.data0[row]), int(part.data1[row])),
            part.payload_of(row),
        )
        for part in parts
        for row in range(len(part))
    ]


def gaps_by_next_ordinal(parts: Sequence[EventColumns]) -> list[tuple[Gap, int | None]]:
    """Return each gap with the ordinal of the event after it; None after the last event."""
    found: list[tuple[Gap, int | None]] = []
    for number, part in enumerate(parts):
        for gap in part.gaps:
            after = [int(one) for one in part.ordinal[gap.row :]]
            after += [int(one) for later in parts[number + 1 :] for one in later.ordinal]
            found.append((gap, after[0] if after else None))
    return found


Records = list[tuple[int, RawRecord]]


def pieces(
    payload: bytes, *, event: int = 0, time: int = 0, order: str = "<", key: int | None = None
) -> list[RawRecord]:
    pairs = combine_words(payload, order)
    if key is not None:
        pairs.insert(0, (key, 0))
    kinds = [BEGIN, *[CONTINUE] * (len(pairs) - 2), END]
    return [
        RawRecord(
            kind,
            0,
            6,
            event,
            time if kind == BEGIN or key is None else key,
            *pair,
            keyed=key is not None,
        )
        for kind, pair in zip(kinds, pairs, strict=True)
    ]


def simple(time: int = 0, event: int = 0) -> RawRecord:
    return RawRecord(SIMPLE, 0, 9, event, time, 1, 2)


def buffers_of(records: Records, sizes: list[int], rng: random.Random) -> list[RingBuffer]:
    """Split records into buffers of random sizes; a gap in the ordinals begins a new buffer."""
    buffers: list[RingBuffer] = []
    room = 0
    for sent, (ordinal, record) in enumerate(records):
        last = buffers[-1] if buffers else None
        if last is None or room == 0 or ordinal != last.receipt[0] + len(last.records):
            later = [one.time for _, one in records[sent:] if one.kind in {SIMPLE, BEGIN}]
            anchor = later[0] if later else record.time
            receipt = (ordinal, ordinal - sent, sent)
            buffers.append(RingBuffer(receipt, max(0, anchor - rng.randrange(3)), []))
            room = rng.choice(sizes)
        buffers[-1].records.append(record)
        room -= 1
    return buffers


def chunks_of(buffers: list[RingBuffer], rng: random.Random) -> list[list[RingBuffer]]:
    chunks: list[list[RingBuffer]] = [[]]
    for one in buffers:
        if rng.random() < 0.4:
            chunks.append([])
        chunks[-1].append(one)
    return chunks


def scenario(rng: random.Random, order: str) -> Records:
    """Return records of nested, interleaved and incomplete events; some records are lost."""
    now = latest = rng.choice([0, 2**32 - 20, 2**40])
    records: list[RawRecord] = []
    opened: list[list[RawRecord]] = []
    for _ in range(rng.randrange(120)):
        action = rng.random()
        # CONTINUE and END do not extend the time: keep the next stamp less than a wrap away.
        far = now - latest < 2**31
        now += rng.choice([0, 0, 1, 7, 2**30 if far else 1])
        if action < 0.35:
            latest = now
            records.append(simple(now, rng.randrange(3)))
        elif action < 0.6 and len(opened) < 4:
            latest = now
            payload = rng.randbytes(rng.choice([0, 1, 8, 12, 13, 20, 40]))
            key = rng.choice([None, None, rng.randrange(4), now % 2**32])
            opened.append(pieces(payload, event=rng.randrange(3), time=now, order=order, key=key))
            records.append(opened[-1].pop(0))
        elif opened:
            one = opened[-1] if rng.random() < 0.7 else rng.choice(opened)
            records.append(one.pop(0))
            opened = [left for left in opened if left]
    if rng.random() < 0.3:
        # Simulate a firmware fault: a record of an event is missing without a missing ordinal.
        parts = [at for at, record in enumerate(records) if record.kind in {CONTINUE, END}]
        if parts:
            del records[rng.choice(parts)]
    lossy = rng.random() < 0.6
    return [
        (ordinal, record)
        for ordinal, record in enumerate(records, rng.choice([0, 1000]))
        if not lossy or rng.random() > 0.06
    ]

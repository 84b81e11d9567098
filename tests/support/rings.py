"""Records of one ring, as a tape has them, and what the product makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.support.reference import PlainEvent
from tickertape.decode.events import DecodeCounters, EventColumns, Gap
from tickertape.decode.ring import RingDecoder
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, ByteOrder, record_dtype

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tests.support.wire_bytes import RawRecord

ORDERS = {"<": ByteOrder.LITTLE, ">": ByteOrder.BIG}


@dataclass
class RingBuffer:
    """One buffer: (first ordinal, dropped, sent), ticks and records."""

    receipt: tuple[int, int, int]
    ticks: int
    records: list[RawRecord]


def headers(buffers: Sequence[RingBuffer]) -> NDArray[np.void]:
    """Make the structured array of buffer headers."""
    rows = [
        (*one.receipt, one.ticks, number, len(one.records), 0, 0)
        for number, one in enumerate(buffers)
    ]
    return np.array(rows, BUFFER_HEADER_DTYPE)


def raw(buffers: Sequence[RingBuffer], byte_order: str = "<") -> NDArray[np.void]:
    """Make the structured array of their records."""
    data = b"".join(record.pack(byte_order) for one in buffers for record in one.records)
    return np.frombuffer(data, record_dtype(ORDERS[byte_order]))


def decode_ring(
    chunks: Sequence[Sequence[RingBuffer]],
    byte_order: str = "<",
    make: Callable[..., RingDecoder] = RingDecoder,
) -> tuple[list[EventColumns], DecodeCounters]:
    """Feed chunks of buffers to a decoder, and finish."""
    counters = DecodeCounters()
    decoder = make((0, 0), byte_order=ORDERS[byte_order], counters=counters)
    parts = [decoder.feed(headers(chunk), raw(chunk, byte_order)) for chunk in chunks]
    return [*parts, decoder.finish()], counters


def plain_events(parts: Sequence[EventColumns]) -> list[PlainEvent]:
    """Give the rows in the terms of the reference decoder."""
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
    """Give each gap with the ordinal of the event that it says to lie before."""
    found: list[tuple[Gap, int | None]] = []
    for number, part in enumerate(parts):
        for gap in part.gaps:
            after = [int(one) for one in part.ordinal[gap.row :]]
            after += [int(one) for later in parts[number + 1 :] for one in later.ordinal]
            found.append((gap, after[0] if after else None))
    return found

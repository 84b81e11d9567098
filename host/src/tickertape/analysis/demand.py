"""The load of a target on its link: arrival times of records per ring, and their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.analysis.ledger import RingLedger
from tickertape.analysis.wire_cost import (
    MOST_PACKED_BYTES,
    frame_bytes,
    packed_bytes,
    packed_header_bytes,
    raw_bytes,
)
from tickertape.decode.clock import ticks_64
from tickertape.decode.gaps import fresh
from tickertape.decode.records import FIRST_PART
from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    CLASS_COUNTERS_BYTES,
    CLASS_MASK,
    CLASS_SHIFT,
    HELLO_BYTES,
    NAME_BYTES,
    RECORD_BYTES,
    STATUS_BYTES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.analysis.wire_cost import F64, WireBytes
    from tickertape.decode.records import I64, Structured
    from tickertape.tape.format import RecordsChunk, RingKey
    from tickertape.tape.reader import TapeReader

_MOMENTS: Final = 1 << 21
"""Greatest number of moments into which a boot is divided, so that memory is bounded."""
_CLASS_COUNT: Final = CLASS_MASK + 1


class Layout(NamedTuple):
    """Buffering and encoding of records.

    Attributes:
        buffer_records: records in a buffer.
        packed: buffers are sent packed.
        without: classes that are switched off.
    """

    buffer_records: int
    packed: bool
    without: frozenset[int] = frozenset()


class Burst(NamedTuple):
    """Records missing on the tape: their number, and the times between which they were offered."""

    begin: int
    end: int
    records: int


@dataclass(frozen=True)
class RingDemand:
    """The records of one ring, by moment.

    Attributes:
        ring: the ring.
        ticks: i64, time of each moment with records, ascending.
        records: i64, number of records in each moment.
        least: f64, least number of their bytes on the link.
        most: f64, greatest number of their bytes on the link.
        by_class: i64, number of records of each class.
        bytes_by_class: f64, greatest number of bytes of each class.
        bursts: records that are missing on the tape.
        unknown: places at which an unknown number of records is missing.
    """

    ring: RingKey
    ticks: I64
    records: I64
    least: F64
    most: F64
    by_class: I64
    bytes_by_class: F64
    bursts: tuple[Burst, ...]
    unknown: int


@dataclass(frozen=True)
class BootDemand:
    """The records of one boot.

    Attributes:
        epoch: number of the boot.
        rings: rings with records.
        grain: length of a moment in ticks.
        tick_hz: rate of the clock.
        announced: bytes of HELLO, all names and all counters, which precede records.
        lost_bytes: greatest number of bytes of a missing record on the link.
    """

    epoch: int
    rings: tuple[RingDemand, ...]
    grain: int
    tick_hz: int
    announced: float
    lost_bytes: float


def demand_of(reader: TapeReader, epoch: int, tick_hz: int, layout: Layout) -> BootDemand:
    """Read the demand of one boot; memory is bounded.

    Args:
        reader: the tape.
        epoch: number of the boot.
        tick_hz: rate of its clock.
        layout: planned buffering and encoding.
    """
    rings = [ring for ring in reader.rings if ring.epoch == epoch]
    grain = max(1, -(-_span(reader, rings) // _MOMENTS))
    demands = tuple(_ring_demand(reader, ring, grain, layout) for ring in rings)
    body = layout.buffer_records * (MOST_PACKED_BYTES if layout.packed else RECORD_BYTES)
    lost = frame_bytes(BUFFER_HEADER_BYTES + body) / layout.buffer_records
    announced = _announced_bytes(reader, epoch, len(rings))
    return BootDemand(epoch, demands, grain, tick_hz, announced, lost)


def _span(reader: TapeReader, rings: list[RingKey]) -> int:
    """Return the ticks from the first buffer of all rings to the last."""
    ticks = [chunk.buffers["ticks"] for ring in rings for chunk in reader.records_chunks(ring)]
    ticks = [one for one in ticks if len(one)]
    if not ticks:
        return 0
    return max(int(one.max()) for one in ticks) - min(int(one.min()) for one in ticks)


def _announced_bytes(reader: TapeReader, epoch: int, ring_count: int) -> float:
    names = [len(name.text.encode()) for name in reader.names(epoch).values()]
    hello = HELLO_BYTES + len(reader.target_of(epoch).encode())
    status = STATUS_BYTES + _CLASS_COUNT * CLASS_COUNTERS_BYTES
    bodies = [hello, *(NAME_BYTES + one for one in names), *[status] * ring_count]
    return sum(map(frame_bytes, bodies))


def _ring_demand(reader: TapeReader, ring: RingKey, grain: int, layout: Layout) -> RingDemand:
    ledger = RingLedger()
    gathered = _Gathered(grain)
    bursts: list[Burst] = []
    end, last = -1, 0
    for chunk in _fresh_chunks(reader, ring):
        ledger.buffers(chunk.buffers)
        times = _times(chunk)
        firsts = np.concatenate([[0], np.cumsum(chunk.buffers["count"])[:-1]]).astype(np.intp)
        for row, (first, count, ticks) in enumerate(
            chunk.buffers[["first_ordinal", "count", "ticks"]].tolist()
        ):
            if first > end >= 0:
                begin = last if row == 0 else int(times[firsts[row] - 1])
                bursts.append(Burst(begin, ticks, first - end))
            end = first + count
        last = int(times[-1]) if len(times) else last
        gathered.add(chunk, times, layout)
    for status in reader.statuses(ring):
        ledger.status(status)
    tail = ledger.balance.lost + ledger.unsettled - sum(one.records for one in bursts)
    if tail > 0:  # missing records after the last buffer
        bursts.append(Burst(last, last, tail))
    return gathered.demand(ring, tuple(bursts), ledger.unknown_losses)


def _fresh_chunks(reader: TapeReader, ring: RingKey) -> Iterator[RecordsChunk]:
    """Yield chunks with records, without repeated buffers."""
    end = 0
    for chunk in reader.records_chunks(ring):
        kept = fresh(chunk.buffers, end) if len(chunk.buffers) else None
        part = chunk if kept is None else chunk.part(kept)
        if part.record_count:
            end = int(part.buffers["first_ordinal"][-1]) + int(part.buffers["count"][-1])
            yield part


def _times(chunk: RecordsChunk) -> I64:
    """Return the time of each record; parts of an event take the time of the record before."""
    header = chunk.records["header"].astype(np.uint32)
    timed = header < FIRST_PART
    before = np.concatenate([[0], np.cumsum(timed)]).astype(np.intp)
    firsts = np.concatenate([[0], np.cumsum(chunk.buffers["count"])[:-1]]).astype(np.intp)
    low = chunk.records["time"].astype(np.uint32)[timed]
    anchors = chunk.buffers["ticks"].astype(np.uint64)
    known = ticks_64(low, before[firsts], anchors).astype(np.int64)
    # A part without an earlier time in its buffer was recorded at the buffer's anchor or later.
    starts = np.repeat(anchors.astype(np.int64), chunk.buffers["count"].astype(np.intp))
    if not len(known):
        return starts
    times: I64 = np.maximum(known[np.maximum(before[1:] - 1, 0)], starts)
    return np.maximum.accumulate(times)


class _Gathered:
    """Gathers the records of one ring by moment."""

    def __init__(self, grain: int) -> None:
        self._grain = grain
        self._parts: list[tuple[I64, I64, F64, F64]] = []
        self._by_class = np.zeros(_CLASS_COUNT, np.int64)
        self._bytes_by_class = np.zeros(_CLASS_COUNT)

    def add(self, chunk: RecordsChunk, times: I64, layout: Layout) -> None:
        """Add records with their times."""
        header = chunk.records["header"].astype(np.uint32)
        classes = (header >> CLASS_SHIFT & CLASS_MASK).astype(np.int64)
        kept = ~np.isin(classes, list(layout.without))
        ordinals = _ordinals(chunk.buffers)
        group = ordinals[kept] // layout.buffer_records
        head = packed_header_bytes(int(ordinals[-1]), int(times[-1]))
        costs = _costs(chunk.records[kept], group, head, layout)
        self._by_class += np.bincount(classes[kept], minlength=_CLASS_COUNT)
        self._bytes_by_class += np.bincount(classes[kept], costs.most, _CLASS_COUNT)
        moments = times[kept] // self._grain
        if not len(moments):
            return
        begins = np.flatnonzero(np.diff(moments, prepend=-1))
        self._parts.append(
            (
                moments[begins] * self._grain,
                np.diff(np.append(begins, len(moments))),
                np.add.reduceat(costs.least, begins),
                np.add.reduceat(costs.most, begins),
            )
        )

    def demand(self, ring: RingKey, bursts: tuple[Burst, ...], unknown: int) -> RingDemand:
        """Return the demand of all records added so far."""
        nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        parts = self._parts or [nothing]
        ticks, records, least, most = (np.concatenate(one) for one in zip(*parts, strict=True))
        return RingDemand(
            ring, ticks, records, least, most, self._by_class, self._bytes_by_class, bursts, unknown
        )


def _ordinals(buffers: Structured) -> I64:
    counts = buffers["count"].astype(np.intp)
    rows = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    ordinals: I64 = rows + np.repeat(buffers["first_ordinal"].astype(np.int64), counts)
    return ordinals


def _costs(records: Structured, group: I64, header_bytes: int, layout: Layout) -> WireBytes:
    if not layout.packed or not len(records):
        return raw_bytes(group)
    words = np.stack([records["data0"], records["data1"]], axis=1).astype(np.uint32)
    header, low = records["header"].astype(np.uint32), records["time"].astype(np.uint32)
    return packed_bytes(header, low, words, group, header_bytes)

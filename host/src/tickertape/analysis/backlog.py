"""Bound the records that wait in a ring at a given rate of the link; network calculus on a tape.

A(s, t) is the number of bytes that arrive between two times, and R is the rate of the link. A link
that is never idle while records wait has a backlog of at most
Q(t) = max over s of A(s, t) - R (t - s). A drain differs from it in five ways, each with a bound:

* A buffer is free when all of it is sent. The bytes of one buffer of each ring wait in addition.
* The drain fills the link's own store (FIFO) whenever it runs. The backlog is smaller by that
  store, less the largest frame, which the drain does not divide, and less the bytes that the link
  carries during the latency. It is at least the bytes that arrived within the latency.
* The drain runs late by up to a latency. The rate begins that much later, and the link's own store
  has to last that long, else the link is idle in between.
* Announcements that a host requests precede records. Their bytes wait in addition.
* Periodic announcements take a share of the link. R is the remaining rate.

If moments are longer than a tick, the time of a record within its moment is unknown. The smaller of
two numbers is added: the bytes that the link carries in a moment, and the most that arrive in one.

The records that wait in a ring are its newest ones. They fill buffers, except for the open buffer
and for buffers that were closed early: the first one of a burst, and one at each flush.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.wire import RECORD_BYTES

if TYPE_CHECKING:
    from tickertape.analysis.demand import BootDemand, RingDemand
    from tickertape.analysis.wire_cost import F64
    from tickertape.decode.records import I64, Rows
    from tickertape.tape.format import RingKey

RECORDS_SHARE: Final = 256 / (256 + 22)
"""Share of the link that periodic announcements leave to records (firmware/core/drain.c)."""
LEAST_ROOM_BYTES: Final = 512
"""Most room that the drain leaves in the link while records wait (TT_LINK_LEAST_BYTES)."""
FLUSH_PERIOD_S: Final = 1.0
"""Interval at which ports flush a ring."""


@dataclass(frozen=True)
class Service:
    """Drain and link that carry the records.

    Attributes:
        bytes_per_s: rate of the link.
        latency_s: longest time until the drain runs when a buffer is due.
        buffer_records: records in a buffer.
        stored_bytes: capacity of the link's own store.
    """

    bytes_per_s: float
    latency_s: float
    buffer_records: int
    stored_bytes: int


@dataclass(frozen=True)
class Waiting:
    """Number of buffers that one ring needs.

    Attributes:
        ring: the ring.
        least: lower bound; fewer buffers lose records. Assumes a link that is never idle and stores
            as much as it can, and the shortest records.
        most: upper bound, with every bound of this module; this many buffers lose nothing.
        ticks: time at which the most records waited.
    """

    ring: RingKey
    least: int
    most: int
    ticks: int


def waiting(boot: BootDemand, service: Service) -> list[Waiting]:
    """Return the buffers that each ring needs with this service."""
    per_tick = service.bytes_per_s / boot.tick_hz
    latency = round(service.latency_s * boot.tick_hz)
    lasting = max(service.stored_bytes - LEAST_ROOM_BYTES, RECORD_BYTES)
    steady = min(per_tick, lasting / latency) if latency else per_tick
    stored = max(0.0, service.stored_bytes - LEAST_ROOM_BYTES - per_tick * latency)
    most = _Queue(boot, steady * RECORDS_SHARE, latency, stored, is_bound=True)
    buffers = sum(_buffer_bytes(ring, service.buffer_records) for ring in boot.rings)
    more = buffers + boot.announced + min(steady * (boot.grain - 1), most.moment_bytes)
    found = []
    for ring in boot.rings:
        alone = replace(boot, rings=(ring,))  # other rings may use none of the link
        least = _Queue(alone, per_tick, 0, 0.0, is_bound=False)
        fewest, _ = least.most_records(ring, -float(service.stored_bytes))
        records, ticks = most.most_records(ring, more)
        floor = max(1, -(-fewest // service.buffer_records))
        early = 2 + int((most.longest_bytes + more) / (steady * boot.tick_hz) / FLUSH_PERIOD_S)
        needed = records // service.buffer_records + 1 + early
        found.append(Waiting(ring.ring, floor, needed, ticks))
    return found


def _buffer_bytes(ring: RingDemand, records: int) -> float:
    """Return the most bytes of `records` consecutive records."""
    if not len(ring.records):
        return 0.0
    counts, most = np.cumsum(ring.records), np.cumsum(ring.most)
    last = np.searchsorted(counts, counts - ring.records + records).clip(max=len(counts) - 1)
    return float((most[last] - most + ring.most).max())


def arrivals(boot: BootDemand, *, is_bound: bool = True) -> tuple[I64, F64, F64]:
    """Return times, numbers of records and bytes of all rings, in order of time.

    Args:
        boot: the boot.
        is_bound: True: the most bytes, with missing records at their latest possible time. False:
            the least bytes, without missing records.
    """
    parts = [_of_ring(ring, boot.lost_bytes, is_bound=is_bound) for ring in boot.rings]
    ticks, records, size = (np.concatenate(one) for one in zip(*parts, strict=True))
    order = np.argsort(ticks, kind="stable")
    return ticks[order], records[order], size[order]


def _of_ring(ring: RingDemand, lost_bytes: float, *, is_bound: bool) -> tuple[I64, F64, F64]:
    if not is_bound:
        return ring.ticks, ring.records.astype(float), ring.least
    ends = np.array([burst.end for burst in ring.bursts], np.int64)
    sizes = np.array([burst.records for burst in ring.bursts], float)
    order = np.argsort(ends, kind="stable")
    ends, sizes = ends[order], sizes[order]
    at = np.searchsorted(ring.ticks, ends, "left")
    return (
        np.insert(ring.ticks, at, ends),
        np.insert(ring.records.astype(float), at, sizes),
        np.insert(ring.most, at, sizes * lost_bytes),
    )


class _Queue:
    """Bytes of all rings that wait for the link."""

    def __init__(
        self, boot: BootDemand, per_tick: float, latency: int, stored: float, *, is_bound: bool
    ) -> None:
        self._is_bound = is_bound
        self._lost_bytes = boot.lost_bytes
        self._ticks, _, came = arrivals(boot, is_bound=is_bound)
        self.moment_bytes = float(came.max(initial=0.0))
        self._waiting = _backlog(self._ticks, came, per_tick, latency) - stored
        if is_bound:
            recent = _recent(self._ticks, came, latency + boot.grain)
            self._waiting = np.maximum(self._waiting, recent) + self._open_bursts(boot)

    @property
    def longest_bytes(self) -> float:
        """Greatest number of bytes that wait."""
        return float(self._waiting.max(initial=0.0))

    def _open_bursts(self, boot: BootDemand) -> F64:
        """Return, for each time, the bytes of missing records that may have arrived before it."""
        bursts = [burst for ring in boot.rings for burst in ring.bursts]
        sizes = np.array([burst.records * self._lost_bytes for burst in bursts])
        began = _before(self._ticks, [burst.begin for burst in bursts], sizes)
        return began - _before(self._ticks, [burst.end for burst in bursts], sizes)

    def most_records(self, ring: RingDemand, more: float) -> tuple[int, int]:
        """Return the most records of a ring that wait, and the time; `more` bytes wait too.

        A part of the oldest moment that may wait may be sent. The upper bound counts this moment as
        a whole, the lower bound does not count it.
        """
        ticks, records, size = _of_ring(ring, self._lost_bytes, is_bound=self._is_bound)
        if not len(ticks):
            return 0, 0
        bytes_to = np.concatenate([[0.0], np.cumsum(size)])
        records_to = np.concatenate([[0.0], np.cumsum(records)])
        up_to = np.searchsorted(ticks, self._ticks, "right")
        sent = bytes_to[up_to] - self._waiting - more
        if self._is_bound:
            oldest = (np.searchsorted(bytes_to, sent, "right") - 1).clip(min=0)
        else:
            oldest = np.minimum(np.searchsorted(bytes_to, sent, "left") + 1, up_to)
        count = records_to[up_to] - records_to[oldest]
        worst = int(count.argmax())
        return int(count[worst]), int(self._ticks[worst])


def _before(ticks: I64, marks: list[int], sizes: F64) -> F64:
    """Return, for each time, the sum of the sizes whose mark is not later."""
    order = np.argsort(np.array(marks, np.int64), kind="stable")
    total = np.concatenate([[0.0], np.cumsum(sizes[order])])
    place: Rows = np.searchsorted(np.array(marks, np.int64)[order], ticks, "right")
    found: F64 = total[place]
    return found


def _recent(ticks: I64, came: F64, window: int) -> F64:
    """Return, for each arrival, its bytes and those that arrived in the window before it."""
    total = np.concatenate([[0.0], np.cumsum(came)])
    recent: F64 = total[1:] - total[np.searchsorted(ticks, ticks - window, "left")]
    return recent


def _backlog(ticks: I64, came: F64, per_tick: float, latency: int) -> F64:
    """Return the most bytes that can wait right after each arrival.

    That is the maximum over s of A(s, t) - R max(0, t - s - latency).
    """
    if not len(ticks):
        return np.zeros(0)
    total = np.cumsum(came)
    before = total - came
    since = (ticks - ticks[0]).astype(float)
    least = np.minimum.accumulate(before - per_tick * since)
    recent = np.searchsorted(ticks, ticks - latency, "left")
    # Within the latency the link sends nothing; before it, the link sends at its rate.
    burst = total - before[recent]
    older = np.maximum(recent - 1, 0)
    sent = total - per_tick * (since - latency) - least[older]
    found: F64 = np.maximum(burst, np.where(recent > 0, sent, 0.0))
    return found

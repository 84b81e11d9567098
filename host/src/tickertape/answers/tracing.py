"""The cost of tracing: the events of each task and interrupt, times the cost of an event.

The target measures that cost itself (`tt_measure_cost()`, events TRACER COST). The results are
limits, never a single number: the clock counts whole ticks, an event that opens a buffer costs more
than one that does not, and any task or interrupt may have recorded a lost record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.answers.event_owners import EventOwners
from tickertape.answers.sample import Figure
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, TracerEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions
    from tickertape.tape.reader import TapeReader

_COST: Final = event_code(EventClass.TRACER, TracerEvent.COST)
_NOTHING, _SIMPLE, _COMBINE, _SWITCH = range(4)
_COUNT_BITS: Final = 16
_COUNT_MASK: Final = (1 << _COUNT_BITS) - 1
_PAIR_BYTES, _WORD_BYTES = 8, 4
_STEPS: Final = 2  # steps of a buffer: opening it, and reaching its high-water mark
UNKNOWN: Final = Figure(None, 0, None)
"""A cost without an upper limit."""


@dataclass(frozen=True, slots=True)
class EventCost:
    """Cost of recording, in ticks.

    Attributes:
        low: least cost of an event.
        high: greatest cost of a simple event that causes no step of a buffer (`_STEPS`).
        record_high: greatest cost of a record of a combine event; None if not measured.
        step_high: greatest cost of an event that closes a buffer and opens the next one; None if
            not measured.
    """

    low: float
    high: float
    record_high: float | None
    step_high: float | None


@dataclass(frozen=True, slots=True)
class Share:
    """Cost of tracing of one task or interrupt.

    Attributes:
        events: number of events that it recorded. Events at its begin and end may belong to
            another task or interrupt, so `value` is None.
        ticks: cost of these events; `value` is None.
    """

    events: Figure
    ticks: Figure


@dataclass(frozen=True, slots=True)
class Tracing:
    """Cost of tracing in one boot, without the drain.

    Attributes:
        cost: cost of an event; None if the target did not measure it.
        events: number of events on the tape.
        lost: number of lost records, as receipts count them. The upper limits include their cost
            and that of records of incomplete events.
        ticks: cost of all events on all CPUs; `value` is None.
        shares: by entity: share of each task and interrupt that recorded events, surely or
            possibly.
        other: share of each task or interrupt that is not in `shares`.
    """

    cost: EventCost | None
    events: int
    lost: int
    ticks: Figure
    shares: Mapping[int, Share]
    other: Share

    def of(self, entity: int) -> Share:
        """Return the share of a task or interrupt."""
        return self.shares.get(entity, self.other)


class Measured:
    """Computes the cost of an event from the TRACER COST events of the target."""

    def __init__(self) -> None:
        """Begin without a measurement."""
        self._nothing = 0
        self._simple: list[tuple[int, int]] = []
        self._combine: list[float] = []
        self._switch: list[float] = []

    def feed(self, columns: EventColumns) -> None:
        """Take the next events."""
        rows = np.flatnonzero(columns.code == _COST)
        for what, ticks in zip(
            columns.data0[rows].tolist(), columns.data1[rows].tolist(), strict=True
        ):
            kind, count = what >> _COUNT_BITS, what & _COUNT_MASK
            if kind == _NOTHING:
                self._nothing = max(self._nothing, ticks)
            elif count and kind == _SIMPLE:
                self._simple.append((count, ticks))
            elif count and kind == _COMBINE:
                self._combine.append((ticks + 1) / count)
            elif count and kind == _SWITCH:
                self._switch.append((ticks + 1) / count)

    @property
    def cost(self) -> EventCost | None:
        """Cost of an event; None if it was not measured.

        A time of t ticks is longer than t - 1 and shorter than t + 1, and includes one reading of
        the clock. Combine events and switches are measured with interrupts enabled, so the least
        of their upper limits holds.
        """
        if not self._simple:
            return None
        return EventCost(
            low=min(max(0, t - 2 - self._nothing) / count for count, t in self._simple),
            high=max((t + 1) / count for count, t in self._simple),
            record_high=min(self._combine, default=None),
            step_high=min(self._switch, default=None),
        )


class Tally:
    """Counts the events of one boot and stream by the task or interrupt that recorded them.

    Memory depends on the number of entities and gaps. Events are assigned to tasks and interrupts
    only if the boot's first events contain the cost.
    """

    def __init__(self, entities: Entities | None, window: tuple[int, int]) -> None:
        """Begin before the first event of a boot; count from the first tick to the last.

        Args:
            entities: entities of the model; None to count without assigning events to entities.
            window: the first and the last tick.
        """
        self._window = window
        self._measured = Measured()
        self._owners = None if entities is None else EventOwners(entities)
        self._anyone = [0, 0]  # simple events, records of combine events
        self._all = [0, 0]
        self._events = 0
        self._ordinals: dict[tuple[int, int], tuple[int, int]] = {}
        self._lost = 0
        self._gaps: list[tuple[tuple[int, int], int, int]] = []
        self._unlimited = False

    def feed(self, columns: EventColumns, found: Transitions | None = None) -> None:
        """Take the next events; their transitions in `found` assign them to entities."""
        self._measured.feed(columns)
        if self._measured.cost is None:
            self._owners = None
        self._take_gaps(columns)
        limits = np.array([self._window[0], self._window[1] + 1], np.uint64)
        begin, end = np.searchsorted(columns.time, limits).tolist()
        end = max(begin, end)
        rows = begin + np.flatnonzero(columns.payload_offset[begin:end] >= 0)
        records = records_of(columns, rows)
        self._take_ordinals(columns, (begin, end), rows, records)
        self._events += end - begin
        whole = [end - begin - len(rows), int(records.sum())]
        self._all = _sum(self._all, whole)
        if self._owners is None or found is None:
            self._anyone = _sum(self._anyone, whole)
            return
        every = np.zeros(len(columns), np.int64)
        every[begin:end] = 1
        combines = np.zeros_like(every)
        combines[rows] = records
        self._owners.feed(columns, found, every, every - (combines > 0), combines)

    def _take_gaps(self, columns: EventColumns) -> None:
        first, last = self._window
        for gap in columns.gaps:
            begin = gap.end_ticks if gap.begin_ticks is None else gap.begin_ticks
            if begin <= last and gap.end_ticks >= first:
                self._unlimited |= gap.unknown
                self._lost += gap.lost
                self._gaps.append(((gap.stream, gap.cpu), gap.first_ordinal, gap.end_ordinal))

    def _take_ordinals(
        self, columns: EventColumns, part: tuple[int, int], combines: NDArray[np.intp], records: I64
    ) -> None:
        """Extend the ordinal range of each ring; some of its records belong to no event."""
        for cpu, span in columns.rows_of_cpus.items():
            begin, end = span
            if begin < part[0] or end >= part[1]:  # only some rows of the CPU are in the part
                rows = part[0] + np.flatnonzero(columns.cpu[slice(*part)] == cpu)
                if not len(rows):
                    continue
                begin, end = int(rows[0]), int(rows[-1])
            mine = columns.cpu[combines] == cpu
            ends = columns.ordinal[combines[mine]].astype(np.int64) + records[mine]
            last = max(int(columns.ordinal[end]) + 1, int(ends.max(initial=0)))
            ring = int(columns.stream[begin]), cpu
            first, until = self._ordinals.get(ring, (int(columns.ordinal[begin]), 0))
            self._ordinals[ring] = first, max(until, last)

    def _unassigned(self) -> int:
        """Return the greatest number of records in no event: lost, or of incomplete events.

        It includes the first record of an event with a key, which columns do not contain.
        """
        whole = sum(end - begin for begin, end in self._ordinals.values())
        for ring, first, end in self._gaps:
            begin, until = self._ordinals.get(ring, (0, 0))
            whole -= max(0, min(end, until) - max(first, begin))
        return self._lost + max(0, whole - sum(self._all))

    def result(self, buffers: int) -> Tracing:
        """Return the cost of tracing; complete after the last event.

        Args:
            buffers: number of buffers on the tape, of all rings of the stream.
        """
        cost, steps = self._measured.cost, _STEPS * buffers
        if cost is None:
            unknown = Share(UNKNOWN, UNKNOWN)
            return Tracing(None, self._events, self._lost, UNKNOWN, {}, unknown)
        rest = None if self._unlimited else self._unassigned()
        shares, anyone = {}, self._anyone
        if self._owners is not None:
            alone = self._owners.alone.by_entity
            simple, combines = (one.by_entity for one in self._owners.shared)
            anyone = _sum(anyone, [one.unknown for one in self._owners.shared])
            shares = {
                entity: _share(cost, alone[entity], _sum(mine, anyone), steps, rest)
                for entity in sorted(simple)
                if any(mine := [simple[entity], combines[entity]])
            }
        ticks = _ticks(cost, self._events, self._all, steps, rest)
        other = _share(cost, 0, anyone, steps, rest)
        return Tracing(cost, self._events, self._lost, ticks, shares, other)


def _sum(some: list[int], others: list[int]) -> list[int]:
    return [a + b for a, b in zip(some, others, strict=True)]


def _share(cost: EventCost, least: int, most: list[int], steps: int, lost: int | None) -> Share:
    high = None if lost is None else sum(most) + lost
    return Share(
        Figure(None, max(0, least), high),
        _ticks(cost, max(0, least), most, min(steps, sum(most)), lost),
    )


def _ticks(cost: EventCost, least: int, most: list[int], steps: int, lost: int | None) -> Figure:
    """Return the cost of at least `least` events and at most `most`, steps and lost records.

    `most` has the numbers of simple events and of records of combine events.
    """
    low = math.floor(least * cost.low)
    simple, records = most
    if lost is None or (records and cost.record_high is None):
        return Figure(None, low, None)
    if steps + lost and cost.step_high is None:
        return Figure(None, low, None)
    high = simple * cost.high + records * (cost.record_high or 0)
    return Figure(None, low, math.ceil(high + (steps + lost) * (cost.step_high or 0)))


def records_of(columns: EventColumns, rows: NDArray[np.intp]) -> I64:
    """Return the number of records of each combine event, without the record that a key adds.

    SPEC, "Records", specifies the layout.
    """
    size = columns.payload_bytes[rows].astype(np.int64)
    pairs, rest = size // _PAIR_BYTES, size % _PAIR_BYTES
    more = (rest > _WORD_BYTES) | (size < _PAIR_BYTES)
    return pairs + more + 1


def buffers_of(reader: TapeReader, epoch: int, stream: int | None) -> int:
    """Return the number of buffers of a stream on the tape; the default stream when None."""
    chosen = reader.default_stream(epoch) if stream is None else stream
    return sum(
        int(reader.chunks["buffer_count"][reader.record_rows(ring)].sum())
        for ring in reader.rings
        if (ring.epoch, ring.stream) == (epoch, chosen)
    )

"""Gather the statistics of one boot, chunk by chunk, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.answers.instance import Doing, Ended, Instance, Segment
from tickertape.answers.locks import Uses
from tickertape.answers.observed import Observed, Reason, length_of, longest_of
from tickertape.answers.sample import Sample, Unseen
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent
from tickertape.protocol.wire import CLASS_SHIFT

if TYPE_CHECKING:
    from tickertape.answers.observed import Unknown
    from tickertape.answers.reading import Part
    from tickertape.decode.events import EventColumns

_LATE: Final = np.uint16(event_code(EventClass.SCHED, SchedEvent.DEADLINE_MISS))
# At least: the activation of a task whose completion was taken for another one's; begin and end
# of an interrupt.
_RECORDS: Final = {Kind.TASK: 1, Kind.INTERRUPT: 2}
_HALF_SEEN: Final = 2  # instances around an interval that may be seen without a transition
_CLASSES: Final = {
    Kind.TASK: frozenset({EventClass.SCHED, EventClass.THREAD}),
    Kind.INTERRUPT: frozenset({EventClass.INT}),
}
_EVERY_CLASS: Final = frozenset().union(*_CLASSES.values())
_FIRST_APPLICATION_CLASS: Final = 16


@dataclass(slots=True)
class Gathered:
    """What is added up for one task or interrupt; see `ProcessStats`."""

    activations: int = 0
    uncertain: int = 0
    high: int = 0
    latency_high: int = 0
    doubted: int | None = None
    waited: int | None = None
    ends: bool = False
    response: Sample = field(default_factory=Sample)
    execution: Sample = field(default_factory=Sample)
    latency: Sample = field(default_factory=Sample)
    period: Sample = field(default_factory=Sample)
    preemptions: int = 0
    interruptions: int = 0
    nesting: int = 0
    last: tuple[int, int] | None = None
    blockings: dict[tuple[int, int, int], int] = field(default_factory=lambda: defaultdict(int))


@dataclass(slots=True)
class OfEvent:
    """What is added up for one type of event."""

    count: int = 0
    last: int | None = None
    distance: Sample = field(default_factory=Sample)


class Gathering:
    """Gathers the statistics of one boot."""

    def __init__(self, window: tuple[int, int]) -> None:
        """Begin before the first event; count from the first tick of a window to its last."""
        self._window = window
        self.observed = Observed()
        self.uses = Uses(window)
        self.processes: dict[int, Gathered] = defaultdict(Gathered)
        self.events: dict[int, OfEvent] = defaultdict(OfEvent)
        self.misses: dict[int, int] = defaultdict(int)
        self._ready: dict[tuple[int, int], int] = {}  # lost while ready: since when
        self._shown_ready: dict[tuple[int, int], int] = {}  # found ready: for how long then
        self._periods: list[tuple[int, int, int]] = []
        self._waits: dict[tuple[int, int], tuple[int, bool]] = {}

    def feed(self, part: Part) -> None:
        """Take a part of the boot."""
        if part.columns is not None and part.transitions is not None:
            self.observed.feed(part.columns)
            self.uses.feed(part.transitions, part.entities)
            self._count_events(part.columns)
        for one in part.instances:
            self._take(one)
        self._add_periods()

    def take_segment(
        self,
        key: tuple[int, int],
        segment: Segment,
        following: Doing | None,
        begun: bool,  # noqa: FBT001 - `OnSegment`
    ) -> None:
        """Take a segment of an instance: how long it was ready, or waited for what."""
        first, last = self._window
        if segment.doing is Doing.READY:
            if following is None:
                self._ready[key] = segment.begin
            elif not begun:
                self._shown_ready[key] = segment.ticks
            if (
                following is Doing.RUNNING
                and begun
                and first <= segment.begin <= segment.end <= last
            ):
                self.processes[key[0]].latency.add(segment.ticks, key[1])
        elif segment.doing is Doing.BLOCKED:
            ticks = max(0, min(segment.end, last) - max(segment.begin, first))
            if ticks:
                self.processes[key[0]].blockings[segment.object, segment.event, segment.owner] += (
                    ticks
                )
            waited, whole = self._waits.pop(key, (0, begun))
            whole &= first <= segment.begin <= segment.end <= last
            if following is Doing.BLOCKED:
                self._waits[key] = waited + segment.ticks, whole
            elif following is not None and whole and segment.object != NO_ENTITY:
                self.uses.of(segment.object).waits.add(waited + segment.ticks, key[1])

    def _take(self, one: Instance) -> None:
        found = self.processes[one.entity]
        self._limit(one, found)
        first, last = self._window
        begin = one.found if one.activation is None else one.activation
        if not first <= begin <= last:
            return
        if one.activation is not None:
            found.activations += 1
            if found.last is not None and one.number == found.last[0] + 1:
                self._periods.append((one.entity, found.last[1], one.activation))
            found.last = one.number, one.activation
        found.nesting = max(found.nesting, one.nesting)
        if one.whole and one.end <= last:
            found.response.add(one.response.low, one.number)
            found.execution.add(one.running, one.number)
            found.preemptions += one.preemptions
            found.interruptions += one.interruptions
        elif one.ended is Ended.LOST or (one.activation is None and one.ended is Ended.DONE):
            self._take_uncertain(one, found)

    def _take_uncertain(self, one: Instance, found: Gathered) -> None:
        """An instance that was activated and ended within the observed time, perhaps."""
        begin, end = self.observed.span
        if one.ended is Ended.LOST and one.latest is None and one.end >= end:
            return  # it had not ended at the last record
        if one.earliest is None:
            unknown = [at.begin for at in self.observed.unknown() if at.reason is not Reason.BEGIN]
            if not any(at < one.found for at in unknown):
                return  # it was activated before the first record
        earliest = begin if one.earliest is None else one.earliest
        found.uncertain += 1
        found.ends |= one.ended is Ended.DONE
        found.doubted = earliest if found.doubted is None else min(earliest, found.doubted)
        latest = end if one.latest is None else one.latest
        found.high = max(found.high, latest - earliest)

    def _limit(self, one: Instance, found: Gathered) -> None:
        """Take until when unseen instances of a task may have lasted, and unseen waits for a CPU.

        Activations may be missing before an instance that was found. Until an activation is known
        again, instances may end unseen that were activated since the doubt began.
        """
        key = one.entity, one.number
        since = self._ready.pop(key, one.end)
        if found.waited is not None:
            shown = one.found + self._shown_ready.pop(key, 0)
            found.latency_high = max(found.latency_high, shown - found.waited)
            found.waited = None
        if one.ended is Ended.LOST:
            found.waited = since
        if (
            found.doubted is not None
            and one.activation is not None
            and one.activation > found.doubted
        ):
            found.high = max(found.high, one.activation - found.doubted)
            found.doubted = None

    def _add_periods(self) -> None:
        if not self._periods:
            return
        table = np.array(self._periods, np.int64)
        clear = self.observed.clear(table[:, 1], table[:, 2], _EVERY_CLASS)
        for entity, before, after in table[clear].tolist():
            self.processes[entity].period.add(after - before)
        self._periods.clear()

    def _count_events(self, columns: EventColumns) -> None:
        time = columns.time.astype(np.int64)
        within = (time >= self._window[0]) & (time <= self._window[1])
        late = np.flatnonzero((columns.code == _LATE) & within)
        for tid in columns.data0[late].tolist():
            self.misses[tid] += 1
        classes = columns.code >> CLASS_SHIFT
        mine = within & ((classes == EventClass.USER) | (classes >= _FIRST_APPLICATION_CLASS))
        for code in np.unique(columns.code[mine]).tolist():
            times = time[mine & (columns.code == code)]
            found = self.events[code]
            found.count += len(times)
            before = times[:1] if found.last is None else np.array([found.last], np.int64)
            begins = np.append(before, times[:-1])
            clear = self.observed.clear(begins, times, [code >> CLASS_SHIFT])
            if found.last is None:
                clear[0] = False
            found.distance.extend((times - begins)[clear])
            found.last = int(times[-1])

    def unknown(self) -> list[Unknown]:
        """Return the intervals in which events may be missing, within the window."""
        first, last = self._window
        return [one for one in self.observed.unknown() if one.begin <= last and first <= one.end]

    def unseen(self, kind: Kind, entity: int) -> tuple[Unseen, Unseen, Unseen]:
        """Return how many instances of a task or interrupt may be unseen, and their limits.

        Returns:
            Limits of response, execution and latency.
        """
        classes, found = _CLASSES[kind], self.processes[entity]
        unknown = [
            one
            for one in self.unknown()
            if one.reason is not Reason.BEGIN and (one.cls is None or one.cls in classes)
        ]
        count: int | None = found.uncertain
        for one in unknown:
            if count is None or one.records is None:
                count = None
            else:
                count += one.records // _RECORDS[kind] + _HALF_SEEN
        longest = longest_of((one.begin, one.end) for one in unknown)
        end = self.observed.span[1]
        high = max(longest, found.high, 0 if found.doubted is None else end - found.doubted)
        waited = found.latency_high if found.waited is None else end - found.waited
        has_ends = found.ends or found.response.count or found.activations > 1
        latency = high if has_ends else max(longest, waited)  # one that never ends has one instance
        return Unseen(count, high), Unseen(count, high), Unseen(count, latency)

    def unseen_events(self, cls: int) -> int | None:
        """Return how many events of a class may be unseen; None for any number."""
        records = [
            one.records
            for one in self.unknown()
            if one.reason is not Reason.BEGIN and one.cls in {None, cls}
        ]
        return None if None in records else sum(one or 0 for one in records)

    def without_interrupts(self) -> int:
        """Return for how long tasks may be charged with interrupts: INT was deselected."""
        spans = [one for one in self.unknown() if one.cls == EventClass.INT]
        return length_of((one.begin, one.end) for one in spans)

"""Gather the statistics of one boot, chunk by chunk, in bounded memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.interface import NO_TICKS
from tickertape.answers.groups import by_key
from tickertape.answers.instance import Doing, Ended
from tickertape.answers.limits import STATES, Spread, blind
from tickertape.answers.locks import Uses
from tickertape.answers.numbered import DEADLINE_MISS, STACK_SIZE, STACK_UNUSED, NumberedEvents
from tickertape.answers.observed import Observed, length_of, longest_of
from tickertape.answers.sample import Sample, Unseen
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import CLASS_SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tickertape.answers.limits import Blind
    from tickertape.answers.numbered import Numbered
    from tickertape.answers.observed import Unknown
    from tickertape.answers.reading import Part
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.entities import Entities

# Least number of missing records per unseen instance. TASK: the activation, if the completion was
# taken for that of another instance. INTERRUPT: begin and end.
_RECORDS: Final = {Kind.TASK: 1, Kind.INTERRUPT: 2}
# More unseen instances per unknown interval: one at each edge, whose present records may make no
# transition.
_HALF_SEEN: Final = 2
_CLASSES: Final = {
    Kind.TASK: STATES,
    Kind.INTERRUPT: frozenset({EventClass.INT}),
}
ACTIVATING: Final = frozenset().union(*_CLASSES.values())
"""Classes whose events activate tasks and interrupts."""

_FIRST_APPLICATION_CLASS: Final = 16
ROWS_AT_ONCE: Final = 1 << 16  # instances and intervals at a time
# Columns of instances that are copied to contiguous arrays, because a row has 184 bytes.
_COLUMNS: Final = (
    *("entity", "number", "activation", "found", "end", "ended", "response_low", "running"),
    *("preemptions", "interruptions", "nesting", "takes"),
)


@dataclass(slots=True)
class Gathered:
    """Sums for one task or interrupt; see `ProcessStats` for the other figures.

    Attributes:
        high: upper limit of the length of unseen instances so far, in ticks.
        latency_high: upper limit of unseen waits for a CPU so far, in ticks.
        doubted: time since which instances may have been activated unseen; None: no doubt.
        waited: time since which the task may wait for a CPU unseen; None: no such wait.
        ends: whether an instance with an unknown activation has ended.
        preemptions_partly: of instances that are partly within the window.
        interruptions_partly: likewise.
        misses_perhaps: missed deadlines that may be of this task or of another one.
        activated: the known activations, between which a period may be unseen.
        life: times of lives that are jobs unless an activation follows; part of `latency` at the
            end.
        last: number and activation of the last instance with a known activation.
        blockings: ticks by object, number of the wait and owner.
    """

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
    life: Sample = field(default_factory=Sample)
    period: Sample = field(default_factory=Sample)
    preemptions: int = 0
    interruptions: int = 0
    preemptions_partly: int = 0
    interruptions_partly: int = 0
    nesting: int = 0
    misses: int = 0
    misses_perhaps: int = 0
    stack_size_bytes: int | None = None
    stack_unused_bytes: int | None = None
    activated: Spread = field(default_factory=Spread)
    last: tuple[int, int] | None = None
    blockings: dict[tuple[int, int, int], int] = field(default_factory=lambda: defaultdict(int))

    @property
    def is_doubtful(self) -> bool:
        """Whether instances or waits before the next instance may be unseen."""
        return self.waited is not None or self.doubted is not None

    def activate(
        self, numbers: I64, times: I64, takes: NDArray[np.bool_]
    ) -> tuple[I64, I64, NDArray[np.bool_]]:
        """Add instances with known activations; `takes`: which ones begin a count of activations.

        Returns:
            For each two of them in succession and of one count, the time of activation of the
            first, and of the second, and whether their numbers are consecutive.
        """
        if not len(numbers):
            return numbers, times, np.zeros(0, np.bool_)
        self.activations += len(numbers)
        if self.activated.first is None:
            self.activated.first = int(times[0])
        self.activated.last = int(times[-1])
        if self.last is not None:
            numbers, times = np.append(self.last[0], numbers), np.append(self.last[1], times)
        else:
            takes = takes[1:]
        self.last = int(numbers[-1]), int(times[-1])
        follows = numbers[1:] == numbers[:-1] + 1
        return times[:-1][~takes], times[1:][~takes], follows[~takes]

    def add(self, columns: Mapping[str, NDArray[Any]], whole: I64) -> None:
        """Add whole instances; `whole` has their rows."""
        numbers = columns["number"][whole]
        self.response.extend(columns["response_low"][whole], numbers)
        self.execution.extend(columns["running"][whole], numbers)

    def add_counts(self, columns: Mapping[str, NDArray[Any]], inside: I64, partly: I64) -> None:
        """Add what is known of instances; `inside` and `partly`: rows within the window."""
        self.preemptions += int(columns["preemptions"][inside].sum())
        self.interruptions += int(columns["interruptions"][inside].sum())
        self.preemptions_partly += int(columns["preemptions"][partly].sum())
        self.interruptions_partly += int(columns["interruptions"][partly].sum())

    def nest(self, depths: NDArray[np.uint32]) -> None:
        """Update the greatest number of nested interrupts."""
        self.nesting = max(self.nesting, int(depths.max(initial=0)))

    def limit(self, row: np.void) -> None:
        """Update the upper limits of unseen instances and of unseen waits for a CPU.

        A wait that begins in or after a lost instance lasts at most until the next instance leaves
        READY. Activations may be missing before an instance that was found: instances activated
        since that doubt began may end unseen, until the next known activation.
        """
        if self.waited is not None:
            shown = int(row["found"]) + int(row["found_ready"])
            self.latency_high = max(self.latency_high, shown - self.waited)
            self.waited = None
        if row["ended"] == Ended.LOST:
            self.waited = int(row["ready_since"])
        activation = int(row["activation"])
        if self.doubted is not None and activation > self.doubted:
            self.high = max(self.high, activation - self.doubted)
            self.doubted = None


@dataclass(slots=True)
class OfEvent:
    """Sums for one event type."""

    count: int = 0
    seen: Spread = field(default_factory=Spread)
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
        self.misses_of_anyone = 0
        self._loose: int | None = None
        self._numbered = NumberedEvents(DEADLINE_MISS, STACK_SIZE, STACK_UNUSED)

    def feed(self, part: Part) -> None:
        """Take the next part of the boot, from `parts_of(..., keeps=True)`.

        Figures are complete after the last part.
        """
        if part.columns is not None and part.transitions is not None:
            self.observed.feed(part.columns)
            self._take_uses(part)
            self._count_events(part.columns)
            self._take_numbered(part)
        if part.columns is None or part.ended.waiting >= ROWS_AT_ONCE:
            self._take_table(part)
        if part.columns is None:
            self._collect()

    def _collect(self) -> None:
        """Complete the figures after the last part."""
        for found in self.processes.values():
            found.latency.merge(found.life)

    def _take_uses(self, part: Part) -> None:
        """Add the uses of mutexes, semaphores, spin locks and channels."""
        if part.transitions is not None:
            self.uses.feed(part.transitions, part.entities, self.observed)

    def _take_table(self, part: Part) -> None:
        """Add the instances and intervals that ended since the last call."""
        table = part.table
        self._take_rows(table.rows)
        self._take_intervals(table.intervals)

    def _take_intervals(self, table: NDArray[np.void]) -> None:
        """Add intervals: latencies of tasks and interrupts, and waits by object."""
        names = ("begin", "end", "since")
        begin, end, since = (np.ascontiguousarray(table[name]) for name in names)
        first, last = self._window
        ready = table["doing"] == Doing.READY
        inside = (first <= begin) & (begin <= end) & (end <= last)
        settles, is_job = table["doing"] == Doing.UNKNOWN, table["is_job"] != 0
        rows = np.flatnonzero(ready & inside & is_job)
        for entity, mine in by_key(table["entity"][rows]):
            at = rows[mine]
            self.processes[entity].latency.extend(end[at] - begin[at], table["number"][at])
        rows = np.flatnonzero((ready & inside & ~is_job) | settles)
        for entity, mine in by_key(table["entity"][rows]):
            self._take_life(table[rows[mine]], self.processes[entity])
        self._take_blocked(table[~ready])
        over = (table["following"] != Doing.BLOCKED) & (table["following"] != len(Doing))
        over &= ~ready & inside & (since >= first) & (table["object"] != NO_ENTITY)
        rows = np.flatnonzero(over)
        for entity, mine in by_key(table["object"][rows]):
            at = rows[mine]
            self.uses.of(entity).waits.extend(end[at] - since[at], table["number"][at])

    @staticmethod
    def _take_life(table: NDArray[np.void], found: Gathered) -> None:
        """Add the times of a task's lives, and settle whether these are jobs."""
        cuts = np.flatnonzero(table["doing"] == Doing.UNKNOWN)
        for part in np.split(table, cuts):
            lived = part
            if len(part) and part[0]["doing"] == Doing.UNKNOWN:
                lived = part[1:]
                if part[0]["is_job"]:
                    found.latency.merge(found.life)
                else:
                    found.life.clear()
            found.life.extend(lived["end"] - lived["begin"], lived["number"])

    def _take_blocked(self, table: NDArray[np.void]) -> None:
        """Add up waits by task, object, kind of wait and owner."""
        first, last = self._window
        ticks = np.minimum(table["end"], last) - np.maximum(table["begin"], first)
        table, ticks = table[ticks > 0], ticks[ticks > 0]
        for entity, mine in by_key(table["entity"]):
            blockings = self.processes[entity].blockings
            columns = [table[name][mine].astype(np.int64) for name in ("object", "event", "owner")]
            order = np.lexsort(columns)
            keys = np.stack(columns, axis=1)[order]
            cuts = np.append(0, np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1)
            totals = np.add.reduceat(ticks[mine][order], cuts)
            for (object_, event, owner), total in zip(
                keys[cuts].tolist(), totals.tolist(), strict=True
            ):
                blockings[object_, event, owner] += total

    def _take_rows(self, table: NDArray[np.void]) -> None:
        """Add instances."""
        first, last = self._window
        columns = {name: np.ascontiguousarray(table[name]) for name in _COLUMNS}
        activation, ended = columns["activation"], columns["ended"]
        known, lost, done = activation != NO_TICKS, ended == Ended.LOST, ended == Ended.DONE
        begin = np.where(known, activation, columns["found"])
        inside = (first <= begin) & (begin <= last)
        begun = inside & known
        whole = begun & done & (columns["end"] <= last)
        within = (first <= columns["found"]) & (columns["end"] <= last)
        partly = ~within & (columns["found"] <= last) & (first <= columns["end"])
        doubtful, uncertain = lost | ~known, inside & (lost | (done & ~known))
        periods: list[tuple[int, I64, I64, NDArray[np.bool_]]] = []
        for entity, rows in by_key(columns["entity"]):
            found = self.processes[entity]
            mine = rows[begun[rows]]
            numbers = columns["number"][mine].astype(np.int64)
            takes = columns["takes"][mine] != 0
            periods.append((entity, *found.activate(numbers, activation[mine], takes)))
            found.add(columns, rows[whole[rows]])
            found.add_counts(columns, rows[within[rows]], rows[partly[rows]])
            found.nest(columns["nesting"][rows[inside[rows]]])
            if found.is_doubtful or doubtful[rows].any():
                for row, is_uncertain in zip(table[rows], uncertain[rows].tolist(), strict=True):
                    found.limit(row)
                    if is_uncertain:
                        self._take_uncertain(row, found)
        self._take_periods(periods)

    def _take_periods(self, periods: Sequence[tuple[int, I64, I64, NDArray[np.bool_]]]) -> None:
        """Add the distances of activations with no unknown time between them."""
        if not periods:
            return
        before, after = (np.concatenate([one[at] for one in periods]) for at in (1, 2))
        clear = self.observed.clear(before, after, ACTIVATING)
        clear &= np.concatenate([one[3] for one in periods])
        distances, cuts = after - before, np.cumsum([len(one[1]) for one in periods])[:-1]
        for (entity, *_), values, chosen in zip(
            periods, np.split(distances, cuts), np.split(clear, cuts), strict=True
        ):
            found = self.processes[entity]
            found.period.extend(values[chosen])
            hidden = int(values[~chosen].max(initial=0))
            found.activated.hidden = max(found.activated.hidden, hidden)

    def _take_uncertain(self, row: np.void, found: Gathered) -> None:
        """Count an instance that may have been activated and ended within the observed time."""
        begin, end = self.observed.span
        is_lost, latest, earliest = row["ended"] == Ended.LOST, row["latest"], row["earliest"]
        if is_lost and latest == NO_TICKS and row["end"] >= end:
            return  # it had not ended at the last record
        if earliest == NO_TICKS:
            unknown = [at.begin for at in self.observed.unknown() if at.hides_events]
            if not any(at < row["found"] for at in unknown):
                return  # it was activated before the first record
        earliest = begin if earliest == NO_TICKS else int(earliest)
        latest = end if latest == NO_TICKS else int(latest)
        found.uncertain += 1
        found.ends |= bool(row["ended"] == Ended.DONE)
        found.doubted = earliest if found.doubted is None else min(earliest, found.doubted)
        found.high = max(found.high, latest - earliest)

    def _take_numbered(self, part: Part) -> None:
        """Add missed deadlines and stack reports for which the task is certain."""
        first, last = self._window
        for one in self._numbered.feed(part):
            if not first <= one.time <= last:
                continue
            if len(one.tasks) != 1:
                self._take_perhaps(one)
                continue
            (task,) = one.tasks
            found = self.processes[task]
            if one.code == DEADLINE_MISS:
                found.misses += 1
            elif one.code == STACK_SIZE:
                found.stack_size_bytes = one.value
            else:
                least = found.stack_unused_bytes
                found.stack_unused_bytes = one.value if least is None else min(least, one.value)

    def _take_perhaps(self, one: Numbered) -> None:
        """Count a missed deadline of an unknown task."""
        if one.code != DEADLINE_MISS:
            return
        self.misses_of_anyone += not one.tasks
        for task in one.tasks:
            self.processes[task].misses_perhaps += 1

    def _count_events(self, columns: EventColumns) -> None:
        first, last = self._window
        classes = columns.code >> CLASS_SHIFT
        is_mine = (classes == EventClass.USER) | (classes >= _FIRST_APPLICATION_CLASS)
        mine = np.flatnonzero(is_mine)
        times = columns.time[mine].astype(np.int64)
        within = (times >= first) & (times <= last)
        mine, times = mine[within], times[within]
        for code, rows in by_key(columns.code[mine]):
            found = self.events[code]
            found.count += len(rows)
            at = times[rows]
            if found.seen.first is not None:
                at = np.append(found.seen.last, at)
            else:
                found.seen.first = int(at[0])
            clear = self.observed.clear(at[:-1], at[1:], [code >> CLASS_SHIFT])
            distances = at[1:] - at[:-1]
            found.distance.extend(distances[clear])
            found.seen.hidden = max(found.seen.hidden, int(distances[~clear].max(initial=0)))
            found.seen.last = int(at[-1])

    def unknown(self) -> list[Unknown]:
        """Return the intervals in which events may be missing, within the window."""
        first, last = self._window
        return [one for one in self.observed.unknown() if one.begin <= last and first <= one.end]

    def unseen(self, kind: Kind, entity: int) -> tuple[Unseen, Unseen, Unseen]:
        """Return the number of possibly unseen instances of a task or interrupt, and their limits.

        Returns:
            Unseen values of response, execution and latency.
        """
        classes, found = _CLASSES[kind], self.processes[entity]
        unknown = [
            one
            for one in self.unknown()
            if one.hides_events and (one.cls is None or one.cls in classes)
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
        waited = max(found.latency_high, 0 if found.waited is None else end - found.waited)
        has_ends = found.ends or found.response.count or found.activations > 1
        latency = max(longest, waited, high if has_ends else 0)  # if it never ends: one instance
        return Unseen(count, high), Unseen(count, high), Unseen(count, latency)

    def blind(self, classes: Iterable[int]) -> Blind:
        """Return what the unknown time may hide from figures of states and objects."""
        return blind(self.unknown(), classes, is_whole=self.observed.begins_whole)

    def blind_to_events(self, cls: int) -> Blind:
        """Return what the unknown time may hide from a number of events of a class."""
        return blind(self.unknown(), [cls])

    @property
    def span(self) -> tuple[int, int]:
        """First and last tick of the observed time within the window."""
        (begin, end), (first, last) = self.observed.span, self._window
        return max(begin, first), max(min(end, last), first)

    def loose_services(self, entities: Entities) -> int:
        """Return the number of services that interrupted no known task, after the last part.

        After a gap the running task is unknown up to the next switch.
        """
        if self._loose is None:
            served = interrupted = 0
            for entity, found in self.processes.items():
                is_interrupt = entities[entity].kind is Kind.INTERRUPT
                served += found.activations if is_interrupt else 0
                interrupted += 0 if is_interrupt else found.interruptions
            self._loose = max(0, served - interrupted)
        return self._loose

    def unowned(self, number: int) -> int:
        """Return the ticks before the first switch of CPUs that a thread cannot have had."""
        return sum(ticks for ticks, tid in self.observed.silent(self._window) if tid != number)

    def without_interrupts(self) -> int:
        """Return the ticks with INT deselected; tasks may be charged with interrupts there."""
        spans = [one for one in self.unknown() if one.cls == EventClass.INT]
        return length_of((one.begin, one.end) for one in spans)

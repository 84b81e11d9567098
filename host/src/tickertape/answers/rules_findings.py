"""Rules that need no specification: starvation, overload, storms, deadlines, stacks."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape._native.interface import NO_TICKS, SituationKind
from tickertape.answers.attribution import TRACERS
from tickertape.answers.groups import by_key
from tickertape.answers.instance import Ended
from tickertape.answers.numbered import STACK_UNUSED, NumberedEvents
from tickertape.answers.rules import CANDIDATES, Rule, Violation, touches
from tickertape.answers.rules_locks import OfSituations
from tickertape.answers.rules_tasks import Deadline
from tickertape.model.codes import nameless
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.situation_table import Situation
    from tickertape.answers.spec import Requirement

STORM_WINDOW_NS: Final = 10_000_000
STORM_SERVICES: Final = 10
_CPU_BITS: Final = 8
STACK_LEAST_BYTES: Final = 32
"""Number of bytes that an exception stores on the stack of a Cortex-M thread."""


class Misses(Deadline):
    """Requirement: the kernel reports no missed deadline of any task."""

    def mine(self) -> Iterator[int]:
        """See `OfEntities`."""
        return (one.index for one in self.boot.entities if one.kind is Kind.TASK)


class Stack(Rule):
    """Requirement: tasks with stack reports leave at least `STACK_LEAST_BYTES` unused."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._events = NumberedEvents(STACK_UNUSED)
        self._reported: set[int] = set()

    def needed(self) -> Iterable[int]:
        """See `Rule`; `wanted` has no class, because a target need not report stacks."""
        return {EventClass.SYSTEM}

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        for one in self._events.feed(part):
            self.tally.checked += 1
            if one.value >= STACK_LEAST_BYTES or one.tid in self._reported:
                continue
            self._reported.add(one.tid)  # used bytes never become unused again
            task = next(iter(one.tasks)) if len(one.tasks) == 1 else NO_ENTITY
            name = nameless(one.tid) if task == NO_ENTITY else self.boot.entities[task].name
            what = f"{name} left {one.value} bytes of its stack unused; "
            what += f"an exception takes {STACK_LEAST_BYTES}"
            shortage = STACK_LEAST_BYTES - one.value
            self.tally.fail(Violation(shortage, self.boot.epoch, one.time, what, task=task))

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del observed, part
        if self.tally.checked:
            for hole in holes:
                self.tally.doubt(self.doubt_of(hole))


class _Stretch(NamedTuple):
    """A stretch of time in which an interrupt took half of a CPU or more.

    Attributes:
        begin: time in ticks.
        end: time in ticks.
        entity: interrupt concerned.
    """

    begin: int
    end: int
    entity: int


class Lasting(OfSituations):
    """Base of rules that limit how long an entity stays in a set of states without a break."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit()
        self._late: list[Situation] = []

    @abstractmethod
    def what(self, one: Situation) -> str:
        """Return a stretch in words."""

    def take(self, one: Situation) -> None:
        """See `OfSituations`."""
        if one.end - one.begin > self._max and len(self._late) < CANDIDATES:
            self._late.append(one)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        for one in self._late:
            if touches(holes, one.rests_from, one.end):
                self.tally.doubt(f"{self.what(one)}, unless a missing record ended it")
                continue
            is_task = self.boot.entities[one.entity].kind is Kind.TASK
            found = Violation(
                one.end - one.begin,
                self.boot.epoch,
                one.end,
                self.what(one),
                task=one.entity if is_task else NO_ENTITY,
                begin=one.begin,
            )
            self.tally.fail(found)
        super().conclude(observed, holes, part)


class Starvation(Lasting):
    """Requirement: a task is ready without a CPU for at most `max` ns.

    The drain of the recorder runs when no other task wants the CPU: its wait is not a fault.
    """

    kinds = (SituationKind.READY,)
    classes = (EventClass.SCHED, EventClass.THREAD)

    def take(self, one: Situation) -> None:
        """See `OfSituations`."""
        if self.name(one.entity) not in TRACERS:
            super().take(one)

    def what(self, one: Situation) -> str:
        """See `Lasting`."""
        length = self.boot.time(one.end - one.begin)
        return f"{self.name(one.entity)} was ready for {length} without a CPU"


class Overload(Lasting):
    """Requirement: a CPU is without idle time for at most `max` ns."""

    kinds = (SituationKind.BUSY,)
    classes = (EventClass.SCHED,)

    def what(self, one: Situation) -> str:
        """See `Lasting`."""
        number = self.boot.entities[one.entity].number
        return f"CPU {number} was not idle for {self.boot.time(one.end - one.begin)}"


class Storm(Rule):
    """Requirement: services of one interrupt take less than half of a CPU in each window.

    Windows of `STORM_WINDOW_NS` with fewer than `STORM_SERVICES` services do not count.
    """

    classes = (EventClass.INT,)

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._window = boot.ticks(STORM_WINDOW_NS)
        self._recent: dict[int, NDArray[np.int64]] = {}
        self._late: dict[int, _Stretch] = {}
        self._done: list[_Stretch] = []

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        rows = part.table.rows
        kinds = np.array([one.kind for one in part.entities], np.int64)
        is_whole = (rows["activation"] != NO_TICKS) & (rows["ended"] == Ended.DONE)
        mine = rows[is_whole & (kinds[rows["entity"]] == Kind.INTERRUPT)]
        self.tally.checked += len(mine)
        services = np.array([mine["found"], mine["end"], mine["running"]])
        # An interrupt has services of its own on each CPU.
        keys = (mine["entity"].astype(np.int64) << _CPU_BITS) + mine["cpu"] + 1
        for key, chosen in by_key(keys):
            self._take(key, services[:, chosen])

    def _take(self, key: int, services: NDArray[np.int64]) -> None:
        """Take services of one key, as columns of begin, end and running time, in order."""
        recent = self._recent.get(key)
        before = 0 if recent is None else recent.shape[1]
        if recent is not None:
            services = np.concatenate((recent, services), axis=1)
        begins, ends, running = services
        # Services of one CPU do not overlap, so their begins are in order.
        first = np.searchsorted(begins, ends - self._window)
        count = np.arange(len(ends)) + 1 - first
        total = np.append(0, np.cumsum(running))
        ticks = total[1:] - total[first]
        is_late = (count >= STORM_SERVICES) & (2 * ticks >= self._window)
        for row in np.flatnonzero(is_late[before:]) + before:
            self._extend(key, int(begins[first[row]]), int(ends[row]))
        self._recent[key] = services[:, first[-1] :]

    def _extend(self, key: int, begin: int, end: int) -> None:
        late = self._late.get(key)
        if late is not None and begin <= late.end:
            begin = late.begin
        elif late is not None and len(self._done) < CANDIDATES:
            self._done.append(late)
        self._late[key] = _Stretch(begin, end, key >> _CPU_BITS)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del observed, part
        self.tally.checked += 1
        for one in (*self._done, *self._late.values()):
            name = self.boot.entities[one.entity].name
            length = self.boot.time(one.end - one.begin)
            what = f"services of {name} took half of a CPU or more for {length}"
            found = Violation(one.end - one.begin, self.boot.epoch, one.end, what, begin=one.begin)
            self.tally.fail(found)
        for hole in holes:
            self.tally.doubt(self.doubt_of(hole))

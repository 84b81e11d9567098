"""Rules that need no specification: starvation, overload, storms, deadlines, stacks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict, deque
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from tickertape.answers.numbered import STACK_UNUSED, NumberedEvents
from tickertape.answers.rules import CANDIDATES, Rule, Violation, touches
from tickertape.answers.rules_locks import OfLocks
from tickertape.answers.rules_tasks import Deadline
from tickertape.model.codes import nameless
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, Action, State
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tickertape.answers.attribution import Row
    from tickertape.answers.instance import Instance
    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.spec import Requirement

STORM_WINDOW_NS: Final = 10_000_000
STORM_SERVICES: Final = 10
STACK_LEAST_BYTES: Final = 32
"""Number of bytes that an exception stores on the stack of a Cortex-M thread."""

_READY: Final = {State.ACTIVE, State.READY}


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
    """A period that exceeds a limit, unless a missing record ended it earlier.

    Attributes:
        begin: time in ticks.
        end: time in ticks.
        entity: entity concerned.
        rests_from: the period is certain if no record is missing from this tick to `end`.
    """

    begin: int
    end: int
    entity: int
    rests_from: int


class Lasting(OfLocks, ABC):
    """Base of rules that limit how long an entity stays in a set of states without a break."""

    kind: ClassVar[Kind]

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit()
        self._open: dict[int, tuple[int, int]] = {}
        self._late: list[_Stretch] = []
        self._known: set[int] = set()

    @abstractmethod
    def is_in(self, row: Row) -> bool:
        """Return whether the entity of a transition is in these states after it."""

    @abstractmethod
    def says(self, one: _Stretch) -> str:
        """Return a period in words."""

    def taken(self, row: Row) -> None:
        """See `OfLocks`."""
        if self.boot.entities[row.entity].kind is not self.kind:
            return
        if self.is_in(row):
            # If the state before is unknown, the period depends on all records since tick 0.
            is_sure = row.entity in self._known and row.action is not Action.FOUND
            rests_from = row.time if is_sure else 0
            self._open.setdefault(row.entity, (row.time, rests_from))
        elif row.entity in self._open:
            self._close(row.entity, row.time)
        if row.after is State.UNKNOWN:
            self._known.discard(row.entity)
        else:
            self._known.add(row.entity)

    def _close(self, entity: int, time: int) -> None:
        begin, rests_from = self._open.pop(entity)
        self.tally.checked += 1
        if time - begin > self._max and len(self._late) < CANDIDATES:
            self._late.append(_Stretch(begin, time, entity, rests_from))

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        for entity in list(self._open):
            self._close(entity, observed.span[1])
        self.tally.checked += 1
        for one in self._late:
            if touches(holes, one.rests_from, one.end):
                self.tally.doubt(f"{self.says(one)}, unless a missing record ended it")
                continue
            is_task = self.kind is Kind.TASK
            found = Violation(
                one.end - one.begin,
                self.boot.epoch,
                one.end,
                self.says(one),
                task=one.entity if is_task else NO_ENTITY,
                begin=one.begin,
            )
            self.tally.fail(found)
        super().conclude(observed, holes, part)


class Starvation(Lasting):
    """Requirement: a task is ready without a CPU for at most `max` ns."""

    kind = Kind.TASK
    classes = (EventClass.SCHED, EventClass.THREAD)

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._suspended: set[int] = set()

    def is_in(self, row: Row) -> bool:
        """See `Lasting`."""
        if row.action is Action.STOP:
            self._suspended.add(row.entity)
        elif row.action is not Action.ACTIVATE:
            self._suspended.discard(row.entity)
        is_ready = self.scene.process(row.entity).state in _READY
        return is_ready and row.entity not in self._suspended

    def says(self, one: _Stretch) -> str:
        """See `Lasting`."""
        name = self.boot.entities[one.entity].name
        return f"{name} was ready for {self.boot.time(one.end - one.begin)} without a CPU"


class Overload(Lasting):
    """Requirement: a CPU is without idle time for at most `max` ns."""

    kind = Kind.CORE
    classes = (EventClass.SCHED,)

    def is_in(self, row: Row) -> bool:
        """See `Lasting`."""
        return row.after not in {State.FREE, State.UNKNOWN}

    def says(self, one: _Stretch) -> str:
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
        self._recent: defaultdict[tuple[int, int | None], deque[Instance]] = defaultdict(deque)
        self._ticks: defaultdict[tuple[int, int | None], int] = defaultdict(int)
        self._late: dict[tuple[int, int | None], _Stretch] = {}
        self._done: list[_Stretch] = []

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        for one in part.instances:
            if one.kind is Kind.INTERRUPT and one.whole:
                self.tally.checked += 1
                self._take(one)

    def _take(self, one: Instance) -> None:
        key = one.entity, one.cpu
        recent = self._recent[key]
        recent.append(one)
        self._ticks[key] += one.running
        while recent[0].found < one.end - self._window:
            self._ticks[key] -= recent.popleft().running
            if not recent:
                return
        if len(recent) < STORM_SERVICES or 2 * self._ticks[key] < self._window:
            return
        begin, late = recent[0].found, self._late.get(key)
        if late is not None and begin <= late.end:
            begin = late.begin
        elif late is not None and len(self._done) < CANDIDATES:
            self._done.append(late)
        self._late[key] = _Stretch(begin, one.end, one.entity, begin)

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

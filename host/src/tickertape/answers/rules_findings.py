"""Rules that need no specification: starvation, overload, storms, deadlines, stacks."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Final, NamedTuple

from tickertape._native.interface import SituationKind
from tickertape.answers.attribution import TRACERS
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

    from tickertape.answers.instance import Instance
    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.situation_table import Situation
    from tickertape.answers.spec import Requirement

STORM_WINDOW_NS: Final = 10_000_000
STORM_SERVICES: Final = 10
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
        self._late[key] = _Stretch(begin, one.end, one.entity)

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

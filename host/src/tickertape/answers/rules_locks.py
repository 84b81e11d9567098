"""Rules about mutexes: priority inversion, deadlock; and the rule about losses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from tickertape.answers.attribution import Scene, rows_of
from tickertape.answers.observed import Reason
from tickertape.answers.rules import Rule, Violation
from tickertape.model.entities import Kind
from tickertape.model.transitions import Action, State
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.attribution import Row
    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.spec import Requirement
    from tickertape.decode.events import EventColumns

_PRIORITY = event_code(EventClass.SCHED, SchedEvent.PRIORITY)


class Event(NamedTuple):
    """One event: its type, time in ticks, CPU and two words."""

    code: int
    time: int
    cpu: int
    first: int
    second: int


class OfLocks(Rule):
    """Base of rules about the owners of locks and CPUs, which follow each transition."""

    classes: ClassVar[tuple[EventClass, ...]] = (
        EventClass.SCHED,
        EventClass.THREAD,
        EventClass.SYNC,
    )

    codes: ClassVar[tuple[int, ...]] = ()
    """Types of events that the rule takes in addition to transitions."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self.scene = Scene(boot.entities)
        self.now = 0

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        if part.columns is None or part.transitions is None:
            return
        events = self._events(part.columns)
        for place, row in rows_of(part.transitions, self.boot.entities):
            while events and events[-1][0] <= place:
                self.happened(events.pop()[1])
            if row.time > self.now:
                self.advance(row.time)
                self.now = row.time
            self.scene.take(row)
            self.taken(row)
        for _, event in reversed(events):
            self.happened(event)

    def _events(self, columns: EventColumns) -> list[tuple[int, Event]]:
        """Return the events of `codes` with their rows, the last first."""
        if not self.codes:
            return []
        rows = np.flatnonzero(np.isin(columns.code, self.codes))[::-1]
        names = ("code", "time", "cpu", "data0", "data1")
        values = (getattr(columns, name)[rows].tolist() for name in names)
        return list(zip(rows.tolist(), map(Event, *values), strict=True))

    def happened(self, event: Event) -> None:
        """Take an event of `codes`, before its transitions."""

    def advance(self, time: int) -> None:
        """Account for the time from `now` to `time`, in which the scene does not change."""

    def taken(self, row: Row) -> None:
        """Take a transition, after the scene has taken it."""

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del part
        self.advance(observed.span[1])
        for hole in holes:
            self.tally.doubt(self.doubt_of(hole))


@dataclass(slots=True)
class _Wait:
    """A wait of a task.

    Attributes:
        since: time at which it began.
        ticks: ticks for which less urgent tasks ran.
        others: the part of `ticks` in which no owner in the chain of waits ran, by running task.
    """

    since: int
    ticks: int = 0
    others: Counter[int] = field(default_factory=Counter)


class Inversion(OfLocks):
    """Requirement: less urgent tasks run for at most `max` ns while a task waits for a mutex."""

    codes = (_PRIORITY,)

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit()
        self._priorities: dict[int, int] = {}
        self._blocked: dict[int, _Wait] = {}

    def happened(self, event: Event) -> None:
        """See `OfLocks`."""
        self._priorities[event.first] = event.second

    def taken(self, row: Row) -> None:
        """See `OfLocks`."""
        if self.boot.entities[row.entity].kind is not Kind.TASK or row.action is Action.ACTIVATE:
            return
        if row.action is Action.WAIT:
            self._blocked[row.entity] = _Wait(row.time)
        elif row.entity in self._blocked:
            if row.after is State.UNKNOWN and row.time < self.now:
                self.tally.doubt(f"task states are contradictory at {self.boot.at(row.time)} s")
                del self._blocked[row.entity]
            else:
                self._judge(row.entity, row.time)

    def advance(self, time: int) -> None:
        """See `OfLocks`."""
        entities = self.boot.entities
        for entity, wait in self._blocked.items():
            running = self.scene.runs_for(entity)
            if running is None or entities[running].kind is not Kind.TASK:
                continue
            mine = self._priorities.get(entities[entity].number)
            its = self._priorities.get(entities[running].number)
            if mine is None or its is None:
                self.tally.doubt("the tape does not contain all priorities")
            elif its < mine:
                wait.ticks += time - self.now
                chain = self.scene.chain_of(entity)
                owner = self._priorities.get(entities[chain[-1]].number)
                # A running task less urgent than the owner is about to lose the CPU to the owner.
                if running not in chain and (owner is None or owner <= its):
                    wait.others[running] += time - self.now

    def _judge(self, entity: int, time: int) -> None:
        wait = self._blocked.pop(entity)
        task = self.boot.entities[entity]
        if str(self.requirement.subject) not in {"any", task.name}:
            return
        self.tally.checked += 1
        if wait.ticks > self._max:
            length = self.boot.time(wait.ticks)
            what = f"less urgent tasks ran for {length} while {task.name} waited, {self._of(wait)}"
            found = Violation(
                wait.ticks, self.boot.epoch, time, what, task=entity, begin=wait.since
            )
            self.tally.fail(found)

    def _of(self, wait: _Wait) -> str:
        """Describe whether the mutexes bound the inversion, and which tasks made it longer."""
        if not wait.others:
            return "bounded: only owners of the mutexes"
        others = (
            f"{self.boot.entities[one].name} for {self.boot.time(ticks)}"
            for one, ticks in wait.others.most_common()
        )
        return f"unbounded: {', '.join(others)} without these mutexes"

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        super().conclude(observed, holes, part)
        for entity in list(self._blocked):
            self._judge(entity, observed.span[1])
        self.tally.checked += 1


class Deadlock(OfLocks):
    """Requirement: no tasks wait for each other's mutexes in a cycle."""

    def taken(self, row: Row) -> None:
        """See `OfLocks`."""
        if row.action is not Action.WAIT:
            return
        cycle = self.scene.cycle_of(row.entity)
        if cycle:
            names = [self.boot.entities[one].name for one in (*cycle, cycle[0])]
            what = f"deadlock: {' waits for '.join(names)}"
            found = Violation(0, self.boot.epoch, row.time, what, task=row.entity)
            self.tally.fail(found)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        super().conclude(observed, holes, part)
        self.tally.checked += 1


class Losses(Rule):
    """Requirement: no record is lost, by the balance of the stream."""

    def feed(self, part: Part) -> None:
        """See `Rule`."""

    def end(self, observed: Observed, part: Part) -> None:
        """See `Rule`."""
        self.conclude(observed, [], part)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del holes, part
        boot = self.boot
        self.tally.checked += 1
        lost = boot.balance.lost if boot.balance else 0
        if boot.goes_on:
            lost = _lost_between(observed)
        if lost or boot.unknown_losses:
            what = f"{lost} records are lost" if lost else "records are missing without a count"
            self.tally.fail(Violation(lost, boot.epoch, observed.span[1], what))
        elif not boot.final or boot.balance is None:
            self.tally.doubt("the target's last records may be missing: no final STATUS arrived")


def _lost_between(observed: Observed) -> int:
    """Count the records missing between two records of a CPU; an unknown number counts as 1."""
    return sum(
        1 if one.records is None else one.records
        for one in observed.unknown()
        if one.reason is Reason.LOST
        and observed.first.get(one.cpu or 0, one.end) <= one.begin < one.end
    )

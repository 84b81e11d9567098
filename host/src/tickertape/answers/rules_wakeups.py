"""Lost wake-ups: a condition was signalled just before a task began to wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.answers.rules import CANDIDATES, Violation, touches
from tickertape.answers.rules_locks import OfLocks
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, Action
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SyncEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.attribution import Row
    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.rules_locks import Event
    from tickertape.answers.spec import Requirement

_WAIT: Final = event_code(EventClass.SYNC, SyncEvent.COND_WAIT)
_SIGNAL: Final = event_code(EventClass.SYNC, SyncEvent.COND_SIGNAL)
_BROADCAST: Final = event_code(EventClass.SYNC, SyncEvent.COND_BROADCAST)
_TAKING: Final = {Action.TAKE, Action.ASSIGN, Action.GRANT}
_WAIT_ENDS: Final = {Action.RELEASE, Action.ABORT, Action.LOSE}


@dataclass(frozen=True, slots=True)
class _Missed:
    """A wait that began after its wake-up.

    Attributes:
        task: entity of the waiting task.
        condition: number of the condition.
        mutex: entity of the mutex of the wait.
        taken: time at which the task took the mutex.
        by: entity that sent the wake-up; NO_ENTITY when unknown.
        woken: time of the wake-up, after `taken`.
        since: time at which the wait began.
    """

    task: int
    condition: int
    mutex: int
    taken: int
    by: int
    woken: int
    since: int


class LostWakeup(OfLocks):
    """Requirement: a task that missed a wake-up waits for its condition for at most `max` ns.

    A condition does not store a wake-up. A wake-up is lost if it wakes no task while a task holds
    the mutex with which that task then waits. The sender did not hold the mutex, so the task had
    already decided to wait and does not test the condition again.
    """

    codes = (_WAIT, _SIGNAL, _BROADCAST)

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit()
        self._taken: dict[int, int] = {}
        self._wakeups: dict[int, tuple[int, int]] = {}
        self._open: dict[int, _Missed] = {}
        self._late: list[tuple[int, _Missed]] = []

    def happened(self, event: Event) -> None:
        """See `OfLocks`."""
        condition = event.first
        if event.code == _WAIT:
            self._wait(condition, event)
        elif not event.second:
            self._wakeups[condition] = event.time, self._running_on(event.cpu)
        else:
            for one in [one for one in self._open.values() if one.condition == condition]:
                number = self.boot.entities[one.task].number
                if event.code == _BROADCAST or event.second == number:
                    self._close(one.task, event.time)

    def _wait(self, condition: int, event: Event) -> None:
        task = self._running_on(event.cpu)
        if task == NO_ENTITY:
            return
        self.tally.checked += 1
        wakeup = self._wakeups.get(condition)
        entities, mine = self.boot.entities, self.scene.locks_of(task)
        mutexes = [
            one
            for one in mine
            if entities[one].kind is Kind.MUTEX and event.second in {0, entities[one].number}
        ]
        if wakeup is None or len(mutexes) != 1:  # a port may not report the mutex
            return
        (mutex,), (woken, by) = mutexes, wakeup
        taken = self._taken.get(mutex)
        if taken is not None and taken < woken:
            self._open[task] = _Missed(task, condition, mutex, taken, by, woken, event.time)

    def _running_on(self, cpu: int) -> int:
        for one in self.boot.entities:
            if one.kind is Kind.CORE and one.number == cpu:
                return self.scene.running_on(one.index)
        return NO_ENTITY

    def taken(self, row: Row) -> None:
        """See `OfLocks`."""
        if row.action in _TAKING and self.boot.entities[row.entity].kind is Kind.MUTEX:
            self._taken[row.entity] = row.time
        elif row.entity in self._open and row.action in _WAIT_ENDS:
            self._close(row.entity, row.time)

    def _close(self, task: int, time: int) -> None:
        one = self._open.pop(task)
        if time - one.since > self._max and len(self._late) < CANDIDATES:
            self._late.append((time, one))

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        super().conclude(observed, holes, part)
        self.tally.checked += 1
        for task in list(self._open):
            self._close(task, observed.span[1])
        for time, one in self._late:
            said = self._says(one, time)
            if touches(holes, one.taken, time):
                self.tally.doubt(f"{said}, unless a missing record explains it")
                continue
            length, epoch = time - one.since, self.boot.epoch
            self.tally.fail(Violation(length, epoch, time, said, task=one.task, begin=one.woken))

    def _says(self, one: _Missed, time: int) -> str:
        entities = self.boot.entities
        task, mutex = entities[one.task].name, entities[one.mutex].name
        by = "" if one.by == NO_ENTITY else f" by {entities[one.by].name}"
        condition = next(
            (
                each.name
                for each in entities
                if each.kind is Kind.EVENT and each.number == one.condition
            ),
            f"condition {one.condition:#x}",
        )
        return (
            f"{task} waited for {condition} for {self.boot.time(time - one.since)}; a wake-up{by} "
            f"came {self.boot.time(one.since - one.woken)} earlier, while {task} had {mutex}"
        )

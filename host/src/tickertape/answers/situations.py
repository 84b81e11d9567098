"""Find situations: inversions, deadlocks, starvation and the like, in one pass over transitions.

    situations = situations_of(model.entities, limit_ticks)   # one boot
    situations.feed(columns, transitions)
    table = situations.taken_table()                          # what was found since the last call

A rule selects situations by their kind, and judges them by its limit and by what may be missing.
`Situations` is the reference; `compiled_situations` selects the engine.

| kind | entity | object | by | begin | end | since | rests_from | value | shares |
|---|---|---|---|---|---|---|---|---|---|
| INVERSION | waiting task | mutex | | begin of the wait | its end | | | ticks for which less urgent tasks ran | other tasks than the owners, with their part of it |
| DEADLOCK | task that closed the cycle | mutex | | as end | time of its wait | | | | tasks of the cycle |
| ABANDONED | first waiting task, or none | mutex | owner | end of the owner | last record, or a loss | begin of the wait | | | waiting tasks |
| READY | task | | | became ready | ran | | see below | | |
| BUSY | CPU | | | not idle from | to | | see below | | |
| MISSED_WAKEUP | waiting task | mutex | sender | wake-up | end of the wait | begin of the wait | mutex taken | condition | |
| DOUBT | task | | | as end | time | | | `Doubt` | |

`rests_from` of READY and BUSY: the stretch is certain if no record is missing from this time on.

**Inversion.** A task waits for a mutex; at the end of the chain of owners is a task that waits for
no mutex. While that owner runs and is less urgent by its base priority, the inversion is bounded.
While it is ready and a less urgent task has its CPU, the inversion is unbounded. An owner that
sleeps, waits for something else, is suspended or has ended wants no CPU: no task is to blame. A
task that runs because a task at least as urgent waits for its mutex is not to blame either. A
kernel needs time to switch to an owner that was just woken; the task that has the CPU until then
is blamed only if the CPU then passes to a task outside of the chain that is less urgent than the
waiting task, or if it gives up the CPU by itself.
"""  # noqa: E501 - a table

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.interface import SHARE, SITUATION, Doubt, NotedKind, SituationKind
from tickertape.answers.attribution import Scene, rows_of
from tickertape.answers.situation_table import SituationTable, noted_in
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, WITHOUT_INSTANCE, Action, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.answers.attribution import Row
    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

NO_LIMIT: Final = (1 << 62) - 1
"""Limit of stretches in ticks that none exceeds."""

_TAKING: Final = {Action.TAKE, Action.ASSIGN, Action.GRANT}
_WAIT_ENDS: Final = {Action.RELEASE, Action.STOP, Action.ABORT, Action.LOSE}
_READY: Final = {State.ACTIVE, State.READY}


@dataclass(slots=True)
class _Wait:
    """A wait of a task for a mutex.

    Attributes:
        mutex: entity of the mutex.
        since: time at which it began.
        ticks: ticks for which less urgent tasks ran.
        others: the part of `ticks` in which no owner in the chain of waits ran, by running task.
        late: task that ran while the owner was woken and not yet switched to; NO_ENTITY for none.
        late_ticks: its ticks, not part of `ticks`.
    """

    mutex: int
    since: int
    ticks: int = 0
    others: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    late: int = NO_ENTITY
    late_ticks: int = 0

    def blame_late(self) -> None:
        """Count the ticks of the late task."""
        self.others[self.late] += self.late_ticks
        self.ticks += self.late_ticks
        self.forget_late()

    def forget_late(self) -> None:
        """Charge the ticks of the late task to the kernel."""
        self.late, self.late_ticks = NO_ENTITY, 0


@dataclass(slots=True)
class _Missed:
    """A wait for a condition that began after its wake-up; see MISSED_WAKEUP."""

    condition: int
    mutex: int
    by: int
    taken: int
    woken: int
    since: int


@dataclass(slots=True)
class _Abandoned:
    """A mutex that stays locked by a task that ended; see ABANDONED."""

    owner: int
    time: int
    since: int = 0
    waiters: list[int] = field(default_factory=list)


class Situations:
    """Finds the situations of one boot."""

    def __init__(self, entities: Entities, limit_ticks: int = NO_LIMIT) -> None:
        """Begin before the first event of a boot.

        Args:
            entities: entities of the model, which adds new ones.
            limit_ticks: READY and BUSY are longer than this.
        """
        self._entities = entities
        self._limit = limit_ticks
        self._scene = Scene(entities)
        self._now = self._last = 0
        self._priorities: dict[int, int] = {}
        self._tasks: dict[int, int] = {}
        self._waits: dict[int, _Wait] = {}
        self._switches: dict[int, int] = defaultdict(int)
        self._last_task: dict[int, int] = {}
        self._woken_at: dict[int, tuple[int, int]] = {}
        self._suspended: set[int] = set()
        self._known: set[int] = set()
        self._stretches: dict[int, tuple[int, int]] = {}
        self._abandoned: dict[int, _Abandoned] = {}
        self._taken: dict[int, int] = {}
        self._wakeups: dict[int, tuple[int, int]] = {}
        self._missed: dict[int, _Missed] = {}
        self._has_doubt = False
        self._rows: list[tuple[int, ...]] = []
        self._shares: list[tuple[int, int]] = []

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        """Take the next events, and their transitions as a scheduler sees them."""
        noted = noted_in(columns)[::-1].tolist()
        for place, row in rows_of(found, self._entities):
            while noted and noted[-1][0] <= place:
                self._note(*noted.pop()[1:])
            self._take(row)
        for event in reversed(noted):
            self._note(*event[1:])
        if len(columns):
            self._last = int(columns.time[-1])

    def finish(self) -> None:
        """End the open situations at the last record; no event follows."""
        self._advance(self._last)
        for entity in list(self._waits):
            self._end_wait(entity, self._last)
        for mutex in sorted(self._abandoned):
            self._end_abandoned(mutex, self._last)
        for entity in sorted(self._stretches):
            self._end_stretch(entity, self._last)
        for entity in sorted(self._missed):
            self._end_missed(entity, self._last)

    def open_table(self) -> SituationTable:
        """Return the open situations as if they ended at the last record; change nothing."""
        shown = deepcopy(self, {id(self._entities): self._entities})
        shown.taken_table()
        shown.finish()
        return shown.taken_table()

    def taken_table(self) -> SituationTable:
        """Return the situations found since the last call, and forget them."""
        rows, shares = np.zeros(len(self._rows), SITUATION), np.zeros(len(self._shares), SHARE)
        for name, values in zip(_COLUMNS, zip(*self._rows, strict=True), strict=False):
            rows[name] = values
        for name, values in zip(("entity", "ticks"), zip(*self._shares, strict=True), strict=False):
            shares[name] = values
        self._rows.clear()
        self._shares.clear()
        return SituationTable(rows, shares)

    def _found(
        self,
        kind: SituationKind,
        entity: int,
        end: int,
        shares: Iterable[tuple[int, int]] = (),
        **more: int,
    ) -> None:
        first = len(self._shares)
        self._shares += shares
        values = {"object": NO_ENTITY, "by": NO_ENTITY, "begin": end, **more}
        values |= {"kind": kind, "entity": entity, "end": end}
        values |= {"first_share": first, "shares": len(self._shares) - first}
        self._rows.append(tuple(values.get(name, 0) for name in _COLUMNS))

    # Events ------------------------------------------------------------------------------------

    def _note(self, time: int, first: int, second: int, kind: int, cpu: int) -> None:
        self._advance(time)
        match kind:
            case NotedKind.PRIORITY:
                self._priorities[first] = second
            case NotedKind.COND_WAIT:
                self._wait_for_condition(first, second, time, cpu)
            case NotedKind.ENDED:
                self._abandon(second, time)
            case _ if not second:
                self._wakeups[first] = time, self._running_on(cpu)
            case _:
                self._wake(first, second if kind == NotedKind.COND_SIGNAL else None, time)

    def _take(self, row: Row) -> None:
        self._advance(row.time)
        kind = self._entities[row.entity].kind
        if kind is Kind.MUTEX:
            self._take_mutex(row)
        was_alive = self._scene.process(row.entity).state not in WITHOUT_INSTANCE
        self._scene.take(row)
        if kind is Kind.CORE:
            self._stretch(row, is_in=row.after not in {State.FREE, State.UNKNOWN})
            if row.after is State.UNKNOWN:
                for wait in self._waits.values():
                    wait.forget_late()
        elif kind is Kind.TASK:
            self._tasks[self._entities[row.entity].number] = row.entity
            self._take_task(row, was_alive=was_alive)

    def _take_task(self, row: Row, *, was_alive: bool) -> None:
        if row.action is Action.STOP:
            self._suspended.add(row.entity)
        elif row.action is not Action.ACTIVATE:
            self._suspended.discard(row.entity)
        is_ready = self._scene.process(row.entity).state in _READY
        self._stretch(row, is_in=is_ready and row.entity not in self._suspended)
        if row.action is not Action.ACTIVATE:
            self._settle_late(row)
        if row.action is Action.PREEMPT:
            self._woken_at.pop(row.entity, None)
        elif row.after in _READY and not (row.action is Action.ACTIVATE and was_alive):
            core = self._scene.process(row.entity).core
            self._woken_at[row.entity] = core, self._switches[core]
        if row.action is not Action.ACTIVATE:
            self._take_wait(row)
        if row.entity in self._missed and row.action in _WAIT_ENDS:
            self._end_missed(row.entity, row.time)

    def _running_on(self, cpu: int) -> int:
        for one in self._entities:
            if one.kind is Kind.CORE and one.number == cpu:
                return self._scene.running_on(one.index)
        return NO_ENTITY

    # Inversion and deadlock -----------------------------------------------------------------------

    def _advance(self, time: int) -> None:
        """Account for the time up to `time`, in which the scene does not change."""
        if time <= self._now:
            return
        for entity, wait in self._waits.items():
            self._account(entity, wait, time - self._now)
        self._now = time

    def _account(self, entity: int, wait: _Wait, ticks: int) -> None:
        """Add ticks to a wait if a less urgent task has the CPU that the last owner wants."""
        chain = self._scene.chain_of(entity)
        owner = chain[-1]
        process = self._scene.process(owner)
        running = self._scene.running_on(process.core)
        if len(chain) == 1 or running == NO_ENTITY:
            return
        is_owner = running == owner
        if process.state is not State.RUNNING if is_owner else process.state not in _READY:
            return
        if self._entities[running].kind is not Kind.TASK or owner in self._suspended:
            return
        mine, its = self._priority(entity), self._priority(running)
        if mine is None or its is None:
            if not self._has_doubt:
                self._found(SituationKind.DOUBT, entity, self._now, value=Doubt.PRIORITIES)
            self._has_doubt = True
        elif its >= mine:
            return
        elif is_owner:
            wait.ticks += ticks
        elif self._scene.has_idle_core() or self._runs_for(running, mine):
            return
        elif self._woken_at.get(owner) == (process.core, self._switches[process.core]):
            wait.late, wait.late_ticks = running, wait.late_ticks + ticks
        else:
            wait.ticks += ticks
            wait.others[running] += ticks

    def _runs_for(self, task: int, priority: int) -> bool:
        """Return whether a task that is at least as urgent waits for a mutex of this task."""
        return any(
            (self._priority(waiter) or 0) >= priority and task in self._scene.chain_of(waiter)
            for waiter in self._waits
        )

    def _priority(self, entity: int) -> int | None:
        return self._priorities.get(self._entities[entity].number)

    def _settle_late(self, row: Row) -> None:
        """Decide on late tasks when one of them leaves its CPU, or another one gets it."""
        core = self._scene.process(row.entity).core
        if row.after is State.RUNNING and self._last_task.get(core) != row.entity:
            self._last_task[core] = row.entity
            self._switches[core] += 1
        for entity, wait in self._waits.items():
            if wait.late == NO_ENTITY:
                continue
            if wait.late == row.entity:
                if row.after is State.UNKNOWN:
                    wait.forget_late()
                elif row.after not in {State.RUNNING, *_READY}:
                    wait.blame_late()
            elif row.after is State.RUNNING and self._scene.process(wait.late).core == core:
                mine, its = self._priority(entity), self._priority(row.entity)
                is_due = mine is None or its is None or its >= mine
                if is_due or row.entity in self._scene.chain_of(entity):
                    wait.forget_late()
                else:
                    wait.blame_late()

    def _take_wait(self, row: Row) -> None:
        if row.action is Action.WAIT:
            if row.entity in self._waits:
                self._end_wait(row.entity, row.time)
            if row.object == NO_ENTITY or self._entities[row.object].kind is not Kind.MUTEX:
                return
            self._waits[row.entity] = _Wait(row.object, row.time)
            self._wait_for_abandoned(row)
            cycle = self._scene.cycle_of(row.entity)
            if cycle:
                shares = [(one, 0) for one in cycle]
                self._found(SituationKind.DEADLOCK, row.entity, row.time, shares, object=row.object)
        elif row.entity in self._waits and row.after is not State.WAITING:
            if row.after is State.UNKNOWN and row.time < self._now:
                self._found(SituationKind.DOUBT, row.entity, row.time, value=Doubt.STATES)
                del self._waits[row.entity]
            else:
                self._end_wait(row.entity, row.time)

    def _end_wait(self, entity: int, time: int) -> None:
        wait = self._waits.pop(entity)
        self._found(
            SituationKind.INVERSION,
            entity,
            time,
            wait.others.items(),
            object=wait.mutex,
            begin=wait.since,
            value=wait.ticks,
        )

    # Mutexes of ended threads ---------------------------------------------------------------------

    def _abandon(self, tid: int, time: int) -> None:
        """Note that a thread ended, and which mutexes it had."""
        task = self._tasks.get(tid, NO_ENTITY)
        if task == NO_ENTITY:
            return
        for lock in self._scene.locks_of(task):
            self._abandoned.setdefault(lock, _Abandoned(task, time))

    def _wait_for_abandoned(self, row: Row) -> None:
        found = self._abandoned.get(row.object)
        if found is not None and row.entity not in found.waiters:
            found.since = found.since if found.waiters else row.time
            found.waiters.append(row.entity)

    def _take_mutex(self, row: Row) -> None:
        """Note a transition of a mutex, before the scene takes it."""
        if row.action in _TAKING:
            self._taken[row.entity] = row.time
        if row.action in _TAKING or row.action is Action.GIVE:
            self._abandoned.pop(row.entity, None)
        elif row.action is Action.LOSE and row.entity in self._abandoned:
            self._end_abandoned(row.entity, row.time)

    def _end_abandoned(self, mutex: int, time: int) -> None:
        found = self._abandoned.pop(mutex)
        self._found(
            SituationKind.ABANDONED,
            found.waiters[0] if found.waiters else NO_ENTITY,
            max(time, found.since),
            [(one, 0) for one in found.waiters],
            object=mutex,
            by=found.owner,
            begin=found.time,
            since=found.since,
        )

    # Starvation and overload ----------------------------------------------------------------------

    def _stretch(self, row: Row, *, is_in: bool) -> None:
        """Follow how long an entity stays in a set of states without a break."""
        if is_in:
            # If the state before is unknown, the stretch depends on all records since tick 0.
            is_sure = row.entity in self._known and row.action is not Action.FOUND
            self._stretches.setdefault(row.entity, (row.time, row.time if is_sure else 0))
        elif row.entity in self._stretches:
            self._end_stretch(row.entity, row.time)
        if row.after is State.UNKNOWN:
            self._known.discard(row.entity)
        else:
            self._known.add(row.entity)

    def _end_stretch(self, entity: int, time: int) -> None:
        begin, rests_from = self._stretches.pop(entity)
        if time - begin > self._limit:
            is_core = self._entities[entity].kind is Kind.CORE
            kind = SituationKind.BUSY if is_core else SituationKind.READY
            self._found(kind, entity, time, begin=begin, rests_from=rests_from)

    # Lost wake-ups --------------------------------------------------------------------------------

    def _wait_for_condition(self, condition: int, mutex: int, time: int, cpu: int) -> None:
        """Note a wait whose wake-up came while the task had the mutex that it waits with."""
        task = self._running_on(cpu)
        if task == NO_ENTITY:
            return
        mine = [
            one for one in self._scene.locks_of(task) if mutex in {0, self._entities[one].number}
        ]
        if condition not in self._wakeups or len(mine) != 1:  # a port may not report the mutex
            return
        woken, by = self._wakeups[condition]
        taken = self._taken.get(mine[0])
        if taken is not None and taken < woken:
            self._missed[task] = _Missed(condition, mine[0], by, taken, woken, time)

    def _wake(self, condition: int, tid: int | None, time: int) -> None:
        """End the waits for a condition: of one thread, or of all."""
        for task in [task for task, one in self._missed.items() if one.condition == condition]:
            if tid in {None, self._entities[task].number}:
                self._end_missed(task, time)

    def _end_missed(self, task: int, time: int) -> None:
        one = self._missed.pop(task)
        self._found(
            SituationKind.MISSED_WAKEUP,
            task,
            time,
            object=one.mutex,
            by=one.by,
            begin=one.woken,
            since=one.since,
            rests_from=one.taken,
            value=one.condition,
        )


_COLUMNS: Final[tuple[Any, ...]] = tuple(SITUATION.names or ())

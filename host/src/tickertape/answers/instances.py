"""Follow instances and CPUs through the transitions of the model, in one pass.

    instances = Instances(model.entities, epoch)
    for columns in events_of_one_boot:
        instances.feed(columns, model.feed(columns))
        for one in instances.taken(): ...
    instances.finish()
    for one in instances.taken(): ...

The pass adds up what the model reports and guesses nothing. A lost instance ended before the next
instance of its task starts or ends. An instance found without its activation was activated after
the last known end of its task. These limits give the bounds of `Instance`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape._native.interface import NO_TICKS
from tickertape.answers.instance import (
    Doing,
    Ended,
    Instance,
    Owner,
    Segment,
    Slice,
)
from tickertape.answers.life import CoreLife, Key, Life, Lost
from tickertape.answers.table import Table, table_of
from tickertape.model.entities import Kind
from tickertape.model.transitions import MARKS, NO_ENTITY, NOT_KNOWN, OF_LIVES, Action, State
from tickertape.protocol.events import ThreadEvent

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

_PROCESSES: Final = {Kind.TASK, Kind.INTERRUPT}
_LOCKS: Final = {Kind.MUTEX, Kind.SPINLOCK}
_HAVING: Final = {Action.TAKE, Action.ASSIGN, Action.GRANT}
_SHOWING: Final = {
    State.RUNNING: Doing.RUNNING,
    State.WAITING: Doing.BLOCKED,
    State.SUSPENDED: Doing.SUSPENDED,
    State.UNKNOWN: Doing.UNKNOWN,
}
_DOING: Final = {Action.PREEMPT: Doing.PREEMPTED}
_FREE_OWNERS: Final = {
    State.FREE: Owner.IDLE,
    State.USED: Owner.KERNEL,
    State.UNKNOWN: Owner.UNKNOWN,
}


class Instances:
    """Follows the events and transitions of one boot; memory depends on the number of entities."""

    def __init__(
        self,
        entities: Entities,
        epoch: int,
        *,
        with_segments: bool = False,
        with_slices: bool = False,
    ) -> None:
        """Begin before the first event of a boot.

        Args:
            entities: entities of the model.
            epoch: number of the boot.
            with_segments: keep the segments of instances.
            with_slices: keep the slices of CPUs.
        """
        self._entities, self._epoch = entities, epoch
        self._with_segments, self._with_slices = with_segments, with_slices
        self._open: dict[int, dict[int, Life]] = {}
        self._lost: dict[int, list[Lost]] = {}
        self._last_end: dict[int, int] = {}
        self._owners: dict[int, Key] = {}
        self._waiters: dict[int, dict[Key, Life]] = {}
        self._cores: dict[int, CoreLife] = {}
        self._ended: list[Instance] = []
        self._slices: list[Slice] = []
        self._intervals: list[tuple[int, ...]] = []
        self._base = self._row = self._time = 0

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        """Take the next events."""
        self._look_at(columns)
        for row, time, entity, instance, action, after, source, with_, object_, value in zip(
            found.row.tolist(),
            found.time.tolist(),
            found.entity.tolist(),
            found.instance.tolist(),
            found.action.tolist(),
            found.after.tolist(),
            found.source.tolist(),
            found.source_instance.tolist(),
            found.object.tolist(),
            found.value.tolist(),
            strict=True,
        ):
            self._row, self._time = self._base + row, time
            kind = self._entities[entity].kind
            if kind in _PROCESSES and action not in OF_LIVES:
                self._process((entity, instance), kind, Action(action), State(after), source)
                life = self._open.get(entity, {}).get(instance)
                if life is not None and action in {Action.WAIT, Action.FOUND}:
                    self._waits(life, object_, value)
            elif kind is Kind.CORE:
                self._core_changes(entity, State(after))
            elif kind in _LOCKS:
                self._lock_changes(entity, Action(action), (source, with_))
        self._base += len(columns)

    def finish(self) -> None:
        """End the open instances; the last record of the boot was fed."""
        last = max((core.last for core in self._cores.values()), default=0)
        for entity in sorted(self._lost):
            self._resolve(entity, None)
        for _, lives in sorted(self._open.items()):
            is_followed = any(not life.is_pending for life in lives.values())
            for life in list(lives.values()):
                end = self._end_of(life, last)
                if life.is_pending and not is_followed:
                    end = life.since  # its predecessor was lost, so it may be lost too
                    self._leave(life, end, Ended.LOST)
                else:
                    self._leave(life, end, Ended.OPEN)
        for entity in sorted(self._lost):
            self._resolve(entity, None)
        for cpu, core in self._cores.items():
            self._cut(cpu, core, core.last)

    def open_table(self) -> Table:
        """Return the instances that have not ended; see `InstanceTables`."""
        last = max((core.last for core in self._cores.values()), default=0)
        found: list[Instance] = []
        for _, lives in sorted(self._open.items()):
            is_followed = any(not life.is_pending for life in lives.values())
            found += [
                life.shown(self._epoch, self._end_of(life, last))
                for life in lives.values()
                if (is_followed or not life.is_pending) and not life.is_none
            ]
        return table_of(found, [])

    def _end_of(self, life: Life, last: int) -> int:
        """Return the time of the last record: of its own CPU if an instance runs, else `last`."""
        core = self._cores.get(life.cpu) if life.cpu is not None else None
        return core.last if core is not None and life.doing is Doing.RUNNING else last

    def taken(self) -> list[Instance]:
        """Return the instances that ended since the last call, and forget them."""
        found, self._ended = self._ended, []
        return found

    @property
    def waiting(self) -> int:
        """Number of instances and intervals that ended since the last table was taken."""
        return len(self._ended) + len(self._intervals)

    def taken_table(self) -> Table:
        """Return as columns the instances and intervals that ended since the last call."""
        found, self._intervals = self._intervals, []
        return table_of(self.taken(), found)

    def lent_table(self) -> Table:
        """Return the table of `taken_table`; see `InstanceTables`."""
        return self.taken_table()

    def taken_slices(self) -> list[Slice]:
        """Return the slices of CPUs that ended since the last call, and forget them."""
        found, self._slices = self._slices, []
        return found

    def _look_at(self, columns: EventColumns) -> None:
        """Store the times of the first and the last record of each CPU."""
        for cpu, (begin, end) in columns.rows_of_cpus.items():
            if cpu not in self._cores:
                self._cores[cpu] = CoreLife(since=int(columns.time[begin]))
            core = self._cores[cpu]
            core.last = max(core.last, int(columns.time[end]))

    # Processes --------------------------------------------------------------------------------

    def _process(self, key: Key, kind: Kind, action: Action, after: State, source: int) -> None:
        entity, number = key
        lives = self._open.setdefault(entity, {})
        if action is Action.LOSE:
            self._lose(kind, number, lives)
            return
        life = lives.get(number)
        if life is None:
            life = self._begin(key, kind, lives, is_activated=action is Action.ACTIVATE)
            life.is_job = kind is Kind.INTERRUPT or self._begins_job(action, source)
        if action in {Action.ACTIVATE, *MARKS}:
            self._mark(action, life, lives)
            return
        if kind is Kind.TASK:
            self._come_to(life, lives)
        if after is State.TERMINATED:
            self._leave(life, self._time, Ended.UNDONE if life.is_cut else Ended.DONE)
            return
        core = self._core_of(source)
        doing = _DOING.get(action) or _SHOWING.get(after, Doing.READY)
        self._do(life, doing, resumes=action is Action.RESUME)
        if core is not None:
            life.cpu = core
        if doing is Doing.RUNNING:
            self._run(life, key, action)
        elif doing is Doing.SUSPENDED:
            life.event = ThreadEvent.STOPPED
        elif action is Action.PREEMPT and core is not None:
            self._core(core).preempted = self._row, life

    def _begins_job(self, action: Action, source: int) -> bool:
        """Return whether a transition activates a task other than by its creation."""
        by_creation = source != NO_ENTITY and self._entities[source].kind is Kind.CREATION
        return action is Action.ACTIVATE and not by_creation

    def _mark(self, action: Action, life: Life, lives: dict[int, Life]) -> None:
        """Apply an action of `MARKS`."""
        if action in {Action.ACTIVATE, Action.NO_JOB}:
            life.is_none = action is Action.NO_JOB
            return
        for other in [one for one in lives.values() if one.key[1] > life.key[1]]:
            self._leave(other, self._time, Ended.UNDONE)
        if action is Action.CANCEL:
            life.is_cut = True
            return
        if life.doing is Doing.BLOCKED:
            object_, event, since = life.object, life.event, life.wait_since
            self._do(life, Doing.BLOCKED)
            self._waits(life, object_, event)
            life.wait_since = since
        elif life.is_job:
            life.parts[life.doing] += self._time - life.since
        if life.is_job:
            self._emit(life, self._time, Ended.UNDONE, self._time)
        else:
            self._intervals.append(life.settled(self._time, is_job=False))
        life.begin_job(self._time)

    def _begin(self, key: Key, kind: Kind, lives: dict[int, Life], *, is_activated: bool) -> Life:
        entity, number = key
        time, lost = self._time, self._lost.get(entity, [])
        earliest = time if is_activated else self._earliest(entity, lives, lost)
        unseen = None if earliest is None else time - earliest
        if unseen and lost and lost[0].life.earliest == earliest:
            # The running time of the first lost instance is known until it was lost.
            ran = [one.life.parts[Doing.RUNNING] + (one.life.unseen or 0) for one in lost]
            unseen = min(unseen, sum(ran) + time - lost[0].end)
        known: int | None = time if is_activated else None
        if kind is Kind.TASK:
            known, earliest, unseen = self._after_unseen(known, earliest, unseen, number, lives)
        life = lives[number] = Life(
            key=key,
            kind=kind,
            activation=known,
            found=time,
            earliest=earliest,
            unseen=unseen,
            since=time,
            wait_since=time,
            row=self._row,
            doing=Doing.READY,
            is_pending=is_activated and kind is Kind.TASK and bool(lives or lost),
        )
        return life

    def _after_unseen(
        self,
        known: int | None,
        earliest: int | None,
        unseen: int | None,
        number: int,
        lives: dict[int, Life],
    ) -> tuple[int | None, int | None, int | None]:
        """Make activations unknown while an instance with an unseen activation is open.

        Activations between the two may be missing. Then instances that were activated earlier run
        first, and the number of an activation is not the number of the next completion.

        Returns:
            Activation, earliest activation and unseen time of the new instance.
        """
        for other in lives.values():
            if other.key[1] > number:
                other.activation, other.earliest, other.unseen = None, earliest, unseen
            elif known is not None and other.activation is None:
                begin = other.earliest
                return None, begin, None if begin is None else self._time - begin
        return known, earliest, unseen

    def _earliest(self, entity: int, lives: dict[int, Life], lost: list[Lost]) -> int | None:
        """Return the earliest possible activation of an instance just found; None if unlimited."""
        if entity not in self._last_end and not lost and not lives:
            return None
        before = [one.life.earliest for one in lost] + [one.earliest for one in lives.values()]
        if None in before:
            return None
        times = [one for one in before if one is not None]
        return min(times) if times else self._last_end[entity]

    def _come_to(self, life: Life, lives: dict[int, Life]) -> None:
        """End the earlier instances of a task as lost: they ended unseen before `life` ran."""
        for other in [one for one in lives.values() if one.key[1] < life.key[1]]:
            self._leave(other, other.since, Ended.LOST)
        life.is_pending = False

    def _lose(self, kind: Kind, number: int, lives: dict[int, Life]) -> None:
        for life in [one for one in lives.values() if kind is Kind.TASK or one.key[1] == number]:
            self._leave(life, max(self._time, life.since), Ended.LOST)

    def _run(self, life: Life, key: Key, action: Action) -> None:
        """Let an instance run on its core from now on."""
        if life.cpu is None:
            return
        core = self._core(life.cpu)
        if life.start is None and (action is Action.START or life.is_taken):
            life.start, life.is_taken = self._time, False
            self._resolve(key[0], self._time)
        self._cut(life.cpu, core, self._time)
        core.running.append(key)
        core.last = max(core.last, self._time)
        if life.kind is not Kind.INTERRUPT:
            return
        core.interrupts.add(key)
        life.nesting = max(life.nesting, len(core.interrupts))
        if core.preempted is not None and core.preempted[0] == self._row:
            below = core.preempted[1]
            if below.doing is Doing.PREEMPTED and not below.is_over:
                below.doing = Doing.INTERRUPTED
                below.interruptions += 1
                core.covered.append(below)
        core.preempted = None

    def _do(self, life: Life, doing: Doing, *, resumes: bool = False) -> None:
        """End the segment of an instance and begin the next one."""
        if life.doing is Doing.PREEMPTED and not (resumes and life.row == self._row):
            life.preemptions += 1
        self._close(life, self._time, doing)
        if life.doing is not Doing.BLOCKED or doing is not Doing.BLOCKED:
            life.wait_since = self._time
        life.doing, life.since, life.row = doing, self._time, self._row
        life.object, life.event = NO_ENTITY, NOT_KNOWN

    def _close(self, life: Life, end: int, next_: Doing | None = None) -> None:
        """Add up the segment of an instance; `next_` is its next activity, None at its end."""
        ticks = end - life.since
        life.parts[life.doing] += ticks
        owner = self._owners.get(life.object, (NO_ENTITY, 0))
        if life.doing is Doing.BLOCKED:
            self._waiters.get(life.object, {}).pop(life.key, None)
            if ticks:
                life.blockings[life.object, life.event, owner[0]] += ticks
        if life.doing is Doing.RUNNING and life.cpu is not None:
            core = self._core(life.cpu)
            if life.key in core.running:
                self._cut(life.cpu, core, end)
                core.running.remove(life.key)
                core.last = max(core.last, end)
        if life.doing is Doing.READY:
            self._close_ready(life, end, next_)
        elif life.doing in {Doing.BLOCKED, Doing.SUSPENDED}:
            self._add_interval(life, end, next_, owner[0])
        if ticks and self._with_segments:
            wait = (life.object, life.event)
            segment = Segment(life.since, end, life.doing, life.cpu, *wait, *owner)
            life.segments.append(segment)
        life.since = end

    def _close_ready(self, life: Life, end: int, next_: Doing | None) -> None:
        if next_ is None:
            life.ready_since = life.since
        elif not life.is_begun:
            life.found_ready = end - life.since
        elif next_ is Doing.RUNNING and not life.is_none:
            self._add_interval(life, end, next_, NO_ENTITY)

    def _add_interval(self, life: Life, end: int, next_: Doing | None, owner: int) -> None:
        """Add a row of `INTERVAL`."""
        since = life.wait_since if life.is_begun else NO_TICKS
        following = len(Doing) if next_ is None else next_
        entity, number = life.key
        begin, event, object_, doing = life.since, life.event, life.object, life.doing
        self._intervals.append(
            (
                *(begin, end, since, event, entity, number, object_, owner, doing, following),
                *(int(life.is_job), 0),
            )
        )

    def _waits(self, life: Life, object_: int, event: int) -> None:
        """Set the object and the event that an instance waits for."""
        if life.doing is not Doing.BLOCKED:
            return
        life.object, life.event = object_, event
        if object_ != NO_ENTITY:
            self._waiters.setdefault(object_, {})[life.key] = life

    def _leave(self, life: Life, end: int, ended: Ended) -> None:
        """End the known part of an instance."""
        entity, number = life.key
        if life.doing is Doing.PREEMPTED and end > life.since:
            life.preemptions += 1
        self._close(life, end)
        del self._open[entity][number]
        life.is_over = True
        if life.kind is Kind.INTERRUPT and life.cpu is not None:
            self._uncover(life, end)
        if ended is Ended.LOST and life.kind is Kind.TASK:
            self._lost.setdefault(entity, []).append(Lost(life, end))
            return
        is_known = ended in {Ended.DONE, Ended.UNDONE}
        if is_known:
            self._resolve(entity, end)
            self._last_end[entity] = end
        if ended is Ended.DONE and not life.is_job and not life.is_none:
            self._intervals.append(life.settled(end, is_job=True))
        self._emit(life, end, ended, end if is_known else None)

    def _uncover(self, interrupt: Life, end: int) -> None:
        """Remove an interrupt from its CPU; after the last one, interrupted tasks are PREEMPTED."""
        core = self._core(interrupt.cpu or 0)
        core.interrupts.discard(interrupt.key)
        if core.interrupts:
            return
        for life in core.covered:
            if life.doing is Doing.INTERRUPTED and not life.is_over:
                self._close(life, end, Doing.PREEMPTED)
                life.doing, life.row = Doing.PREEMPTED, self._row
        core.covered.clear()

    def _resolve(self, entity: int, latest: int | None) -> None:
        """Emit the lost instances of a task; they ended by `latest`, None if unlimited."""
        for one in self._lost.pop(entity, ()):
            self._emit(one.life, one.end, Ended.LOST, latest)

    def _emit(self, life: Life, end: int, ended: Ended, latest: int | None) -> None:
        if not life.is_none:
            self._ended.append(life.instance(self._epoch, end, ended, latest))

    # Locks ------------------------------------------------------------------------------------

    def _lock_changes(self, lock: int, action: Action, who: Key) -> None:
        """Update the owner of a mutex or spin lock; a change cuts the waits for it."""
        before = self._owners.get(lock)
        after = before
        if action in _HAVING:
            after = who
        elif action in {Action.GIVE, Action.LOSE}:
            after = None
        if after == before:
            return
        for life in list(self._waiters.get(lock, {}).values()):
            object_, event = life.object, life.event
            self._do(life, Doing.BLOCKED)
            self._waits(life, object_, event)
        if after is None:
            self._owners.pop(lock, None)
        else:
            self._owners[lock] = after

    # CPUs -------------------------------------------------------------------------------------

    def _core(self, cpu: int) -> CoreLife:
        core = self._cores.get(cpu)
        if core is None:
            core = self._cores[cpu] = CoreLife(since=self._time, last=self._time)
        return core

    def _core_of(self, source: int) -> int | None:
        """Return the CPU that a transition of a process names; None if it names none."""
        if source == NO_ENTITY or self._entities[source].kind is not Kind.CORE:
            return None
        return self._entities[source].number

    def _core_changes(self, entity: int, after: State) -> None:
        cpu = self._entities[entity].number
        if cpu not in self._cores and after is State.UNKNOWN:
            return  # a CPU of the previous boot
        core = self._core(cpu)
        self._cut(cpu, core, self._time)
        core.state, core.last = after, max(core.last, self._time)

    def _cut(self, cpu: int, core: CoreLife, time: int) -> None:
        """End the slice of a CPU."""
        if not self._with_slices or time == core.since:
            return
        if core.running:
            entity, number = core.running[-1]
            is_task = self._entities[entity].kind is Kind.TASK
            owner = Owner.TASK if is_task else Owner.INTERRUPT
        else:
            entity, number, owner = NO_ENTITY, 0, _FREE_OWNERS[core.state]
        self._slices.append(Slice(cpu, core.since, time, owner, entity, number))
        core.since = time

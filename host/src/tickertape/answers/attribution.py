"""Attribute each tick of chosen windows of time to an action of a task or the cause of its wait.

A *path* is the reason of one tick: a chain of steps from the task to the process that had the
CPU. `(ran,)` is a tick in which the task ran; `(blocked on bus held by logger, preempted by
filter)` is a tick in which the task waited for a mutex, and its owner was preempted.

`Scene` holds the state of all processes, cores and locks, as the transitions report it.
`Attribution` moves it through time and adds up the ticks of each path. Every tick of a window gets
one path, so the parts of a window add up to its length.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.model.entities import Kind
from tickertape.model.transitions import MARKS, NO_ENTITY, OF_LIVES, WITHOUT_INSTANCE, Action, State
from tickertape.protocol.events import ThreadEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tickertape.decode.records import I64, Rows
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

TRACERS: Final = frozenset({"tracer", "tickertape", "drain", "trc", "trace_log"})
"""Names of the threads and interrupts that drain the recorder: examples, Zephyr module, facades."""

SEGMENTS: Final = 1 << 16
"""Number of latest segments that a window keeps; older ones are added to its totals."""

ANY_INSTANCE: Final = -1
"""Instance of a window that is a range of time and includes all instances of the task."""

_DEEPEST: Final = 32
_LONGEST: Final = 256


class Cause(Enum):
    """Cause of a tick of a task; `why.label_of` describes a step in words."""

    RAN = "ran"
    PREEMPTED = "preempted"
    READY = "ready"
    INTERRUPTED = "interrupt"
    BLOCKED = "blocked"
    WAITED = "waited"
    SUSPENDED = "suspended"
    ENDED = "ended"
    EARLIER = "earlier"
    KERNEL = "kernel"
    TRACER = "tracer"
    DEADLOCK = "deadlock"
    UNKNOWN = "unknown"


class Step(NamedTuple):
    """One link of a path.

    Attributes:
        cause: kind of the reason.
        by: name of the process that had the CPU or owns the lock; empty for none or unknown.
        on: name of the lock or other object that the task waited for, or the kind of the wait;
            else empty.
    """

    cause: Cause
    by: str = ""
    on: str = ""


Path = tuple[Step, ...]

RAN: Final = Step(Cause.RAN)
KERNEL: Final = Step(Cause.KERNEL)
UNKNOWN: Final = Step(Cause.UNKNOWN)
SUSPENDED: Final = Step(Cause.SUSPENDED)
CREATED: Final = Step(Cause.WAITED, on="its start")
INACTIVE: Final = Step(Cause.WAITED, on="next activation")
_OTHER_STEPS: Final = {State.SUSPENDED: SUSPENDED, State.CREATED: CREATED}


class Segment(NamedTuple):
    """A range of time with one path.

    Attributes:
        begin: first tick.
        end: first tick after it.
        path: reason of its ticks.
        rests_on: entities whose states the path depends on.
    """

    begin: int
    end: int
    path: Path
    rests_on: frozenset[int]


@dataclass(slots=True, eq=False)
class Window:
    """A range of time of one instance of a task, and the paths of its ticks.

    Attributes:
        entity: the task.
        instance: number of its instance; ANY_INSTANCE for a range of time.
        begin: first tick.
        end: first tick after it.
        totals: ticks by path, of the segments that are no longer in `segments`.
        segments: the latest segments, in order.
    """

    entity: int
    instance: int
    begin: int
    end: int
    totals: Counter[Path] = field(default_factory=Counter)
    segments: deque[Segment] = field(default_factory=deque)

    def add(self, segment: Segment) -> None:
        """Add the next segment."""
        last = self.segments[-1] if self.segments else None
        if last is not None and last.end == segment.begin and last[2:] == segment[2:]:
            self.segments[-1] = last._replace(end=segment.end)
            return
        self.segments.append(segment)
        if len(self.segments) > SEGMENTS:
            oldest = self.segments.popleft()
            self.totals[oldest.path] += oldest.end - oldest.begin

    def lose(self, entity: int, since: int) -> None:
        """Set segments from `since` on to UNKNOWN if they depend on the state of an entity."""
        redone: list[Segment] = []
        while self.segments and self.segments[-1].end > since:
            segment = self.segments.pop()
            if entity not in segment.rests_on:
                redone.append(segment)
                continue
            begin = max(segment.begin, since)
            redone.append(Segment(begin, segment.end, (UNKNOWN,), frozenset()))
            if segment.begin < begin:
                self.segments.append(segment._replace(end=begin))
                break
        for segment in reversed(redone):
            self.add(segment)

    def by_path(self) -> Counter[Path]:
        """Return the ticks of each path; paths are in the order in which they first occur."""
        found = self.totals.copy()
        for segment in self.segments:
            found[segment.path] += segment.end - segment.begin
        return found


@dataclass(slots=True)
class _Process:
    """State of a task or interrupt.

    Attributes:
        state: state of the current instance.
        instance: number of the current instance.
        core: entity of the core where it runs or ran last; NO_ENTITY when unknown.
        was_preempted: True if it is READY because it lost its core.
        wants: entity that it waits for; NO_ENTITY for none or unknown.
        wait: number of the THREAD event of its wait; -1 if it does not wait.
    """

    state: State = State.UNKNOWN
    instance: int = -1
    core: int = NO_ENTITY
    was_preempted: bool = False
    wants: int = NO_ENTITY
    wait: int = -1


class Scene:
    """The state of processes, cores and locks of one boot."""

    def __init__(self, entities: Entities) -> None:
        """Begin with all states unknown."""
        self._entities = entities
        self._processes: dict[int, _Process] = {}
        self._cores: dict[int, State] = {}
        self._tops: dict[int, int] = {}
        self._owners: dict[int, int] = {}
        self._left: set[int] = set()  # locks whose owners have ended

    def process(self, entity: int) -> _Process:
        """Return the state of a process."""
        return self._processes.setdefault(entity, _Process())

    def take(self, row: Row) -> None:
        """Apply a transition of a process, a core or a lock."""
        kind = self._entities[row.entity].kind
        if kind is Kind.CORE:
            self._cores[row.entity] = row.after
            if row.after is State.UNKNOWN:
                self._owners.clear()
        elif kind in {Kind.TASK, Kind.INTERRUPT}:
            self._take_process(row)
        else:
            self._take_lock(row)

    def _take_process(self, row: Row) -> None:
        process = self.process(row.entity)
        if row.action in OF_LIVES:
            process.state, process.instance = row.after, row.instance
            if row.action is Action.END:
                self._left.update(self.locks_of(row.entity))
            return
        if row.action is Action.ACTIVATE:
            if process.state in WITHOUT_INSTANCE:
                process.state, process.instance = State.ACTIVE, row.instance
                process.was_preempted = False
            return
        if row.source != NO_ENTITY:
            process.core = row.source
        is_task = self._entities[row.entity].kind is Kind.TASK
        for core in [one for one, top in self._tops.items() if top == row.entity]:
            if is_task or core == process.core:
                del self._tops[core]
        if row.after is State.RUNNING and process.core != NO_ENTITY:
            self._tops[process.core] = row.entity
        elif row.action is Action.LOSE:
            self._disown(row.entity)
        process.was_preempted = row.action is Action.PREEMPT
        process.state, process.instance = row.after, row.instance
        waits = row.after is State.WAITING
        process.wants = row.object if waits else NO_ENTITY
        process.wait = row.value if waits else -1

    def _disown(self, entity: int) -> None:
        """Forget the owner of each lock of a lost process: another process may own it by now."""
        for lock in [one for one, owner in self._owners.items() if owner == entity]:
            del self._owners[lock]

    def _take_lock(self, row: Row) -> None:
        if row.action is not Action.FOUND:
            self._left.discard(row.entity)
        if row.action in {Action.TAKE, Action.ASSIGN, Action.GRANT} and row.source != NO_ENTITY:
            self._owners[row.entity] = row.source
        elif row.action is Action.GIVE or row.after is State.FREE:
            self._owners[row.entity] = NO_ENTITY
        elif row.action is not Action.FOUND:
            self._owners.pop(row.entity, None)

    def locks_of(self, process: int) -> list[int]:
        """Return the locks that a process owns."""
        mine = [lock for lock, owner in self._owners.items() if owner == process]
        return [lock for lock in mine if lock not in self._left]

    def running_on(self, core: int) -> int:
        """Return the process that a core runs; NO_ENTITY when that is unknown."""
        return self._tops.get(core, NO_ENTITY)

    def chain_of(self, entity: int) -> list[int]:
        """Return a process, the owner of the mutex that it waits for, and so on along the chain.

        The last process waits for no mutex, or the owner of its mutex is unknown. In a cycle, the
        last process is in the list twice. The list ends after `_LONGEST` processes.
        """
        chain = [entity]
        while (process := self.process(chain[-1])).state is State.WAITING and len(chain) < _LONGEST:
            owner = self._owners.get(process.wants, NO_ENTITY)
            if owner in {NO_ENTITY, chain[-1]} or process.wants in self._left:
                break
            if owner in chain:
                return [*chain, owner]
            chain.append(owner)
        return chain

    def cycle_of(self, entity: int) -> list[int]:
        """Return the processes of the cycle of waits that a process closed; empty for none."""
        chain = self.chain_of(entity)
        return chain[:-1] if len(chain) > 1 and chain[-1] == entity else []

    def has_idle_core(self) -> bool:
        """Return whether a core is idle."""
        return State.FREE in self._cores.values()

    def path(self, entity: int, instance: int, rests_on: set[int]) -> Path:
        """Return the path of the current tick.

        Args:
            entity: a task.
            instance: number of its instance. An instance that was activated while an earlier one
                had not ended waits for that one. ANY_INSTANCE for the current one.
            rests_on: receives the entities whose states the path depends on.
        """
        process = self.process(entity)
        rests_on.add(entity)
        if instance == ANY_INSTANCE:
            is_over = process.state in {State.TERMINATED, State.ENDED}
            return (INACTIVE,) if is_over else self._path(entity, rests_on, (entity,))
        is_earlier = process.instance != instance and process.state not in WITHOUT_INSTANCE
        inner = self._path(entity, rests_on, (entity,))
        if not is_earlier:
            return inner
        return (Step(Cause.EARLIER, self._entities[entity].name), *inner)

    def _path(self, entity: int, rests_on: set[int], chain: tuple[int, ...]) -> Path:
        rests_on.add(entity)
        process = self.process(entity)
        match process.state:
            case State.RUNNING:
                return (RAN,)
            case State.READY | State.ACTIVE:
                return (self._behind(process, rests_on),)
            case State.WAITING:
                return self._waiting(process, rests_on, chain)
            case State.TERMINATED | State.ENDED:
                return (KERNEL if len(chain) == 1 else INACTIVE,)
        return (_OTHER_STEPS.get(process.state, UNKNOWN),)

    def _waiting(self, process: _Process, rests_on: set[int], chain: tuple[int, ...]) -> Path:
        wanted = process.wants
        if wanted == NO_ENTITY:
            return (Step(Cause.WAITED, on=wait_name(process.wait)),)
        name, kind = self._entities[wanted].name, self._entities[wanted].kind
        if kind is not Kind.MUTEX:
            return (Step(Cause.WAITED, on=name),)
        rests_on.add(wanted)
        owner = self._owners.get(wanted)
        if owner is None:
            return (Step(Cause.BLOCKED, on=name),)
        if owner in {NO_ENTITY, chain[-1]}:  # the kernel is about to wake the process
            return (KERNEL,)
        step = Step(Cause.BLOCKED, self._entities[owner].name, name)
        if wanted in self._left or owner in chain or len(chain) > _DEEPEST:
            last = Cause.ENDED if wanted in self._left else Cause.DEADLOCK
            return (step, Step(last, self._entities[owner].name))
        return (step, *self._path(owner, rests_on, (*chain, owner)))

    def _behind(self, process: _Process, rests_on: set[int]) -> Step:
        """Return the step for a ready process: its cause and the process that has the CPU."""
        core = process.core
        cores = [core] if core != NO_ENTITY else sorted(self._cores)
        rests_on.update(cores)
        tops = [self._tops[one] for one in cores if one in self._tops]
        rests_on.update(tops)
        if not cores or any(self._cores.get(one) in {None, State.UNKNOWN} for one in cores):
            return UNKNOWN
        if len(tops) < len(cores):
            # With an unknown core, the CPUs that the process may use are unknown too.
            return UNKNOWN if tops else KERNEL
        name = " and ".join(sorted({self._entities[one].name for one in tops}))
        if all(self._entities[one].name in TRACERS for one in tops):
            return Step(Cause.TRACER, name)
        if all(self._entities[one].kind is Kind.INTERRUPT for one in tops):
            return Step(Cause.INTERRUPTED, name)
        return Step(Cause.PREEMPTED if process.was_preempted else Cause.READY, name)


class Row(NamedTuple):
    """One transition as Python integers and enumerations."""

    time: int
    entity: int
    instance: int
    action: Action
    after: State
    source: int
    object: int
    value: int


_OF_PROCESSES: Final = (Kind.TASK, Kind.INTERRUPT)
_IS_STATEFUL: Final = np.isin(np.arange(max(Kind) + 1), (*_OF_PROCESSES, Kind.CORE, Kind.MUTEX))
_IS_OF_OWNERS: Final = np.isin(
    np.arange(max(Action) + 1),
    (Action.TAKE, Action.ASSIGN, Action.GRANT, Action.GIVE, Action.LOSE, Action.FOUND),
)


class Attribution:
    """Attributes the ticks of windows by the transitions of one boot, in order."""

    def __init__(self, entities: Entities, windows: Sequence[Window]) -> None:
        """Begin before the first transition of a boot."""
        self._entities = entities
        self._windows = windows
        self._now = 0
        self._scene = Scene(entities)

    def feed(self, found: Transitions) -> None:
        """Take the next transitions."""
        for _, row in rows_of(found, self._entities):
            self._take(row)

    def finish(self, end: int) -> None:
        """Attribute the ticks up to `end`, where the recording of the boot ends."""
        self._advance(end)

    def _take(self, row: Row) -> None:
        if row.time > self._now:
            self._advance(row.time)
        elif row.time < self._now and row.after is State.UNKNOWN:
            for window in self._windows:
                window.lose(row.entity, row.time)
        self._scene.take(row)

    def _advance(self, time: int) -> None:
        """Attribute the ticks up to a time by the state since the last change."""
        for window in self._windows:
            begin, end = max(self._now, window.begin), min(time, window.end)
            if begin < end:
                rests_on: set[int] = set()
                path = self._scene.path(window.entity, window.instance, rests_on)
                window.add(Segment(begin, end, path, frozenset(rests_on)))
        self._now = max(self._now, time)


def rows_of(found: Transitions, entities: Entities) -> Iterator[tuple[int, Row]]:
    """Yield the transitions that a scene takes, each with the row of its event."""
    kinds = np.array([one.kind for one in entities], np.int64)
    kind: I64 = kinds[found.entity]
    chosen = _IS_STATEFUL[kind] & ((kind != Kind.MUTEX) | _IS_OF_OWNERS[found.action])
    rows = np.flatnonzero(chosen & (found.action < min(MARKS)))
    return zip(found.row[rows].tolist(), _rows(found, rows), strict=True)


def _rows(found: Transitions, rows: Rows) -> Iterator[Row]:
    return map(
        Row,
        found.time[rows].tolist(),
        found.entity[rows].tolist(),
        found.instance[rows].tolist(),
        map(Action, found.action[rows].tolist()),
        map(State, found.after[rows].tolist()),
        found.source[rows].tolist(),
        found.object[rows].tolist(),
        found.value[rows].tolist(),
    )


def wait_name(number: int) -> str:
    """Return the name of a wait without an object, by the number of its THREAD event."""
    try:
        return ThreadEvent(number).name.lower()
    except ValueError:
        return "something"


def parts_of(paths: Iterable[tuple[Path, int]]) -> list[tuple[Step, int, list[tuple[Path, int]]]]:
    """Group paths by their first step: step, ticks, and the rest of the paths."""
    grouped: dict[Step, list[tuple[Path, int]]] = {}
    for path, ticks in paths:
        grouped.setdefault(path[0], []).append((path[1:], ticks))
    return [
        (step, sum(ticks for _, ticks in rest), [(path, one) for path, one in rest if path])
        for step, rest in grouped.items()
    ]

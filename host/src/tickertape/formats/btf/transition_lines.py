"""Writes transitions as lines of the Best Trace Format.

Each kind of entity has its method; a table maps state changes of semaphores to events. `old` files
(versions up to 2.1.5) also have entities SIM and SYS, and more events of the scheduler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.ticks import NS_PER_S
from tickertape.formats.btf.names import UniqueNames
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, Action, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tickertape.model.entities import Entities, Entity
    from tickertape.model.transitions import Transitions

    Row = tuple[int, int, int, int, int, int, int, int, int, int]
    Block = bytes | memoryview

CPUS: Final = 64
"""Most CPUs in a trace."""

_ECU, _PROCESSOR = "ECU_0", "Processor_0"

_PREFIXES: Final = {
    Kind.INTERRUPT: "ISR_",
    Kind.REQUEST: "IRQ_",
    Kind.PERIOD: "PERIOD_",
    Kind.CREATION: "CREATE_",
}
"""Prefixes of names that another entity usually has as well."""

TYPES: Final[Mapping[int, str]] = {
    Kind.TASK: "T",
    Kind.INTERRUPT: "I",
    Kind.RUNNABLE: "R",
    Kind.STIMULUS: "STI",
    Kind.REQUEST: "STI",
    Kind.PERIOD: "STI",
    Kind.CREATION: "STI",
}

PROCESS_EVENTS: Final[Mapping[int, str]] = {
    Action.START: "start",
    Action.PREEMPT: "preempt",
    Action.RESUME: "resume",
    Action.TERMINATE: "terminate",
    Action.WAIT: "wait",
    Action.RELEASE: "release",
    Action.POLL: "poll",
    Action.RUN: "run",
    Action.PARK: "park",
    Action.POLL_PARKING: "poll_parking",
    Action.RELEASE_PARKING: "release_parking",
}

RUNNABLE_EVENTS: Final[Mapping[int, str]] = {
    Action.START: "start",
    Action.SUSPEND: "suspend",
    Action.RESUME: "resume",
    Action.TERMINATE: "terminate",
}

LOCK_EVENTS: Final = {
    (State.FREE, State.FULL): "lock",
    (State.FREE, State.USED): "used",
    (State.USED, State.USED): "used",
    (State.USED, State.FULL): "lock_used",
    (State.USED, State.FREE): "free",
    (State.FULL, State.FREE): "unlock",
    (State.FULL, State.USED): "unlock_full",
    (State.FULL, State.OVERFULL): "overfull",
    (State.OVERFULL, State.OVERFULL): "overfull",
    (State.OVERFULL, State.FULL): "full",
    (State.UNKNOWN, State.USED): "used",
    (State.UNKNOWN, State.FULL): "full",
    (State.UNKNOWN, State.OVERFULL): "overfull",
}
"""Event of a semaphore for each change of state."""


_SUSPENDED_ON_CORE: Final = {State.RUNNING, State.WAITING}
"""States in which the format has a suspended process WAITING; in others it stays as it is."""


def _process_event(action: Action, before: int, value: int) -> str | None:
    """Return the event of a process; None if the format has no such event.

    A process that suspends itself waits, and a waiting one that is suspended waits on. The format
    has no event for a ready process that is suspended: it stays READY or ACTIVE.
    """
    if action is Action.STOP:
        return PROCESS_EVENTS[Action.WAIT] if before == State.RUNNING else None
    if action is Action.CONTINUE:
        return PROCESS_EVENTS[Action.RELEASE] if value in _SUSPENDED_ON_CORE else None
    return PROCESS_EVENTS.get(action)


class BtfLines:
    """Assigns names to entities and writes transitions with these names.

    Attributes:
        count: number of lines that are events.
        time_ns: time of the last line.
        without_source: number of transitions that the format cannot express; they are comments.
    """

    def __init__(self, entities: Entities, *, old: bool) -> None:
        """Create a writer for one file, with names for all CPUs.

        Args:
            entities: entities of the transitions; more may be added later.
            old: True for versions up to 2.1.5, False from 2.2 on.
        """
        self.count = 0
        self.time_ns = 0
        self.without_source = 0
        self._entities = entities
        self._old = old
        self._unique = UniqueNames(ascii_only=old)
        self._unique.take("SIM")
        self._unique.take("SYSTEM")
        if old:
            self._unique.take(_ECU)
            self._unique.take(_PROCESSOR)
        self._names: list[str] = []
        self._kinds: list[Kind] = []
        # Reserve the names of CPUs first, so that they do not depend on the order of entities.
        self._cores = [self._unique.take(f"Core_{cpu}") for cpu in range(CPUS)]
        self._schedulers = [self._unique.take(f"Scheduler_{cpu}") for cpu in range(CPUS)]
        self._cpu = 0
        self._tick_hz = NS_PER_S
        self._offset_ns = 0
        self._out: list[str] = []
        self._no_instance = -1 if old else 0  # instance field of entities without instances
        self._owners: set[tuple[int, int]] = set()
        self._last_core: dict[int, int] = {}
        # Tasks that were preempted or parked, and tasks that called the scheduler.
        self._preempted: set[int] = set()
        self._asked: set[int] = set()
        # Semaphores with earlier requests or releases: when found free, they are not new.
        self._used_locks: set[int] = set()
        lock = self._lock
        self._writers: dict[Kind, Callable[[Row], None]] = {
            Kind.TASK: self._process,
            Kind.INTERRUPT: self._process,
            Kind.RUNNABLE: self._runnable,
            **dict.fromkeys((Kind.STIMULUS, Kind.REQUEST), self._stimulus),
            **dict.fromkeys((Kind.PERIOD, Kind.CREATION), self._stimulus),
            **dict.fromkeys((Kind.MUTEX, Kind.SEMAPHORE, Kind.SPINLOCK), lock),
            Kind.SCHEDULER: self._scheduler,
            Kind.EVENT: self._event,
            Kind.SIGNAL: self._signal,
        }

    @staticmethod
    def comment_text(text: str) -> str:
        """Return a text on one line, without unprintable characters."""
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())

    def begin_boot(self, tick_hz: int, offset_ns: int) -> None:
        """Set the clock rate of the following times, and the offset to add to them."""
        self._tick_hz, self._offset_ns = tick_hz, offset_ns

    def start(self, time_ns: int, cpus: int, target: str = "") -> bytes:
        """Return the lines before the first event: the hardware and the start; empty unless `old`.

        Args:
            time_ns: time of the first event.
            cpus: number of CPUs.
            target: description of the target; may be empty.
        """
        self.time_ns = time_ns
        if not self._old:
            return b""
        self._names_up_to_date()
        for tag, name in (("ECU_INIT", _ECU), ("PROCESSOR_INIT", _PROCESSOR)):
            self._line(f"{name},-1,SIM,SIM,-1,tag,{tag}")
        for cpu in range(cpus):
            self._line(f"{self._core(cpu)},-1,SIM,SIM,-1,tag,CORE_INIT")
        if target:
            self._line(f"{_ECU},-1,SIM,SIM,-1,description,{self.comment_text(target)}")
        self._line("SIM,-1,SIM,SIM,-1,finalize")
        self._line("SIM,-1,SYS,SYSTEM,0,start")
        return self._take()

    def stop(self) -> bytes:
        """Return the last line of an old file."""
        if self._old:
            self._line("SIM,-1,SYS,SYSTEM,0,stop")
        return self._take()

    def forget(self) -> None:
        """Forget earlier states: records are missing, or the target was reset."""
        self._owners.clear()
        self._last_core.clear()
        self._preempted.clear()
        self._asked.clear()
        self._used_locks.clear()

    def loss(
        self, cpu: int, count: int | None, since_ns: int, *, others_go_on: bool = False
    ) -> bytes:
        """Return the comment for missing records, in an old file after an error event.

        Args:
            cpu: CPU of the missing records.
            count: number of missing records; None when unknown.
            since_ns: time of the last record before the loss.
            others_go_on: whether lines of other CPUs follow during the loss; the caller then calls
                `loss_ends`.
        """
        number = "an unknown number of" if count is None else str(count)
        mark = "# loss begins" if others_go_on else "# loss"
        text = f"{mark}: {number} records of CPU {cpu} are missing since {since_ns} ns"
        if self._old:
            self._line("SIM,-1,SIM,SIM,-1,error")
        self.forget()
        return self._take() + f"{text}\n".encode()

    def loss_ends(self, cpu: int) -> bytes:
        """Return the comment for the end of a loss."""
        self.forget()
        return f"# loss ends: CPU {cpu} is seen again\n".encode()

    def blocks(self, transitions: Transitions, begin: int, end: int) -> Iterator[Block]:
        """Yield the lines of transitions `begin` to `end`; a block is valid until the next one."""
        if begin != end:
            yield self.of(transitions, begin, end)

    def of(self, transitions: Transitions, begin: int, end: int) -> bytes:
        """Return the lines of transitions `begin` to `end`, in one piece."""
        self._names_up_to_date()
        part = slice(begin, end)
        rows = zip(
            self._times(transitions.time[part], transitions.action[part]),
            transitions.entity[part].tolist(),
            transitions.instance[part].tolist(),
            transitions.action[part].tolist(),
            transitions.before[part].tolist(),
            transitions.after[part].tolist(),
            transitions.source[part].tolist(),
            transitions.source_instance[part].tolist(),
            transitions.object[part].tolist(),
            transitions.value[part].tolist(),
            transitions.cpu[part].tolist(),
            strict=True,
        )
        writers, kinds = self._writers, self._kinds
        for time, *row, cpu in rows:
            self.time_ns, self._cpu = time, cpu
            writer = writers.get(kinds[row[0]])
            if writer is not None and row[2] != Action.LOSE:
                writer((time, *row))
        return self._take()

    def _times(self, ticks: np.ndarray, action: np.ndarray) -> list[int]:
        """Convert ticks to nanoseconds that never step back."""
        hz = np.uint64(self._tick_hz)
        ns = ticks // hz * np.uint64(NS_PER_S) + ticks % hz * np.uint64(NS_PER_S) // hz
        ns += np.uint64(self._offset_ns)
        ns[action == Action.LOSE] = self.time_ns
        rising: list[int] = np.maximum(np.maximum.accumulate(ns), self.time_ns).tolist()
        return rising

    def _take(self) -> bytes:
        text, self._out = "".join(self._out), []
        return text.encode()

    def _line(self, rest: str) -> None:
        self.count += 1
        self._out.append(f"{self.time_ns},{rest}\n")

    def _unsaid(self, row: Row, what: str) -> None:
        """Write a comment for a transition that the format cannot express."""
        self.without_source += 1
        self._out.append(
            f"# {row[0]} {self._names[row[1]]} {Action(row[3]).name.lower()}: {what}\n"
        )

    # Names ---------------------------------------------------------------------------------------

    def _names_up_to_date(self) -> None:
        for index in range(len(self._names), len(self._entities)):
            entity = self._entities[index]
            self._kinds.append(entity.kind)
            is_cpu = entity.kind in {Kind.CORE, Kind.SCHEDULER}
            wanted = self._wanted(entity)
            self._names.append(wanted if is_cpu else self._unique.take(wanted))

    def _wanted(self, entity: Entity) -> str:
        if entity.kind is Kind.CORE:
            return self._core(entity.number)
        if entity.kind is Kind.SCHEDULER:
            return self._scheduler_name(entity.number)
        if entity.kind in {Kind.PERIOD, Kind.CREATION}:
            return _PREFIXES[entity.kind] + self._names[entity.number]
        return _PREFIXES.get(entity.kind, "") + entity.name

    def _core(self, cpu: int) -> str:
        """Return the name of a core, whether or not it has events."""
        return self._cores[cpu]

    def _scheduler_name(self, cpu: int) -> str:
        return self._schedulers[cpu]

    def _source(self, row: Row) -> str | None:
        """Return the fields source and instance; None when unknown."""
        return None if row[6] == NO_ENTITY else f"{self._names[row[6]]},{row[7]}"

    # Lines by kind -------------------------------------------------------------------------------

    def _process(self, row: Row) -> None:
        _, entity, instance, action, before, _, source, source_instance, _, value = row
        name = self._names[entity]
        type_ = TYPES[self._kinds[entity]]
        if action in {Action.ACTIVATE, Action.EXCEED}:
            what = "activate" if action == Action.ACTIVATE else "mtalimitexceeded"
            self._line(f"{self._names[source]},{source_instance},{type_},{name},{instance},{what}")
            if action == Action.ACTIVATE:
                self._tell_scheduler(row, "processactivate")
            return
        word = _process_event(Action(action), before, value)
        if word is None:
            return  # FOUND, CREATE, END: the format has no such event
        core = self._names[source] if source != NO_ENTITY else self._core(self._cpu)
        if self._old and action in {Action.START, Action.RESUME, Action.POLL_PARKING}:
            self._migrate(row, core)
        self._line(f"{core},0,{type_},{name},{instance},{word}")
        if action in {Action.PREEMPT, Action.PARK}:
            self._preempted.add(entity)
        elif action in {Action.WAIT, Action.STOP}:
            self._preempted.discard(entity)
        elif action == Action.TERMINATE:
            self._tell_scheduler(row, "processterminate")
        elif action == Action.POLL:
            self._tell_scheduler(row, "processpolling")

    def _tell_scheduler(self, row: Row, word: str) -> None:
        if self._old and self._kinds[row[1]] is Kind.TASK:
            scheduler = self._scheduler_name(self._cpu)
            process = f"{self._names[row[1]]},{row[2]}"
            self._line(f"{process},SCHED,{scheduler},-1,{word}")

    def _migrate(self, row: Row, core: str) -> None:
        """Write a migration if a task resumes, or a new instance starts, on another core."""
        entity, source = row[1], row[6]
        last = self._last_core.get(entity, source)
        if last != source and self._kinds[entity] is Kind.TASK:
            is_phase = entity in self._preempted and entity not in self._asked
            word = "phasemigration" if is_phase else "fullmigration"
            word = "boundedmigration" if row[3] == Action.START else word
            self._line(f"{core},0,T,{self._names[entity]},{row[2]},{word}")
        self._last_core[entity] = source
        self._asked.discard(entity)

    def _runnable(self, row: Row) -> None:
        source = self._source(row)
        word = RUNNABLE_EVENTS.get(Action(row[3]))
        if word is None:
            return
        if source is None:
            self._unsaid(row, "its process is unknown")
            return
        self._line(f"{source},R,{self._names[row[1]]},{row[2]},{word}")

    def _stimulus(self, row: Row) -> None:
        name = f"{self._names[row[1]]},{row[2]}"
        source = self._source(row) or ("SIM,-1" if self._old else name)
        self._line(f"{source},STI,{name},trigger")

    def _scheduler(self, row: Row) -> None:
        name = f"{self._names[row[1]]},{self._no_instance}"
        if row[3] == Action.SCHEDULE:
            self._line(f"{name},SCHED,{name},schedule")
        else:
            self._asked.add(row[6])
            self._line(f"{self._source(row)},SCHED,{name},schedulepoint")

    def _signal(self, row: Row) -> None:
        source = self._source(row)
        word = "read" if row[3] == Action.READ else "write"
        if source is None:
            self._unsaid(row, f"value {row[9]}, its cause is unknown")
            return
        self._line(f"{source},SIG,{self._names[row[1]]},0,{word},{row[9]}")

    def _event(self, row: Row) -> None:
        source = self._source(row)
        name = f"EVENT,{self._names[row[1]]},0"
        action, owner = row[3], (row[1], row[6])
        if source is None:
            self._unsaid(row, "its cause is unknown")
        elif self._old and self._kinds[row[6]] is Kind.STIMULUS:
            self._unsaid(row, f"by {source}, and 2.1 allows processes only")
        elif action == Action.WAIT_EVENT:
            self._owners.add(owner)
            self._line(f"{source},{name},wait_event")
        elif action == Action.SET_EVENT:
            if row[8] == NO_ENTITY:
                self._unsaid(row, "no process has waited for it, so it has no owner yet")
                return
            self._owners.add((row[1], row[8]))
            self._line(f"{source},{name},set_event,{self._names[row[8]]}")
        elif owner in self._owners:
            self._line(f"{source},{name},clear_event")
        else:
            self._unsaid(row, f"by {source}, which is not known to own it")

    def _lock(self, row: Row) -> None:
        _, entity, _, action, before, after, _, _, _, value = row
        sem = f"SEM,{self._names[entity]},0"
        own = f"{self._names[entity]},0,{sem}"
        if action == Action.FOUND:
            if after == State.FREE and before == State.UNKNOWN:
                is_new = self._old and entity not in self._used_locks
                self._line(f"{own},{'ready' if is_new else 'free'}{self._note(entity, 0)}")
            elif before != State.UNKNOWN:
                self._line_of_state(own, entity, before, after, NOT_KNOWN)
            return
        self._used_locks.add(entity)
        source = self._source(row)
        if source is None and action != Action.LEAVE:
            self._unsaid(row, "its cause is unknown")
            self._line_of_state(own, entity, before, after, value)
            return
        if action == Action.ASSIGN:
            self._line(f"{source},{sem},assigned{self._note(entity, value)}")
            return
        if action == Action.REFUSE:
            self._line(f"{source},{sem},requestsemaphore{self._note(entity, value)}")
            return
        self._before_state(f"{source},{sem}", own, row)
        self._line_of_state(own, entity, before, after, value)
        if action in {Action.TAKE, Action.GRANT}:
            self._line(f"{source},{sem},assigned{self._note(entity, value)}")
        elif action in {Action.QUEUE, Action.LINE_UP} and self._is_counted(entity):
            self._line(f"{source},{sem},waiting{self._note(entity, value)}")

    def _before_state(self, by_process: str, own: str, row: Row) -> None:
        """Write the events of a request or release, which precede the state event."""
        entity, action, value = row[1], row[3], row[9]
        note = self._note(entity, value)
        is_counted = self._is_counted(entity)
        if action in {Action.TAKE, Action.QUEUE}:
            self._line(f"{by_process},requestsemaphore{self._note(entity, value, -1)}")
            if is_counted:
                self._line(f"{by_process},increment{note}")
                self._line(f"{own if self._old else by_process},queued{note}")
        elif action == Action.GIVE:
            self._line(f"{by_process},released{self._note(entity, value, 1)}")
            if is_counted:
                self._line(f"{by_process},decrement{note}")

    def _line_of_state(self, own: str, entity: int, before: int, after: int, value: int) -> None:
        word = LOCK_EVENTS.get((State(before), State(after)))
        if word is not None:
            self._line(f"{own},{word}{self._note(entity, value)}")

    def _is_counted(self, entity: int) -> bool:
        return self._kinds[entity] is not Kind.SPINLOCK

    def _note(self, entity: int, value: int, more: int = 0) -> str:
        if value == NOT_KNOWN or not self._is_counted(entity):
            return ""
        return f",{value + more}"

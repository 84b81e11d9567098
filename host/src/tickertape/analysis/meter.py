"""The load of a target between two readings: processes, CPUs, classes, waits and losses.

    meter = Meter(lambda epoch: boots(epoch).names, stream=0)
    for columns in tape.poll():
        meter.feed(columns)
    reading = meter.read()

The times are those of `SystemModel`; docs/model.md defines the owner of CPU time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.one_stream import HARDWARE_STREAM, of_stream
from tickertape.model.compiled_system import system_model
from tickertape.model.cpu_time import CpuTimes
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.transitions import Action, State, scheduled
from tickertape.protocol.lookup import class_name
from tickertape.protocol.wire import CLASS_MASK, CLASS_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.entities import Entity
    from tickertape.model.transitions import Transitions

_CLASS_COUNT: Final = CLASS_MASK + 1
_OBJECTS: Final = {Kind.MUTEX, Kind.SEMAPHORE, Kind.EVENT, Kind.CHANNEL, Kind.SPINLOCK}


@dataclass(frozen=True, slots=True)
class CpuLoad:
    """Time of one CPU since the last reading, in ticks; `observed` is the sum of the others."""

    cpu: int
    observed: int
    tasks: int
    interrupts: int
    idle: int
    kernel: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ProcessLoad:
    """One task or interrupt since the last reading.

    Attributes:
        kind: TASK or INTERRUPT.
        number: thread or exception number.
        name: its name.
        ticks: CPU time.
        all_ticks: CPU time since the boot, or since its first record.
        state: its state at the end; UNKNOWN after a loss.
        waits_for: name of the object that it waits for; empty if it does not wait or if unknown.
    """

    kind: Kind
    number: int
    name: str
    ticks: int
    all_ticks: int
    state: State
    waits_for: str


@dataclass(frozen=True, slots=True)
class Reading:
    """Load of the newest boot since the last reading.

    Attributes:
        epoch: boot of the target; None before the first event.
        ticks: time from the first record to the last, in ticks.
        events: number of events.
        cpus: load of each CPU.
        processes: tasks and interrupts, the one with the most CPU time first.
        classes: number of events by class name, the most first.
        waits: number of waits of tasks by name of the object, the most first.
        lost: number of records known to be lost.
        lost_unknown: number of gaps with an unknown number of lost records.
    """

    epoch: int | None
    ticks: int
    events: int
    cpus: tuple[CpuLoad, ...]
    processes: tuple[ProcessLoad, ...]
    classes: dict[str, int]
    waits: dict[str, int]
    lost: int
    lost_unknown: int

    @property
    def observed(self) -> int:
        """Ticks of one CPU, unknown ones included; the base of shares."""
        return max((cpu.observed for cpu in self.cpus), default=0)


class Meter:
    """Takes events in order of time, boot after boot; `read` reports the load since the last call.

    Memory depends on the number of entities, not of events.
    """

    def __init__(self, names_of: Callable[[int], Names], *, stream: int | None = None) -> None:
        """Begin without events.

        Args:
            names_of: returns the names of a boot; called once per boot, and the meter changes the
                result.
            stream: number of the stream; None for the stream of the first software event.
        """
        self._names_of, self._stream = names_of, stream
        self._names = Names({})
        self._system = system_model(lambda _epoch: self._names)
        self._begin(None)

    def _begin(self, epoch: int | None) -> None:
        self._epoch = epoch
        self._times = CpuTimes(self._system.entities)
        self._span: tuple[int, int] | None = None
        self._ran: dict[int, int] = {}
        self._spent: dict[int, I64] = {}
        self._states = np.zeros(0, np.uint8)
        self._objects = np.zeros(0, np.int64)
        self._clear()

    def _clear(self) -> None:
        self._classes = np.zeros(_CLASS_COUNT, np.int64)
        self._waits: Counter[int] = Counter()
        self._lost = self._lost_unknown = 0

    def feed(self, columns: EventColumns) -> None:
        """Take the next events."""
        if self._stream is None:
            software = columns.stream[columns.stream != HARDWARE_STREAM]
            if not len(software):
                return
            self._stream = int(software[0])
        mine = of_stream(columns, self._stream)
        if columns.epoch != self._epoch:
            if not len(mine) and not mine.gaps:
                return
            self._names = self._names_of(columns.epoch)
            self._begin(columns.epoch)
        found = scheduled(self._system.feed(mine))
        self._times.feed(mine, found)
        self._follow(found)
        self._lost += sum(gap.lost for gap in mine.gaps)
        self._lost_unknown += sum(gap.unknown for gap in mine.gaps)
        if len(mine):
            self._classes += np.bincount(mine.code >> CLASS_SHIFT, minlength=_CLASS_COUNT)
            first, last = self._span or (int(mine.time[0]), 0)
            self._span = first, max(last, int(mine.time[-1]))

    def _follow(self, found: Transitions) -> None:
        """Store the state of each process, and the object that it waits for."""
        more = len(self._system.entities) - len(self._states)
        self._states = np.pad(self._states, (0, more), constant_values=State.UNKNOWN)
        self._objects = np.pad(self._objects, (0, more), constant_values=-1)
        # Of several transitions of an entity the last one is kept.
        self._states[found.entity] = found.after
        waits = found.after == State.WAITING
        self._objects[found.entity] = np.where(waits, found.object, -1)
        began = waits & (found.action == Action.WAIT) & (found.object >= 0)
        self._waits.update(found.object[began].tolist())

    def read(self) -> Reading:
        """Return the load since the last call."""
        spent = {
            cpu: np.array(astuple(time), np.int64) for cpu, time in self._times.by_cpu().items()
        }
        cpus = tuple(
            CpuLoad(cpu, *(time - self._spent.get(cpu, 0)).tolist()) for cpu, time in spent.items()
        )
        ran = self._times.by_entity()
        entities = [self._system.entities[one] for one in ran]
        processes = [self._process(one, ran[one.index]) for one in entities]
        processes.sort(key=lambda one: (-one.ticks, -one.all_ticks, one.kind, one.number))
        first, last = self._span or (0, 0)
        counts = sorted(enumerate(self._classes.tolist()), key=lambda one: -one[1])
        found = Reading(
            self._epoch,
            last - first,
            sum(count for _, count in counts),
            cpus,
            tuple(processes),
            {class_name(cls): count for cls, count in counts if count},
            {self._object(one): count for one, count in self._waits.most_common()},
            self._lost,
            self._lost_unknown,
        )
        self._ran, self._spent = ran, spent
        self._span = None if self._span is None else (last, last)
        self._clear()
        return found

    def _process(self, one: Entity, ticks: int) -> ProcessLoad:
        state = State(int(self._states[one.index]))
        waits_for = self._object(int(self._objects[one.index]))
        is_task = one.kind is Kind.TASK
        names = self._names
        said = names.thread(one.number) if is_task else names.interrupt(one.number)
        before = self._ran.get(one.index, 0)
        return ProcessLoad(
            one.kind, one.number, said or one.name, ticks - before, ticks, state, waits_for
        )

    def _object(self, entity: int) -> str:
        if entity < 0 or self._system.entities[entity].kind not in _OBJECTS:
            return ""
        return self._system.entities[entity].name

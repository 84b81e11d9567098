"""Sums over the events of a tape: threads, interrupts, and the time of each CPU.

    model = KernelModel(reader.names, stream=reader.default_stream())
    for columns in iter_events(reader):
        model.feed(columns)
    tasks = model.finish().tasks

`SystemModel` supplies the times; docs/model.md defines the owner of CPU time. Memory depends on the
number of entities, not of events.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.one_stream import of_stream
from tickertape.model.codes import IDLE_TID
from tickertape.model.compiled_cpu_time import cpu_times
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.transitions import scheduled
from tickertape.protocol.event_type import CODE_COUNT
from tickertape.protocol.wire import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.decode.bodies import Name
    from tickertape.decode.events import EventColumns
    from tickertape.model.cpu_time import CpuTime

    NamesOfEpoch = Callable[[int], Mapping[tuple[int, int], Name]]


@dataclass(frozen=True, slots=True)
class Task:
    """One thread of one boot.

    Attributes:
        epoch: boot of the target within the tape.
        tid: thread number.
        name: thread name; `thread <tid>` if unknown. A thread that is created again under the same
            name is the same task.
        run_ticks: known running time on all CPUs, without interrupts.
    """

    epoch: int
    tid: int
    name: str
    run_ticks: int


@dataclass(frozen=True, slots=True)
class Interrupt:
    """One interrupt of one boot.

    Attributes:
        epoch: boot of the target within the tape.
        number: exception number.
        name: name of the interrupt; `irq<N>` without a name.
        run_ticks: running time on all CPUs.
    """

    epoch: int
    number: int
    name: str
    run_ticks: int


@dataclass(frozen=True, slots=True)
class Span:
    """The events of one boot.

    Attributes:
        epoch: boot of the target within the tape.
        events: number of events of all streams.
        first_ticks: time of the first event.
        last_ticks: time of the last event.
    """

    epoch: int
    events: int
    first_ticks: int
    last_ticks: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """Result of `KernelModel`.

    Attributes:
        events: number of events of all streams.
        by_code: event counts by class << 10 | event.
        spans: one per boot with events, in order.
        tasks: all threads and the idle thread, by descending running time.
        interrupts: all interrupts, by descending running time.
        cpus: CPU time by (epoch, cpu).
    """

    events: int
    by_code: Mapping[int, int]
    spans: tuple[Span, ...]
    tasks: tuple[Task, ...]
    interrupts: tuple[Interrupt, ...]
    cpus: Mapping[tuple[int, int], CpuTime]

    @property
    def duration_ticks(self) -> int:
        """Time from the first event to the last, summed over boots."""
        return sum(span.last_ticks - span.first_ticks for span in self.spans)

    @property
    def known_ticks(self) -> int:
        """Time of all CPUs with a known owner."""
        return sum(cpu.observed_ticks - cpu.unknown_ticks for cpu in self.cpus.values())

    @property
    def kernel_ticks(self) -> int:
        """Time of all CPUs in the kernel."""
        return sum(cpu.kernel_ticks for cpu in self.cpus.values())

    @property
    def unknown_ticks(self) -> int:
        """Time of all CPUs with an unknown owner."""
        return sum(cpu.unknown_ticks for cpu in self.cpus.values())


class KernelModel:
    """Sums events in order of time, boot after boot; `finish` returns the result."""

    def __init__(self, names: NamesOfEpoch, *, stream: int = 0) -> None:
        """Start without events.

        Args:
            names: returns the names of objects of a boot, as `TapeReader.names`.
            stream: the stream that times are computed from; several streams may contain the same
                events.
        """
        self._said = names
        self._stream = stream
        self._names = Names({})
        self._system = system_model(lambda _epoch: self._names)
        self._times = cpu_times(self._system.entities)
        self._epoch: int | None = None
        self._span: Span | None = None
        self._found = Kernel(0, {}, (), (), (), {})
        self._by_code = np.zeros(CODE_COUNT, np.int64)

    def feed(self, columns: EventColumns) -> None:
        """Add the next events."""
        if columns.epoch != self._epoch:
            self._end_boot()
            self._epoch, self._span = columns.epoch, None
            self._names = Names(self._said(columns.epoch))
            self._times = cpu_times(self._system.entities)
        if len(columns):
            self._by_code += np.bincount(columns.code, minlength=CODE_COUNT)
            first, last = int(columns.time[0]), int(columns.time[-1])
            before = self._span or Span(columns.epoch, 0, first, last)
            self._span = replace(
                before,
                events=before.events + len(columns),
                last_ticks=max(before.last_ticks, last),
            )
        mine = of_stream(columns, self._stream)
        self._times.feed(mine, scheduled(self._system.feed(mine)))

    def finish(self) -> Kernel:
        """Return the sums, with open intervals up to the last event of each CPU. Call once."""
        self._end_boot()
        codes = np.flatnonzero(self._by_code)
        return replace(
            self._found,
            events=int(self._by_code.sum()),
            by_code={int(code): int(self._by_code[code]) for code in codes},
            tasks=tuple(sorted(self._found.tasks, key=lambda task: -task.run_ticks)),
            interrupts=tuple(sorted(self._found.interrupts, key=lambda one: -one.run_ticks)),
        )

    def _end_boot(self) -> None:
        """Add the sums of the boot to the result; the next boot may use the same thread numbers."""
        if self._epoch is None:
            return
        before, epoch, entities = self._found, self._epoch, self._system.entities
        self._times.close()
        cpus = {(epoch, cpu): time for cpu, time in self._times.by_cpu().items()}
        tasks, interrupts = [], []
        for entity, ticks in self._times.by_entity().items():
            one = entities[entity]
            if one.kind is Kind.TASK:
                tasks.append(Task(epoch, one.number, one.name, ticks))
            else:
                interrupts.append(Interrupt(epoch, one.number, one.name, ticks))
        known = {task.tid for task in tasks}
        idle = sum(cpu.idle_ticks for cpu in cpus.values())
        if idle:
            tasks.append(Task(epoch, IDLE_TID, self._names.thread(IDLE_TID) or "", idle))
            known.add(IDLE_TID)
        for kind, tid in self._said(epoch):
            if kind == ObjectKind.THREAD and tid not in known:
                tasks.append(Task(epoch, tid, self._names.thread(tid) or "", 0))
        self._found = replace(
            before,
            spans=before.spans if self._span is None else (*before.spans, self._span),
            tasks=(*before.tasks, *tasks),
            interrupts=(*before.interrupts, *interrupts),
            cpus={**before.cpus, **cpus},
        )

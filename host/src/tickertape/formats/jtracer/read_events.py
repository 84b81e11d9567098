"""Converts JTracer records to kernel events; `jtracer/read.py` has the table.

A file reports the task that leaves a CPU and the task that follows in two records. Records of equal
time are one context switch; without a following task at that time, the CPU becomes idle.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.formats.jtracer.survey import IDLE, JTRACER_CLASS, MOST_CPUS, MOST_NAMES, cpu_of
from tickertape.formats.jtracer.types import JtracerType
from tickertape.formats.shark.events import NUMBER
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent
from tickertape.protocol.wire import EVENT_MASK

if TYPE_CHECKING:
    from tickertape.formats.jtracer.file import JtracerRecord
    from tickertape.formats.jtracer.survey import Survey
    from tickertape.formats.report import Report

_PERIOD: Final = 1 << 32
_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_COUNTED: Final = {
    JtracerType.ARRIVAL: event_code(EventClass.SCHED, SchedEvent.ACTIVATION),
    JtracerType.END: event_code(EventClass.SCHED, SchedEvent.COMPLETION),
    JtracerType.MISS: event_code(EventClass.SCHED, SchedEvent.DEADLINE_MISS),
}
_SEMAPHORES: Final = {
    JtracerType.WAIT: event_code(EventClass.TRC, NUMBER["TRC_SEM_WAIT"]),
    JtracerType.SIGNAL: event_code(EventClass.TRC, NUMBER["TRC_SEM_SIGNAL"]),
}

Row = tuple[int, int, int, int]
"""Time in ticks, class << 10 | event, two words."""


class Converter:
    """Converts records to events.

    Attributes:
        rows: events of each CPU. The consumer clears the lists.
    """

    def __init__(self, survey: Survey, report: Report) -> None:
        """Start with every CPU idle, at time 0."""
        self.rows: list[list[Row]] = [[] for _ in range(survey.cpu_count)]
        self._survey = survey
        self._report = report
        self._time = 0
        self._low: int | None = None
        self._running = [IDLE] * survey.cpu_count
        self._leaving: set[int] = (
            set()
        )  # CPUs whose task has left at `_time`, without a successor yet
        self._arrivals: Counter[int] = Counter()

    def take(self, offset: int, record: JtracerRecord) -> None:
        """Convert the next record."""
        self._advance(offset, record.time_us)
        cpu, task = cpu_of(record), self._survey.number(record.task)
        if cpu >= len(self.rows):
            self._leave_out(f"records of CPUs above {MOST_CPUS - 1}")
            return
        match record.type:
            case JtracerType.NAME:
                pass
            case JtracerType.SCHEDULE:
                self._switch(cpu, task)
            case JtracerType.DESCHEDULE:
                self._leave(cpu, task)
            case JtracerType.IDLE if self._survey.cpu_count > 1:
                self._leave_out("records of type idle, which contain no CPU")
            case JtracerType.IDLE:
                self._leaving.add(0)
            case _:
                self._say(cpu, task, record)

    def _say(self, cpu: int, task: int, record: JtracerRecord) -> None:
        """Convert a record that is not a switch; the end of a job may also release the CPU."""
        match record.type:
            case JtracerType.WAIT | JtracerType.SIGNAL as kind:
                self._put(cpu, _SEMAPHORES[JtracerType(kind)], task, record.extras[0])
            case JtracerType.ARRIVAL | JtracerType.END | JtracerType.MISS as kind:
                self._put(cpu, _COUNTED[JtracerType(kind)], task, self._instance(kind, task))
                if kind == JtracerType.END and self._survey.end_leaves:
                    self._leave(cpu, task)
            case kind if kind > EVENT_MASK:
                self._leave_out(f"records of a type above {EVENT_MASK}")
            case kind:
                word = record.extras[-1] if record.extras else 0
                self._put(cpu, event_code(JTRACER_CLASS, kind), task, word)

    def finish(self) -> None:
        """Switch to idle on each CPU whose task left without a successor at this time."""
        for cpu in sorted(self._leaving):
            self._switch(cpu, IDLE)
        self._leaving.clear()

    def _advance(self, offset: int, low: int) -> None:
        """Advance to the time of a record; a difference of 2^31 or more is a step back."""
        step = low - (self._low if self._low is not None else 0)
        if self._low is not None:
            step = (step + _PERIOD // 2) % _PERIOD - _PERIOD // 2
        self._low = low
        if step < 0:
            self._report.first("turns", offset)
        if step:
            self.finish()
        self._time = max(self._time + step, 0)

    def _instance(self, kind: int, task: int) -> int:
        """Return the number of arrivals of a task so far, this one included."""
        if kind == JtracerType.ARRIVAL and (
            task in self._arrivals or len(self._arrivals) < MOST_NAMES
        ):
            self._arrivals[task] += 1
        return self._arrivals.get(task, 0)

    def _leave(self, cpu: int, task: int) -> None:
        if self._running[cpu] == task:
            self._leaving.add(cpu)

    def _switch(self, cpu: int, task: int) -> None:
        self._leaving.discard(cpu)
        self._put(cpu, _SWITCH, self._running[cpu], task)
        self._running[cpu] = task

    def _put(self, cpu: int, code: int, data0: int, data1: int) -> None:
        self.rows[cpu].append((self._time, code, data0, data1))

    def _leave_out(self, why: str) -> None:
        self._report.left_out[why] += 1

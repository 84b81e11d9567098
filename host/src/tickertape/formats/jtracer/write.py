"""Writes a tape for JTracer, version 1.2; `formats/jtracer/file.py` reads such files.

`types` describes the file. Times are in microseconds since the first event. The name of a task
precedes its first other record.

    TRC_CREATE, TRC_ACTIVATE, TRC_INTACTIVATION   arrival
    TRC_SCHEDULE                                  schedule, after deschedule of the task before
    TRC_ENDCYCLE, SLEEP, DESTROY                  end, which also releases the CPU; not for a delay
    TRC_SEM_WAIT, TRC_SEM_SIGNAL                  wait, signal, with the name of the semaphore
    SCHED DEADLINE_MISS                           deadline missed

A task that missed its deadline continues with its next job when the late one ends: an end and a
schedule at the same time. The idle task is never scheduled: an idle CPU has no task.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from tickertape.files import replacing
from tickertape.formats.jtracer.types import FIELDS, HEAD, JTRACER_HEAD, SIZE, JtracerType
from tickertape.formats.report import Report
from tickertape.formats.shark.events import NUMBER, SharkView
from tickertape.model.names import Names
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent
from tickertape.protocol.wire import CLASS_SHIFT
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.formats.source import Source

_US_PER_S: Final = 1_000_000
_PERIOD: Final = 1 << 32


_ARRIVALS: Final = {NUMBER[name] for name in ("TRC_CREATE", "TRC_ACTIVATE", "TRC_INTACTIVATION")}
_ENDS: Final = {NUMBER[f"TRC_{name}"] for name in ("ENDCYCLE", "SLEEP", "DESTROY")}
_SCHEDULE: Final = NUMBER["TRC_SCHEDULE"]
_RESOURCES: Final = {
    NUMBER["TRC_SEM_WAIT"]: JtracerType.WAIT,
    NUMBER["TRC_SEM_SIGNAL"]: JtracerType.SIGNAL,
}
_MISS: Final = 1 << 16  # outside the numbers of the S.Ha.R.K. tracer, which has no such event
_MISS_CODE: Final = event_code(EventClass.SCHED, SchedEvent.DEADLINE_MISS)
_WRITTEN: Final = _ARRIVALS | _ENDS | {_SCHEDULE, _MISS, *_RESOURCES}
_UNKNOWN_TASK: Final = 0xFFFF


def export_jtracer(source: Source, output: Path) -> Report:
    """Write the jobs and schedules of a tape's tasks.

    Returns:
        Counts of `records` in the file and `gaps` on the tape.
    """
    reader, done, gaps = source.reader, 0, 0
    with replacing(output) as first, first.open("wb") as file:
        file.write(JTRACER_HEAD)
        writer = _Writer(file, Names(reader.names()))
        views: dict[int, SharkView] = {}
        for columns in iter_events(reader):
            hz = reader.clock(columns.epoch).hz
            for ticks, cpu, number, task, resource in _rows(
                columns, views.setdefault(columns.epoch, SharkView())
            ):
                writer.event(ticks * _US_PER_S // hz, cpu, number, task, resource)
            done += len(columns)
            gaps += len(columns.losses)
            source.on_progress(done)
    return Report(Counter(records=writer.count, gaps=gaps))


def _rows(columns: EventColumns, view: SharkView) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield ticks, CPU, number, task and resource of all S.Ha.R.K. events and deadline misses."""
    found, missed = view.records(columns), np.flatnonzero(columns.code == _MISS_CODE)
    rows = np.concatenate([found.rows, missed])
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    number = np.append(found.number.astype(np.int64), np.full(len(missed), _MISS))[order]
    task = np.append(found.word & _UNKNOWN_TASK, columns.data0[missed])[order]
    # In events of `trc_logevent()` the task comes first; in the kernel's events the semaphore.
    is_logged = columns.code[rows] >> CLASS_SHIFT == EventClass.TRC
    resource = np.where(is_logged, columns.data1[rows], columns.data0[rows])
    parts = (columns.time[rows], columns.cpu[rows], number, task, resource)
    return zip(*(one.tolist() for one in parts), strict=True)


class _Writer:
    def __init__(self, file: BinaryIO, names: Names) -> None:
        self.count = 0
        self._file = file
        self._names = names
        self._named: set[int] = set()
        self._running: dict[int, int] = {}
        self._missed: Counter[int] = Counter()
        self._begin_us: int | None = None

    def event(self, time_us: int, cpu: int, number: int, task: int, resource: int) -> None:
        if number not in _WRITTEN or (number in _RESOURCES and task == _UNKNOWN_TASK):
            return
        if self._begin_us is None:
            self._begin_us = time_us
        at = (time_us - self._begin_us) % _PERIOD
        if number == _SCHEDULE:
            self._schedule(at, cpu, task)
            return
        self._introduce(at, task)
        if number in _ARRIVALS:
            self._write(JtracerType.ARRIVAL, at, task)
        elif number in _ENDS:
            self._end(at, cpu, task)
        elif number == _MISS:
            self._missed[task] += 1
            self._write(JtracerType.MISS, at, task)
        else:
            name = self._names.object(resource) or ""
            self._write(_RESOURCES[number], at, task, name, resource=resource)

    def _introduce(self, at: int, task: int) -> None:
        if task not in self._named:
            self._named.add(task)
            self._write(JtracerType.NAME, at, task, self._names.thread(task) or f"task {task}")

    def _end(self, at: int, cpu: int, task: int) -> None:
        self._write(JtracerType.END, at, task, cpu=cpu)
        if self._running.get(cpu) != task:
            return
        if self._missed[task]:
            self._missed[task] -= 1
            self._write(JtracerType.SCHEDULE, at, task, cpu=cpu)
        else:
            del self._running[cpu]

    def _schedule(self, at: int, cpu: int, task: int) -> None:
        before = self._running.get(cpu)
        if before == task:
            return
        if before is not None:
            self._write(JtracerType.DESCHEDULE, at, before, cpu=cpu)
            del self._running[cpu]
        if task:
            self._introduce(at, task)
            self._running[cpu] = task
            self._write(JtracerType.SCHEDULE, at, task, cpu=cpu)

    def _write(self, kind: int, at: int, task: int, name: str = "", **fields: int) -> None:
        tail = name.encode()
        head = HEAD.build({"type": kind, "time_us": at, "task": task})
        body = head + FIELDS[kind].build({"name_bytes": len(tail), **fields}) + tail
        self._file.write(SIZE.build({"bytes": len(body)}) + body)
        self.count += 1

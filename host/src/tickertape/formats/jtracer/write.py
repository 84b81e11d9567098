"""Writes a tape for JTracer, version 1.2; `formats/jtracer/file.py` reads such files.

A file is `version 1.2` with an end mark, then records of big-endian 32-bit numbers: how many bytes
follow, type, time, task, and what belongs to the type. Source: the writers of TrcUtils.
Time is in microseconds since the first event. A task is named before it is used for the first time.

    TRC_CREATE, TRC_ACTIVATE, TRC_INTACTIVATION   arrival
    TRC_SCHEDULE                                  schedule, after deschedule of who ran there
    TRC_ENDCYCLE, SLEEP, DESTROY                  end; a delay ends no job
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, BinaryIO, Final

from tickertape.formats.jtracer.types import JTRACER_HEAD, JtracerType
from tickertape.formats.report import Report
from tickertape.formats.shark.events import NUMBER, SharkView
from tickertape.model.names import Names
from tickertape.tape.output import replacing
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.source import Source

_WORD_BYTES: Final = 4
_US_PER_S: Final = 1_000_000
_PERIOD: Final = 1 << 32


_ARRIVALS: Final = {NUMBER[name] for name in ("TRC_CREATE", "TRC_ACTIVATE", "TRC_INTACTIVATION")}
_ENDS: Final = {NUMBER[f"TRC_{name}"] for name in ("ENDCYCLE", "SLEEP", "DESTROY")}
_SCHEDULE: Final = NUMBER["TRC_SCHEDULE"]


def export_jtracer(source: Source, output: Path) -> Report:
    """Write the life of a tape's tasks.

    Returns:
        Counts of `records`, and of `gaps`: places where records of the tape are missing.
    """
    reader, done, gaps = source.reader, 0, 0
    with replacing(output) as first, first.open("wb") as file:
        file.write(JTRACER_HEAD)
        writer = _Writer(file, Names(reader.names()))
        views: dict[int, SharkView] = {}
        for columns in iter_events(reader):
            found = views.setdefault(columns.epoch, SharkView()).records(columns)
            time = columns.time[found.rows].tolist()
            cpus = columns.cpu[found.rows].tolist()
            hz = reader.clock(columns.epoch).hz
            rows = zip(time, cpus, found.number.tolist(), found.word.tolist(), strict=True)
            for ticks, cpu, number, word in rows:
                writer.event(ticks * _US_PER_S // hz, cpu, number, word & 0xFFFF)
            done += len(columns)
            gaps += len(columns.gaps)
            source.on_progress(done)
    return Report(Counter(records=writer.count, gaps=gaps))


class _Writer:
    def __init__(self, file: BinaryIO, names: Names) -> None:
        self.count = 0
        self._file = file
        self._names = names
        self._named: set[int] = set()
        self._running: dict[int, int] = {}
        self._begin_us: int | None = None

    def event(self, time_us: int, cpu: int, number: int, task: int) -> None:
        if number not in _ARRIVALS | _ENDS | {_SCHEDULE}:
            return
        if self._begin_us is None:
            self._begin_us = time_us
        at = (time_us - self._begin_us) % _PERIOD
        if task not in self._named:
            self._named.add(task)
            name = (self._names.thread(task) or f"task {task}").encode()
            self._write(JtracerType.NAME, at, task, len(name), tail=name)
        if number in _ARRIVALS:
            self._write(JtracerType.ARRIVAL, at, task)
        elif number in _ENDS:
            self._write(JtracerType.END, at, task, cpu)
        else:
            before = self._running.get(cpu)
            if before is not None:
                self._write(JtracerType.DESCHEDULE, at, before, cpu)
            self._running[cpu] = task
            self._write(JtracerType.SCHEDULE, at, task, cpu)

    def _write(self, kind: int, at: int, task: int, *extras: int, tail: bytes = b"") -> None:
        words = (kind, at, task, *extras)
        size = len(words) * _WORD_BYTES + len(tail)
        self._file.write(struct.pack(f">{len(words) + 1}I", size, *words) + tail)
        self.count += 1

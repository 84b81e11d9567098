"""Converts a JTracer file to a tape.

    report = import_jtracer(Path("T.jtracer"), Path("T.tape"))

    arrival, end, deadline missed    SCHED ACTIVATION, COMPLETION, DEADLINE_MISS
    schedule, deschedule, idle       SCHED CONTEXT_SWITCH; to idle without an immediate successor
    wait, signal on a resource       TRC SEM_WAIT, SEM_SIGNAL
    all others                       class APP29, number: type; words: task, last further word
    names                            NAME

The file is read twice, first for its tasks and resources. Memory depends on their number; at most
65 536 of each are stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.files import Keep, replacing
from tickertape.formats.hello import build_hello
from tickertape.formats.jtracer.file import JtracerFile
from tickertape.formats.jtracer.read_events import Converter
from tickertape.formats.jtracer.survey import surveyed
from tickertape.formats.report import Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.wire import ByteOrder, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.jtracer.read_events import Row
    from tickertape.formats.report import Progress

_TICK_HZ: Final = 1_000_000  # the writers of TrcUtils count microseconds
_PERIOD: Final = 1 << 32
_ROWS_AT_ONCE: Final = 1 << 16
_CPU_SHIFT: Final = 24  # in the header of a record


def import_jtracer(file: Path, tape: Path, *, on_progress: Progress = no_progress) -> Report:
    """Convert a file of any JTracer version to a tape; `on_progress` receives records.

    Returns:
        Counts of `records` in the file, `events` on the tape, and `turns` (steps back of time);
        `unread` and `unread_byte`, number (from 1) and offset of an invalid or truncated record;
        `task_0`, the number of task 0 on the tape, where 0 is the idle task.
    """
    survey = surveyed(file)
    report = Report(left_out=survey.left_out)
    if survey.task_0 is not None:
        report.counts["task_0"] = survey.task_0
    with (
        JtracerFile(file) as source,
        replacing(tape, Keep.OLD) as place,
        TapeWriter(place, meta={"imported_from": file.name}) as writer,
    ):
        writer.hello(build_hello("JTracer", _TICK_HZ, cpu_count=survey.cpu_count))
        for body in survey.name_bodies():
            writer.name(body)
        converter, rings = Converter(survey, report), _Rings(writer)
        for offset, record in source.records():
            converter.take(offset, record)
            report.counts["records"] += 1
            if report.counts["records"] % _ROWS_AT_ONCE == 0:
                rings.write(converter.rows)
                on_progress(report.counts["records"])
        converter.finish()
        rings.write(converter.rows)
        report.counts["events"] = rings.count
        if source.unread is not None:
            number, offset = source.unread
            report.counts.update(unread=number, unread_byte=offset)
            rings.lose()
            writer.note(f"record {number} at byte {offset} and all later ones could not be read")
        for why, times in report.left_out.items():
            writer.note(f"left out: {times} {why}")
    return report


class _Rings:
    """Writes rows to a tape, one ring per CPU."""

    def __init__(self, writer: TapeWriter) -> None:
        self._writer = writer
        self._rings: dict[int, TimedRing] = {}

    @property
    def count(self) -> int:
        """Number of records written."""
        return sum(ring.count for ring in self._rings.values())

    def write(self, rows: list[list[Row]]) -> None:
        """Write the rows of each CPU, and clear the lists."""
        for cpu, found in enumerate(rows):
            if found:
                self._write(cpu, found)
                found.clear()

    def _write(self, cpu: int, rows: list[Row]) -> None:
        time, code, data0, data1 = (
            np.array(column, np.uint64) for column in zip(*rows, strict=True)
        )
        records = np.zeros(len(rows), record_dtype(ByteOrder.LITTLE))
        records["header"] = code | np.uint64(cpu << _CPU_SHIFT)
        records["time"] = time & np.uint64(_PERIOD - 1)
        records["data0"], records["data1"] = data0, data1
        ring = self._rings.setdefault(cpu, TimedRing())
        for body in ring.buffers(records, time):
            self._writer.buffer(0, cpu, body)

    def lose(self) -> None:
        """Mark a loss of unknown size after the written records."""
        for cpu, ring in self._rings.items():
            self._writer.buffer(0, cpu, ring.lost_end())

"""Makes a tape of a file of JTracer.

    report = import_jtracer(Path("T.jtracer"), Path("T.tape"))

    arrival, end, deadline missed    SCHED ACTIVATION, COMPLETION, DEADLINE_MISS
    schedule, deschedule, idle       SCHED CONTEXT_SWITCH; to idle without an immediate successor
    wait, signal on a resource       TRC SEM_WAIT, SEM_SIGNAL
    all others                       class APP29, number: type; words: task, last further word
    names                            NAME

The file is read twice, first for what it speaks of. Memory depends on how many tasks that are, and
no more than 65 536 are remembered.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.formats.hello import build_hello
from tickertape.formats.jtracer.file import JtracerFile
from tickertape.formats.jtracer.read_events import Converter, JtracerReport
from tickertape.formats.jtracer.survey import surveyed
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.wire import ByteOrder, record_dtype
from tickertape.tape.output import replacing
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.formats.jtracer.read_events import Row

_TICK_HZ: Final = 1_000_000  # the writers of TrcUtils count microseconds
_PERIOD: Final = 1 << 32
_ROWS_AT_ONCE: Final = 1 << 16
_CPU_SHIFT: Final = 24  # of a record's header


def import_jtracer(
    source: Path | str, tape: Path | str, *, on_progress: Callable[[int], None] | None = None
) -> JtracerReport:
    """Make a tape of a file.

    Args:
        source: the file, of any version of JTracer.
        tape: the tape to write; one of that name is replaced.
        on_progress: is called now and then with the number of records read.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: it is something else, or it holds not a single record.
        TapeWriteFailed: the tape cannot be written.
    """
    source = Path(source)
    survey = surveyed(source)
    report = JtracerReport(task_0=survey.task_0, left_out=survey.left_out)
    meta = {"imported_from": source.name}
    with (
        JtracerFile(source) as file,
        replacing(Path(tape)) as place,
        TapeWriter(place, meta=meta) as writer,
    ):
        writer.hello(build_hello("JTracer", _TICK_HZ, cpu_count=survey.cpu_count))
        for body in survey.name_bodies():
            writer.name(body)
        converter, rings = Converter(survey, report), _Rings(writer)
        for offset, record in file.records():
            converter.take(offset, record)
            report.records += 1
            if report.records % _ROWS_AT_ONCE == 0:
                rings.write(converter.rows)
                if on_progress is not None:
                    on_progress(report.records)
        converter.finish()
        report.unread = file.unread
        rings.write(converter.rows)
        report.events = rings.count
        _close(writer, rings, report)
    return report


def _close(writer: TapeWriter, rings: _Rings, report: JtracerReport) -> None:
    """Say on the tape what is not on it."""
    if report.unread is not None:
        number, offset = report.unread
        rings.lose()
        writer.note(f"record {number} at byte {offset} and all later ones could not be read")
    for why, times in report.left_out.items():
        writer.note(f"left out: {times} {why}")


class _Rings:
    """Puts rows on a tape, each CPU's in a ring of its own."""

    def __init__(self, writer: TapeWriter) -> None:
        self._writer = writer
        self._rings: dict[int, TimedRing] = {}

    @property
    def count(self) -> int:
        """Records written."""
        return sum(ring.count for ring in self._rings.values())

    def write(self, rows: list[list[Row]]) -> None:
        """Write what there is, and empty the lists."""
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
        """Say that behind what was written an unknown number of records is missing."""
        for cpu, ring in self._rings.items():
            self._writer.buffer(0, cpu, ring.lost_end())

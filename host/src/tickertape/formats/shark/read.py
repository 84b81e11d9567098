"""Converts a file of the S.Ha.R.K. tracer to a tape.

    report = import_shark(Path("fix1"), Path("trace.tape"))

Every record becomes an event of class TRC with the same number and data. Memory does not depend on
the size of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.files import Keep, replacing
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import RecordFile
from tickertape.formats.report import Report, no_progress
from tickertape.formats.shark.events import EVENT_NAMES, HAS_HALVES
from tickertape.formats.shark.file import detect_layout
from tickertape.formats.shark.layout import LAYOUTS, columns_of
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK, ByteOrder, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tickertape.decode.records import U64, Structured
    from tickertape.formats.report import Progress
    from tickertape.formats.shark.layout import SharkColumns

_TICK_HZ: Final = 1_000_000
_PERIOD: Final = 1 << 32


def import_shark(
    file: Path, tape: Path, *, layout: str | None = None, on_progress: Progress = no_progress
) -> Report:
    """Convert a file to a tape.

    Args:
        file: the file.
        tape: the tape to write; an existing tape is replaced.
        layout: one of `LAYOUTS`; None to detect it.
        on_progress: called with the number of records.

    Returns:
        Counts of `records`; `unknown` (records of events that the tracer does not define);
        `unnumbered` (records with an impossible event number, left out); `turns` (records with a
        time before that of the previous record); `rest_bytes` (size of a truncated record at the
        end). The word `layout`.
    """
    name = layout or detect_layout(file)
    dtype, report = LAYOUTS[name], Report(words={"layout": name})
    meta: dict[str, object] = {"imported_from": file.name, "shark_layout": name}
    with (
        RecordFile(file, dtype.itemsize) as source,
        replacing(tape, Keep.OLD) as place,
        TapeWriter(place, meta=meta) as writer,
    ):
        writer.hello(build_hello("S.Ha.R.K.", _TICK_HZ))
        ring, clock = TimedRing(), _Clock()
        for block in source.blocks():
            columns = columns_of(np.frombuffer(block, dtype))
            time = clock.times(columns)
            kept = _watch(columns, report, dtype.itemsize, time)
            for body in ring.buffers(_converted(columns, time)[kept], time[kept]):
                writer.buffer(0, 0, body)
            report.counts["records"] += len(time)
            on_progress(report.counts["records"])
        report.counts["rest_bytes"] = source.rest_bytes
        if source.rest_bytes:
            writer.note(f"the file ended {source.rest_bytes} bytes after its last whole record")
    return report


class _Clock:
    """Extends 32-bit times: a difference is a step forward, or of at most half a period back."""

    def __init__(self) -> None:
        self._last: int | None = None

    def times(self, columns: SharkColumns) -> U64:
        low = columns.time_us
        first = int(low[0]) if self._last is None else self._last
        before = np.concatenate([np.array([first % _PERIOD], np.uint32), low[:-1]])
        steps = (low - before).view(np.int32).astype(np.int64)
        time = first + np.cumsum(steps)
        while (time < 0).any():  # no time is before 0: the low word wrapped
            time[int(np.argmax(time < 0)) :] += _PERIOD
        self._last = int(time[-1])
        out: U64 = time.astype(np.uint64)
        return out


def _watch(
    columns: SharkColumns, report: Report, record_bytes: int, time: U64
) -> NDArray[np.bool_]:
    """Count anomalies in the report; return which records can be kept."""
    kept = columns.number <= EVENT_MASK
    odd = {
        "unknown": np.flatnonzero(kept & (columns.number >= len(EVENT_NAMES))),
        "unnumbered": np.flatnonzero(~kept),
        "turns": np.flatnonzero(time[1:] < time[:-1]) + 1,
    }
    for what, rows in odd.items():
        if len(rows):
            offset = (report.counts["records"] + int(rows[0])) * record_bytes
            report.first(what, offset, len(rows))
    return kept


def _converted(columns: SharkColumns, time: U64) -> Structured:
    out = np.zeros(len(time), record_dtype(ByteOrder.LITTLE))
    halves = HAS_HALVES[columns.number]
    number = columns.number.astype(np.uint32)
    out["header"] = np.uint32(EventClass.TRC << CLASS_SHIFT) | (number & np.uint32(EVENT_MASK))
    out["time"] = time.astype(np.uint32)
    out["data0"] = np.where(halves, columns.word & np.uint32(0xFFFF), columns.word)
    out["data1"] = np.where(halves, columns.word >> np.uint32(16), 0)
    return out

"""Makes a tape of a file of the S.Ha.R.K. tracer.

    report = import_shark(Path("fix1"), Path("trace.tape"))

Every record becomes the event of class TRC with its number, so nothing of it is lost. Memory does
not depend on the file's size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import RecordFile
from tickertape.formats.shark.events import EVENT_NAMES, HAS_HALVES
from tickertape.formats.shark.file import detect_layout
from tickertape.formats.shark.layout import LAYOUTS, columns_of
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK, ByteOrder, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tickertape.decode.records import U64, Structured
    from tickertape.formats.shark.layout import SharkColumns

_TICK_HZ: Final = 1_000_000
_PERIOD: Final = 1 << 32


@dataclass(slots=True)
class SharkReport:
    """What was imported. Offsets are bytes in the file, None where there is nothing to point at.

    Attributes:
        layout: of the records.
        records: records read from the file.
        unknown: of those, how many are of an event that an application added.
        first_unknown: offset of the first.
        left_out: how many have a number that no event can have.
        first_left_out: offset of the first.
        turns: how many have a time before that of the record in front of them.
        first_turn: offset of the first.
        rest_bytes: bytes of a cut record at the file's end, left out.
    """

    layout: str
    records: int = 0
    unknown: int = 0
    first_unknown: int | None = None
    left_out: int = 0
    first_left_out: int | None = None
    turns: int = 0
    first_turn: int | None = None
    rest_bytes: int = 0


def import_shark(
    source: Path | str,
    tape: Path | str,
    *,
    layout: str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> SharkReport:
    """Make a tape of a file.

    Args:
        source: the file.
        tape: the tape to write; one of that name is replaced.
        layout: one of `LAYOUTS`; None to find out.
        on_progress: is called now and then with the number of records read.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: it is something else.
        TapeWriteFailed: the tape cannot be written; what was written is readable.
    """
    report = SharkReport(layout or detect_layout(source))
    dtype = LAYOUTS[report.layout]
    meta: dict[str, object] = {"imported_from": Path(source).name, "shark_layout": report.layout}
    with RecordFile(source, dtype.itemsize) as file, TapeWriter(tape, meta=meta) as writer:
        writer.hello(build_hello("S.Ha.R.K.", _TICK_HZ))
        ring, clock = TimedRing(), _Clock()
        for block in file.blocks():
            columns = columns_of(np.frombuffer(block, dtype))
            time = clock.times(columns)
            kept = _watch(columns, report, dtype.itemsize, time)
            for body in ring.buffers(_converted(columns, time)[kept], time[kept]):
                writer.buffer(0, 0, body)
            report.records += len(time)
            if on_progress is not None:
                on_progress(report.records)
        report.rest_bytes = file.rest_bytes
        if file.rest_bytes:
            writer.note(f"the file ended {file.rest_bytes} bytes after its last whole record")
    return report


class _Clock:
    """64-bit time of records that have 32 bits: forward, or less than half a period back."""

    def __init__(self) -> None:
        self._last: int | None = None

    def times(self, columns: SharkColumns) -> U64:
        low = columns.time_us
        first = int(low[0]) if self._last is None else self._last
        before = np.concatenate([np.array([first % _PERIOD], np.uint32), low[:-1]])
        steps = (low - before).view(np.int32).astype(np.int64)
        time = first + np.cumsum(steps)
        while (time < 0).any():  # nothing was before 0: it went through the end of its period
            time[int(np.argmax(time < 0)) :] += _PERIOD
        self._last = int(time[-1])
        out: U64 = time.astype(np.uint64)
        return out


def _watch(
    columns: SharkColumns, report: SharkReport, record_bytes: int, time: U64
) -> NDArray[np.bool_]:
    """Count what looks wrong, and tell which records can be kept."""

    def offset(row: int) -> int:
        return (report.records + row) * record_bytes

    kept = columns.number <= EVENT_MASK
    strange = np.flatnonzero(kept & (columns.number >= len(EVENT_NAMES)))
    report.unknown += len(strange)
    if len(strange) and report.first_unknown is None:
        report.first_unknown = offset(int(strange[0]))
    wrong = np.flatnonzero(~kept)
    report.left_out += len(wrong)
    if len(wrong) and report.first_left_out is None:
        report.first_left_out = offset(int(wrong[0]))
    turns = np.flatnonzero(time[1:] < time[:-1]) + 1
    report.turns += len(turns)
    if len(turns) and report.first_turn is None:
        report.first_turn = offset(int(turns[0]))
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

"""Makes a tape of a file of FTrace, the S.Ha.R.K. kernel's second tracer.

    report = import_ftrace(Path("trace.bin"), Path("trace.tape"))

The file contains only records (`formats/ftrace/events.py`). Each record keeps all its words, and
empty records stay: a listing of the tape equals a listing of the file. Memory does not depend on
the size of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile
from tickertape.formats.ftrace.events import (
    CYCLES_PER_MSEC,
    EVENT_NAMES,
    FTRACE_CLASS,
    FTRACE_META,
    PAR1_SHIFT,
    TRACE_START,
)
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import RecordFile
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.wire import CLASS_SHIFT, ByteOrder, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.decode.records import U64, Structured

_RECORD: Final = np.dtype(
    [("type", "<u2"), ("par1", "<u2"), ("high", "<u4"), ("low", "<u4"), ("par2", "<u4")]
)
RECORD_BYTES: Final = _RECORD.itemsize
_KNOWN: Final = np.isin(np.arange(256), list(EVENT_NAMES))
_TELLS_RATE: Final = (CYCLES_PER_MSEC, TRACE_START)
_UNKNOWN_HZ: Final = 1_000_000_000
_MOST_PER_MS: Final = (1 << 32) // 1000  # a tape's clock rate has 32 bits


@dataclass(slots=True)
class FtraceReport:
    """What was imported.

    Attributes:
        records: records read from the file.
        unknown: how many are of an event without a description.
        first_unknown: offset in the file of the first of them, in bytes; None without any.
        turns: how many records have a time before that of the record in front of them.
        first_turn: offset in the file of the first of them, in bytes; None without any.
        rest_bytes: bytes of a cut record at the file's end, left out.
        ticks_per_ms: the clock rate that the file tells; None when it tells none.
    """

    records: int = 0
    unknown: int = 0
    first_unknown: int | None = None
    turns: int = 0
    first_turn: int | None = None
    rest_bytes: int = 0
    ticks_per_ms: int | None = None


def import_ftrace(
    source: Path | str, tape: Path | str, *, on_progress: Callable[[int], None] | None = None
) -> FtraceReport:
    """Make a tape of a file.

    Args:
        source: the file.
        tape: the tape to write; one of that name is replaced.
        on_progress: is called now and then with the number of records read.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: it holds not a single record.
        TapeWriteFailed: the tape cannot be written; what was written is readable.
    """
    report = FtraceReport()
    with RecordFile(source, RECORD_BYTES) as file:
        report.ticks_per_ms = _rate(file.path)
        meta = {"imported_from": file.path.name, FTRACE_META: report.ticks_per_ms}
        ring = TimedRing()
        with TapeWriter(tape, meta=meta) as writer:
            tick_hz = report.ticks_per_ms * 1000 if report.ticks_per_ms else _UNKNOWN_HZ
            writer.hello(build_hello("S.Ha.R.K. FTrace", tick_hz))
            for block in file.blocks():
                records = np.frombuffer(block, _RECORD)
                _watch(records, report)
                for body in ring.buffers(_converted(records), _time(records)):
                    writer.buffer(0, 0, body)
                report.records += len(records)
                if on_progress is not None:
                    on_progress(report.records)
            report.rest_bytes, report.turns = file.rest_bytes, ring.turns
            if ring.first_turn is not None:
                report.first_turn = ring.first_turn * RECORD_BYTES
            if file.rest_bytes:
                writer.note(f"the file ended {file.rest_bytes} bytes after its last whole record")
    return report


def _rate(path: Path) -> int | None:
    """Look for the first record that tells the clock rate, in ticks a millisecond.

    Raises:
        ForeignFile: there is no record at all.
    """
    empty = True
    with RecordFile(path, RECORD_BYTES) as file:
        for block in file.blocks():
            empty = False
            records = np.frombuffer(block, _RECORD)
            told = records["par2"][np.isin(records["type"] & 0xFF, _TELLS_RATE)]
            told = told[(told > 0) & (told < _MOST_PER_MS)]
            if len(told):
                return int(told[0])
    if empty:
        raise ForeignFile(
            f"{path} holds no record of {RECORD_BYTES} bytes", "give a file that FTrace wrote"
        )
    return None


def _watch(records: Structured, report: FtraceReport) -> None:
    """Count events without a description."""
    strange = np.flatnonzero(~_KNOWN[records["type"] & 0xFF])
    report.unknown += len(strange)
    if len(strange) and report.first_unknown is None:
        report.first_unknown = (report.records + int(strange[0])) * RECORD_BYTES


def _converted(records: Structured) -> Structured:
    out = np.zeros(len(records), record_dtype(ByteOrder.LITTLE))
    kind = records["type"].astype(np.uint32)
    out["header"] = np.uint32(FTRACE_CLASS << CLASS_SHIFT) | (kind & np.uint32(0xFF))
    out["time"] = records["low"]
    out["data0"] = kind << np.uint32(PAR1_SHIFT) | records["par1"]
    out["data1"] = records["par2"]
    return out


def _time(records: Structured) -> U64:
    high: U64 = records["high"].astype(np.uint64)
    low: U64 = records["low"].astype(np.uint64)
    return (high << np.uint64(32)) | low

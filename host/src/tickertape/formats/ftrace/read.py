"""Converts a file of FTrace, the second tracer of the S.Ha.R.K. kernel, to a tape.

    report = import_ftrace(Path("trace.bin"), Path("trace.tape"))

The file contains only records (`formats/ftrace/events.py`). The import keeps all words of all
records, including empty ones: a listing of the tape equals a listing of the file. Memory does not
depend on the size of the file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile
from tickertape.files import Keep, replacing
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
from tickertape.formats.report import Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.wire import CLASS_SHIFT, ByteOrder, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.records import U64, Structured
    from tickertape.formats.report import Progress

_RECORD: Final = np.dtype(
    [("type", "<u2"), ("par1", "<u2"), ("high", "<u4"), ("low", "<u4"), ("par2", "<u4")]
)
RECORD_BYTES: Final = _RECORD.itemsize
_KNOWN: Final = np.isin(np.arange(256), list(EVENT_NAMES))
_TELLS_RATE: Final = (CYCLES_PER_MSEC, TRACE_START)
_UNKNOWN_HZ: Final = 1_000_000_000
_MOST_PER_MS: Final = (1 << 32) // 1000  # a tape's clock rate has 32 bits
_EMPTY: Final = 0x00
_SAMPLE_RECORDS: Final = 4096
_LEAST_SHARE: Final = 0.5
# A processor of 4 GHz counts so far in 18 years, and in 69 s from one record to the next.
_MOST_HIGH: Final = 1 << 29
_LONGEST_STEP: Final = 1 << 38


def import_ftrace(file: Path, tape: Path, *, on_progress: Progress = no_progress) -> Report:
    """Convert a file to a tape; `on_progress` receives the number of records.

    Returns:
        Counts of `records`; `unknown` (records of undocumented events); `turns` (records with a
        time before that of the previous record); `rest_bytes` (size of a truncated record at the
        end); `ticks_per_ms` (clock rate, 0 when unknown); `rate_unknown` (1 when it is unknown).

    Raises:
        ForeignFile: the file contains no whole record, or does not look like one of FTrace.
        TapeMissing, TapeWriteFailed: see `registry`.
    """
    _require_ftrace(file)
    rate, counts = _rate(file), Counter[str]()
    counts["ticks_per_ms"], counts["rate_unknown"] = rate or 0, rate is None
    report, ring = Report(counts), TimedRing()
    meta = {"imported_from": file.name, FTRACE_META: rate}
    with (
        RecordFile(file, RECORD_BYTES) as source,
        replacing(tape, Keep.OLD) as place,
        TapeWriter(place, meta=meta) as writer,
    ):
        writer.hello(build_hello("S.Ha.R.K. FTrace", rate * 1000 if rate else _UNKNOWN_HZ))
        for block in source.blocks():
            records = np.frombuffer(block, _RECORD)
            strange = np.flatnonzero(~_KNOWN[records["type"] & 0xFF])
            if len(strange):
                offset = (counts["records"] + int(strange[0])) * RECORD_BYTES
                report.first("unknown", offset, len(strange))
            for body in ring.buffers(_converted(records), _time(records)):
                writer.buffer(0, 0, body)
            counts["records"] += len(records)
            on_progress(counts["records"])
        if ring.first_turn is not None:
            report.first("turns", ring.first_turn * RECORD_BYTES, ring.turns)
        counts["rest_bytes"] = source.rest_bytes
        if source.rest_bytes:
            writer.note(f"the file ended {source.rest_bytes} bytes after its last whole record")
    return report


def _require_ftrace(path: Path) -> None:
    """Check a file without a header by its first records.

    At least half of them have a known event, and a time that is possible and follows the previous
    one; and not all are empty. Of text and of other binary files, almost no record passes.

    Raises:
        ForeignFile: the records are not of FTrace, or there is none.
    """
    with RecordFile(path, RECORD_BYTES) as file:
        block = next(file.blocks(), b"")[: _SAMPLE_RECORDS * RECORD_BYTES]
    if not block:
        raise ForeignFile(
            f"{path} holds no record of {RECORD_BYTES} bytes", "give a file that FTrace wrote"
        )
    records = np.frombuffer(block, _RECORD)
    time = _time(records)
    is_forward = np.diff(time, prepend=time[:1]) < _LONGEST_STEP
    is_known = _KNOWN[records["type"] & 0xFF] & (records["high"] < _MOST_HIGH)
    is_used = (records["type"] & 0xFF != _EMPTY).any()
    if not is_used or np.mean(is_known & is_forward) < _LEAST_SHARE:
        raise ForeignFile(
            f"{path} does not look like FTrace of S.Ha.R.K.",
            "give a file that FTrace wrote; traces of Linux' ftrace are not read",
        )


def _rate(path: Path) -> int | None:
    """Find the first record with the clock rate, in ticks per millisecond."""
    with RecordFile(path, RECORD_BYTES) as file:
        for block in file.blocks():
            records = np.frombuffer(block, _RECORD)
            told = records["par2"][np.isin(records["type"] & 0xFF, _TELLS_RATE)]
            told = told[(told > 0) & (told < _MOST_PER_MS)]
            if len(told):
                return int(told[0])
    return None


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

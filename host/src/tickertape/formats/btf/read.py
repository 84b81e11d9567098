"""Makes a tape of a system trace in the Best Trace Format. docs/btf.md has the mapping.

    report = import_btf(Path("T.btf"), Path("T.tape"))

The file is read twice: once for its entities, once for its events. Memory depends on the number of
entities.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile
from tickertape.files import Keep, replacing
from tickertape.formats.btf.lines import BadLine, Blind, BtfEvent, BtfLines
from tickertape.formats.btf.moment import PLACES
from tickertape.formats.btf.read_events import Converter
from tickertape.formats.btf.survey import survey_of
from tickertape.formats.btf.tables import LOSS_BEGINS, LOSS_ENDS, RESET
from tickertape.formats.hello import build_hello
from tickertape.formats.report import Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.protocol.wire import CPU_SHIFT, MAX_CPUS, ByteOrder, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.btf.survey import Survey
    from tickertape.formats.report import Progress

_ROWS: Final = 4096
_LOSS_OF_CPU: Final = re.compile(r"# loss(?: begins)?: .{1,40} records of CPU (\d{1,2}) ")
_RATES: Final = {-9: 10**9, -6: 10**6, -3: 10**3, 0: 1}
_PS_IN_NS: Final = 1000
_TICKS_END: Final = 1 << 63
_NS_RATE: Final = 10**9


def import_btf(file: Path, tape: Path, *, on_progress: Progress = no_progress) -> Report:
    """Convert a file, plain or gzip, to a tape; `on_progress` receives the number of events.

    Returns:
        Counts of `events` in the file and `records` on the tape, with `left_out` and `dialects`.
    """
    lines = BtfLines(file)
    survey = survey_of(lines)
    if not survey.events:
        raise ForeignFile(f"{lines.path} has no event", "name a trace in the Best Trace Format")
    if len(survey.cores) > MAX_CPUS:
        raise ForeignFile(
            f"{lines.path} has {len(survey.cores)} cores, a tape {MAX_CPUS} at most: a record "
            "numbers its CPU with 6 bits",
            "cut the trace by cores",
        )
    _check_time(lines, survey)
    meta = {"imported_from": lines.path.name, "btf": survey.header.values}
    with replacing(tape, Keep.OLD) as place, TapeWriter(place, meta=meta) as writer:
        return _Import(lines, survey, writer).run(on_progress)


def _check_time(lines: BtfLines, survey: Survey) -> None:
    """Refuse times of more than 63 bits in nanoseconds, because readers would wrap them."""
    rate = _RATES.get(survey.header.scale, _NS_RATE * _PS_IN_NS)
    if survey.last_time * _NS_RATE // rate >= _TICKS_END:
        unit = survey.header.values.get("timescale", "ns")
        raise ForeignFile(
            f"{lines.path} has the time {survey.last_time} {unit}, and a tape's times end after "
            "292 years",
            "look whether #timescale is right, or cut the trace",
        )


def _ticks_of(survey: Survey, rate: int) -> int:
    """Return the number of ticks per time unit of the file.

    With several cores a nanosecond is `PLACES` ticks, which order the events within it.
    """
    ticks = _NS_RATE * PLACES // rate
    is_room = (survey.last_time + 1) * ticks < _TICKS_END
    return ticks if len(survey.cores) > 1 and is_room else 1


class _Import:
    """Writes the events of a file to a tape, one ring per CPU."""

    def __init__(self, lines: BtfLines, survey: Survey, writer: TapeWriter) -> None:
        self._lines = lines
        self._survey = survey
        self._writer = writer
        self._converter = Converter(survey)
        self._rings: dict[int, TimedRing] = {}
        self._divisor = _PS_IN_NS if survey.header.scale not in _RATES else 1
        self._rate = _RATES.get(survey.header.scale, 10**9)
        self._ticks = _ticks_of(survey, self._rate)
        self._converter.moment.places = PLACES if self._ticks > 1 else 1
        self._time = 0
        self._report = Report(dialects=survey.dialects)

    def run(self, on_progress: Progress) -> Report:
        report = self._report
        self._begin()
        for item in self._lines.items():
            if isinstance(item, BtfEvent):
                report.counts["events"] += 1
                self._take(item)
                if len(self._converter.rows) >= _ROWS:
                    self._flush()
                    on_progress(report.counts["events"])
            elif isinstance(item, BadLine):
                report.left_out["lines that are not events"] += 1
            elif isinstance(item, Blind):
                self._blind(item)
        self._converter.finish()
        self._converter.forget()
        self._flush()
        self._end_rings()
        report.left_out += self._converter.left_out
        self._tell()
        return report

    def _tell(self) -> None:
        """Report dialects and omissions, and write them to the tape as notes."""
        report = self._report
        if self._divisor != 1:
            report.dialects["times below a nanosecond are rounded down"] += 1
        if self._converter.moment.unordered:
            what = "orders of events at one time on several cores"
            report.left_out[what] += self._converter.moment.unordered
        for what, count in report.left_out.items():
            self._writer.note(f"left out: {what}, {count} times")
        for name, cpu in self._survey.cores.items():
            if name != f"Core_{cpu}":
                self._writer.note(f"CPU {cpu} is core {name}")
        for text in self._converter.notes:
            self._writer.note(text)

    def _take(self, event: BtfEvent) -> None:
        """Convert an event; a time that steps back is replaced by the time of the event before."""
        self._time = max(self._time, event.time)
        time = self._time // self._divisor
        self._converter.take(event if time == event.time else replace(event, time=time))

    def _begin(self) -> None:
        survey = self._survey
        rate = self._rate * self._ticks
        self._writer.hello(build_hello(survey.creator, rate, cpu_count=survey.cpu_count))
        for body in survey.name_bodies():
            self._writer.name(body)

    def _blind(self, item: Blind) -> None:
        """Write a loss or a new boot to the tape, and forget earlier states."""
        self._converter.finish()
        if item.text.startswith(LOSS_ENDS):
            self._converter.blind(begins=-1)
            return  # the tape marks this loss before the next record of its CPU
        self._flush()
        said = _LOSS_OF_CPU.match(item.text)
        if item.text.startswith(RESET):
            self._end_rings()
            self._writer.new_epoch()
            self._rings.clear()
            self._begin()
        elif said and self._survey.is_seen_again(int(said[1]), item.line):
            self._rings.setdefault(int(said[1]), TimedRing()).lose()
            self._converter.forget_cpu(int(said[1]))
            self._converter.blind(begins=item.text.startswith(LOSS_BEGINS))
            return
        else:
            for cpu in range(self._survey.cpu_count):
                self._rings.setdefault(cpu, TimedRing()).lose()
        self._converter.forget(is_loss=not item.text.startswith(RESET))

    def _end_rings(self) -> None:
        """Write the losses after the last record of each CPU."""
        for cpu, ring in self._rings.items():
            if ring.is_lost:
                self._writer.buffer(0, cpu, ring.lost_end())

    def _flush(self) -> None:
        rows, self._converter.rows = self._converter.rows, []
        if not rows:
            return
        ticks = self._ticks
        table = np.array(
            [(time * ticks + place, *rest) for time, place, *rest in rows], dtype=np.uint64
        )
        for cpu in np.unique(table[:, 1]).tolist():
            mine = table[table[:, 1] == cpu]
            records = np.zeros(len(mine), record_dtype(ByteOrder.LITTLE))
            header = mine[:, 2] | np.uint64(cpu << CPU_SHIFT)
            records["header"] = header.astype(np.uint32)
            records["time"] = (mine[:, 0] & np.uint64(0xFFFF_FFFF)).astype(np.uint32)
            records["data0"] = mine[:, 3].astype(np.uint32)
            records["data1"] = mine[:, 4].astype(np.uint32)
            ring = self._rings.setdefault(int(cpu), TimedRing())
            for body in ring.buffers(records, mine[:, 0]):
                self._writer.buffer(0, int(cpu), body)
        self._report.counts["records"] += len(rows)

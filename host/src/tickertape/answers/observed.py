"""The intervals in which events are known, by event class and CPU: the basis of every figure.

| unknown | from | to | classes |
|---|---|---|---|
| LOST | the last record of the CPU before a gap | the next buffer's anchor | all |
| TAIL | the last record of the CPU, if it may have recorded more | the boot's last record | all |
| STOPPED, FULL | TRACER STOP of the stream | TRACER START, or the last record | all |
| STARTED | the record before a TRACER START that follows no STOP | TRACER START | all |
| DESELECTED | a command that deselects or filters, TRACER FILTER | the class's next event | each |
| BEGIN | the boot's first record of any CPU | the first record of this CPU | all |

A CPU whose ordinals begin at 0 recorded nothing before its first record: who had it is unknown, but
no event is missing.

The record of a command does not contain the classes. After a command, every class is therefore
unknown until its next event, or for the rest of the boot if none follows. A class without any event
in a boot is unknown throughout: the tape cannot show whether it was selected.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, ThreadEvent, TracerEvent
from tickertape.protocol.wire import CLASS_SHIFT, Command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64

_FIRST: Final = np.uint16(event_code(EventClass.TRACER, 0))
_CODES: Final = np.uint16(1 << CLASS_SHIFT)
_CLASSES: Final = 32
_NEVER: Final = (1 << 63) - 1
_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_RUNNING: Final = event_code(EventClass.THREAD, ThreadEvent.RUNNING)
_SILENT: Final = (_NEVER, None)
_DESELECTING: Final = frozenset(
    {Command.DEL_ALL, Command.DEL_CLASS, Command.DEL_EVENT, Command.THREAD_FILTER}
)


class Reason(StrEnum):
    """Cause of an unknown interval."""

    LOST = "records are missing"
    TAIL = "later records of this CPU are missing"
    STOPPED = "the stream was stopped"
    FULL = "the stream was full and stopped itself"
    STARTED = "the stream was started, and its stop is not on the tape"
    DESELECTED = "a command deselected or filtered events"
    BEGIN = "this CPU has no record yet"


class Unknown(NamedTuple):
    """An interval whose events may be missing on the tape.

    Attributes:
        begin: time in ticks.
        end: time in ticks; that of the boot's last record if the interval is still open there.
        reason: its cause.
        cpu: CPU number; None for all CPUs of the stream.
        cls: event class; None for all.
        records: number of missing records; None if not counted.
    """

    begin: int
    end: int
    reason: Reason
    cpu: int | None = None
    cls: int | None = None
    records: int | None = None

    @property
    def hides_events(self) -> bool:
        """Whether events may be missing; else only the state of the CPU is unknown."""
        return self.reason is not Reason.BEGIN or self.records != 0


class Observed:
    """Finds the unknown intervals of one boot and stream; complete after the last event.

    Memory depends on the number of intervals, not of events.

    Attributes:
        first: time of the first record, by CPU.
        last: time of the last record, by CPU.
    """

    def __init__(self) -> None:
        """Begin before the first event of a boot."""
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self._ordinals: dict[int, int] = {}  # of the first software event of each CPU
        self._found: list[Unknown] = []
        self._silent: dict[int, tuple[int, int | None]] = {}
        self._tails: dict[int, tuple[int, int | None]] = {}
        self._stopped: tuple[int, Reason] | None = None
        self._deselected: dict[int, int] = {}
        self._seen = np.zeros(_CLASSES, bool)

    def feed(self, columns: EventColumns) -> None:
        """Take the next events."""
        for gap in columns.gaps:
            begin = self.first.get(gap.cpu, gap.end_ticks)
            begin = gap.begin_ticks if gap.begin_ticks is not None else begin
            records = None if gap.unknown else gap.lost
            if gap.tail:
                self._tails[gap.cpu] = begin, records
                continue
            end = max(begin, gap.end_ticks)
            self._found.append(Unknown(begin, end, Reason.LOST, gap.cpu, None, records))
        if not len(columns):
            return
        classes = columns.code >> CLASS_SHIFT
        tracer = np.flatnonzero(columns.code - _FIRST < _CODES).tolist()
        begin = 0
        for row in tracer:
            self._select(columns, classes, begin, row)
            self._take(columns, row)
            begin = row
        self._select(columns, classes, begin, len(columns))
        self._seen |= np.bincount(classes, minlength=_CLASSES)[:_CLASSES] > 0
        for cpu, (begin, end) in columns.rows_of_cpus.items():
            self.first.setdefault(cpu, int(columns.time[begin]))
            self.last[cpu] = max(self.last.get(cpu, 0), int(columns.time[end]))
            if cpu not in self._ordinals:
                self._note_ordinal(columns, cpu)
            if self._silent.get(cpu, _SILENT)[1] is None:
                self._note_silence(columns, cpu)

    def _note_silence(self, columns: EventColumns, cpu: int) -> None:
        """Store when a CPU first shows who has it, and the thread that had it before."""
        until, thread = self._silent.get(cpu, (_NEVER, None))
        rows = np.flatnonzero(columns.cpu == cpu)
        shows = np.isin(columns.code[rows], (_SWITCH, _RUNNING))
        serves = columns.cls[rows] == EventClass.INT
        if until == _NEVER and (shows | serves).any():
            until = int(columns.time[rows[np.argmax(shows | serves)]])
        if shows.any():
            row = rows[np.argmax(shows)]
            word = columns.data0 if columns.code[row] == _SWITCH else columns.data1
            thread = int(word[row])
        self._silent[cpu] = until, thread

    def silent(self, window: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the time of each CPU before its first switch, and the thread that may have had it.

        A CPU whose ordinals begin at 0 did not switch before: at most one thread had it.

        Returns:
            Length in ticks, before the first interrupt, and the number of the thread.
        """
        begin, unknown = self.span[0], self.unknown()
        found = []
        for cpu, (until, thread) in self._silent.items():
            hides = any(
                one.hides_events and one.begin < until and one.cpu in {None, cpu} for one in unknown
            )
            if thread is not None and not self._ordinals.get(cpu, 0) and not hides:
                ends = [min(max(at, window[0]), window[1]) for at in (begin, until)]
                found.append((ends[1] - ends[0], thread))
        return found

    def _note_ordinal(self, columns: EventColumns, cpu: int) -> None:
        """Store the ordinal of a CPU's first event; the trace unit's events have other ordinals."""
        mine = np.flatnonzero((columns.cpu == cpu) & (columns.cls != EventClass.SIGNAL))
        if len(mine):
            self._ordinals[cpu] = int(columns.ordinal[mine[0]])

    def _select(self, columns: EventColumns, classes: np.ndarray, begin: int, end: int) -> None:
        """End the unknown interval of each deselected class at its next event."""
        if not self._deselected:
            return
        part = classes[begin:end]
        for cls in list(self._deselected):
            at = np.flatnonzero(part == cls)
            if len(at):
                since, until = self._deselected.pop(cls), int(columns.time[begin + at[0]])
                self._found.append(Unknown(since, until, Reason.DESELECTED, None, cls))

    def _take(self, columns: EventColumns, row: int) -> None:
        """Apply an event of class TRACER."""
        event = int(columns.code[row]) - int(_FIRST)
        first, second = int(columns.data0[row]), int(columns.data1[row])
        time = int(columns.time[row])
        is_mine = first == int(columns.stream[row])
        if event == TracerEvent.STOP and is_mine:
            self._stopped = time, Reason.FULL if second else Reason.STOPPED
        elif event == TracerEvent.START and is_mine:
            before = self._before(columns, row)
            if self._stopped is not None:
                since, reason = self._stopped
                self._found.append(Unknown(since, time, reason))
            elif before is not None:
                self._found.append(Unknown(before, time, Reason.STARTED))
            self._stopped = None
        elif event == TracerEvent.FILTER or (
            event == TracerEvent.COMMAND and first in _DESELECTING and not second
        ):
            for cls in range(_CLASSES):
                self._deselected.setdefault(cls, time)

    def _before(self, columns: EventColumns, row: int) -> int | None:
        """Return the time of the record before a row; None if the boot has none."""
        if row:
            return int(columns.time[row - 1])
        return max(self.last.values(), default=None)

    @property
    def span(self) -> tuple[int, int]:
        """Time of the first and the last record."""
        return min(self.first.values(), default=0), max(self.last.values(), default=0)

    def unknown(self) -> list[Unknown]:
        """Return all unknown intervals, sorted by begin."""
        begin, end = self.span
        found = list(self._found)
        found += [
            Unknown(begin, first, Reason.BEGIN, cpu, None, self._ordinals.get(cpu, 0))
            for cpu, first in self.first.items()
            if first > begin
        ]
        found += [
            Unknown(since, end, Reason.TAIL, cpu, None, records)
            for cpu, (since, records) in self._tails.items()
            if end > since
        ]
        if self._stopped is not None and end > self._stopped[0]:
            found.append(Unknown(self._stopped[0], end, self._stopped[1]))
        found += [
            Unknown(since, end, Reason.DESELECTED, None, cls)
            for cls, since in self._deselected.items()
            if end > since and self._seen[cls]
        ]
        return sorted(found)

    @property
    def begins_whole(self) -> bool:
        """Whether nothing was recorded before the first record of each CPU."""
        return not any(self._ordinals.values())

    def has(self, cls: int) -> bool:
        """Return whether the boot has any event of a class."""
        return bool(self._seen[cls])

    def unknown_ticks(self, cls: EventClass, cpu: int | None = None) -> int:
        """Return the ticks in which events of a class may be missing on a CPU, or on any."""
        begin, end = self.span
        if not self.has(cls):
            return end - begin
        return length_of(
            (one.begin, one.end)
            for one in self.unknown()
            if one.hides_events
            and one.cls in {None, cls}
            and (cpu is None or one.cpu in {None, cpu})
        )

    def clear(self, begin: I64, end: I64, classes: Iterable[int]) -> NDArray[np.bool_]:
        """Return a mask of the intervals for which all events of some classes are on the tape."""
        begins, ends = self.holes(classes)
        if not len(begins):
            return np.ones(len(begin), bool)
        before = np.searchsorted(begins, end) - 1
        return (before < 0) | (ends[before] <= begin)

    def holes(self, classes: Iterable[int]) -> tuple[I64, I64]:
        """Return the intervals in which events of some classes may be missing, sorted by begin.

        Returns:
            Begins, and for each the latest end of all intervals up to it; `_NEVER` if open.
        """
        wanted = {None, *classes}
        spans = [(one.begin, one.end) for one in self._found if one.cls in wanted]
        spans += [(since, _NEVER) for since, _ in self._tails.values()]
        spans += [] if self._stopped is None else [(self._stopped[0], _NEVER)]
        spans += [(at, _NEVER) for cls, at in self._deselected.items() if cls in wanted]
        spans.sort()
        begins = np.array([one for one, _ in spans], np.int64)
        ends = np.array([one for _, one in spans], np.int64)
        return begins, np.maximum.accumulate(ends)

    def deselected(self, cls: EventClass, begin: I64, end: I64) -> I64:
        """Return the ticks of each interval in which a class was deselected or filtered."""
        spans = [one[:2] for one in self._found if one.cls == cls]
        spans += [(since, _NEVER) for one, since in self._deselected.items() if one == cls]
        if not spans:
            return np.zeros(len(begin), np.int64)
        starts = np.array([one for one, _ in sorted(spans)], np.int64)
        stops = np.maximum.accumulate(np.array([one for _, one in sorted(spans)], np.int64))
        starts = np.maximum(starts, np.append(starts[0], stops[:-1]))  # overlapping ones once

        def before(time: I64) -> I64:
            at = np.searchsorted(starts, time)
            sums = np.append(0, np.cumsum(np.maximum(stops - starts, 0)))
            last = np.maximum(at - 1, 0)
            open_ = np.where(at > 0, np.maximum(stops[last] - np.maximum(time, starts[last]), 0), 0)
            found: I64 = sums[at] - open_
            return found

        return before(end) - before(begin)

    def is_known(self, cls: EventClass, begin: int, end: int, cpu: int | None = None) -> bool:
        """Return whether all events of a class within an interval are on the tape."""
        first, last = self.span
        return (
            self.has(cls)
            and first <= begin
            and end <= last
            and not any(
                one.begin < end and begin < one.end
                for one in self.unknown()
                if one.hides_events
                and one.cls in {None, cls}
                and (cpu is None or one.cpu in {None, cpu})
            )
        )


def length_of(intervals: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of intervals."""
    total, until = 0, -1
    for begin, end in sorted(intervals):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def longest_of(intervals: Iterable[tuple[int, int]]) -> int:
    """Return the length of the longest interval after joining intervals that touch."""
    longest, since, until = 0, 0, -1
    for begin, end in sorted(intervals):
        since = begin if begin > until else since
        until = max(until, end)
        longest = max(longest, until - since)
    return longest

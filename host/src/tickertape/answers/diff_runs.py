"""Find where two runs diverge: the first scheduling decision that differs, and the first event.

Decisions are compared by names of threads, CPU by CPU, up to the first time at which a record of
either run may be missing. Times are not compared: a slower run may make the same decisions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.answers.events import events_of
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.model.codes import CONTEXT_SWITCH, THREAD_NAME, nameless
from tickertape.printing.text import TextExporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.tape.reader import TapeReader

    Choose = Callable[[EventColumns, int], NDArray[np.bool_]]

_SWITCH: Final = np.uint16(CONTEXT_SWITCH)
_SHOWN: Final = 12
_NUMBER_OF_NAME: Final = re.compile(r"(?<==)\d+:")
_ADDRESS: Final = re.compile(r"\b0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Run:
    """One boot of a tape.

    Attributes:
        reader: the tape.
        epoch: number of the boot.
        stream: number of the stream.
        known_until: tick from which events may be missing; None if the tape has all events.
        doubt: reason why events may be missing; empty if the tape has all events.
    """

    reader: TapeReader
    epoch: int
    stream: int
    known_until: int | None = None
    doubt: str = ""

    def events(self) -> Iterator[EventColumns]:
        """Yield the events of the run."""
        return events_of(self.reader, self.epoch, stream=self.stream)

    def knows(self, tick: int) -> bool:
        """Return whether all events up to a tick are on the tape, those at the tick included."""
        return self.known_until is None or tick < self.known_until

    def lines(self, choose: Choose) -> list[str]:
        """Return the lines of chosen events as `print` writes them.

        Args:
            choose: returns a mask of the wanted rows, given a chunk and the number of events
                before it.
        """
        exporter, before = TextExporter(Boots(self.reader, CodeNames(self.reader).of)), 0
        found: list[str] = []
        for columns in self.events():
            chosen = choose(columns, before)
            before += len(columns)
            found += [one for one in exporter.lines(columns, chosen) if not one.startswith("--")]
        return found


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference of two runs A and B.

    Attributes:
        count: number of decisions, or events, that agree before it.
        cpu: CPU number; None when unknown.
        ticks: time of the decision, or event, in A and in B; None: that run has ended.
        lines: the decision, or event, of A and of B as `print` writes it; None at the end of a run.
        since: for a decision: latest lines of each run on this CPU, after the last decision that
            agrees and up to this one.
        cause: for a decision: the first of these lines that differs, in A and in B.
        doubt: reason why the comparison ends there; empty for a difference.
    """

    count: int
    cpu: int | None = None
    ticks: tuple[int | None, int | None] = (None, None)
    lines: tuple[str | None, str | None] = (None, None)
    since: tuple[Sequence[str], Sequence[str]] = ((), ())
    cause: tuple[str | None, str | None] = (None, None)
    doubt: str = ""

    @property
    def differs(self) -> bool:
        """True for a difference; False when nothing more can be compared."""
        return self.ticks != (None, None)


@dataclass(slots=True)
class _Queue:
    """Decisions of one CPU that are not compared yet.

    Attributes:
        following: number of the name of the next thread.
        time: ticks.
        before: time of the last decision that was dropped; None: none was dropped.
    """

    following: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    time: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    before: int | None = None

    def drop(self, count: int) -> None:
        """Remove the first `count` decisions."""
        if count:
            self.before = int(self.time[count - 1])
        self.following, self.time = self.following[count:], self.time[count:]


class _Decisions:
    """Reads the context switches of a run, chunk by chunk."""

    def __init__(self, run: Run, ids: dict[str, int]) -> None:
        self._run, self._ids = run, ids
        self._events = run.events()
        self._names = Boots(run.reader, CodeNames(run.reader).of)(run.epoch).names
        self.queues: dict[int, _Queue] = defaultdict(_Queue)
        self.latest = -1
        self.ended = False

    def has_passed(self, place: tuple[int, int] | None) -> bool:
        """Return whether all decisions before `place`, a time and a CPU, have been read."""
        return self.ended or (place is not None and self.latest >= place[0])

    def read(self) -> None:
        """Read the next chunk."""
        columns = None if self.ended else next(self._events, None)
        if columns is None:
            self.ended = True
            return
        if not len(columns):
            return
        self.latest = int(columns.time[-1])
        rows = np.flatnonzero(columns.code == _SWITCH)
        named = np.flatnonzero(columns.code == THREAD_NAME)
        parts = np.split(rows, np.searchsorted(rows, named))
        for part, name in zip(parts, [*named.tolist(), None], strict=True):
            self._take(columns, part)
            if name is not None:
                event = columns.event_at(name)
                if event.text is not None and len(event.words) > 1:
                    self._names.learn_thread(event.words[1], event.text)

    def _take(self, columns: EventColumns, rows: NDArray[np.intp]) -> None:
        if not len(rows):
            return
        tids, place = np.unique(columns.data1[rows], return_inverse=True)
        names = [self._names.thread(tid) or nameless(tid) for tid in tids.tolist()]
        numbers = np.array([self._ids.setdefault(one, len(self._ids)) for one in names], np.int64)
        following, cpus = numbers[place], columns.cpu[rows]
        time = columns.time[rows].astype(np.int64)
        for cpu in np.unique(cpus).tolist():
            queue, mine = self.queues[cpu], cpus == cpu
            queue.following = np.append(queue.following, following[mine])
            queue.time = np.append(queue.time, time[mine])


def first_decision(a: Run, b: Run) -> Parting:
    """Return the first scheduling decision in which two runs differ, with its cause.

    Without a difference, `count` is the number of decisions that agree, and `doubt` is the reason
    why not all are compared.
    """
    ids: dict[str, int] = {}
    left, right = _Decisions(a, ids), _Decisions(b, ids)
    count = 0
    found: tuple[int, int] | None = None  # time in A or B, CPU
    while True:
        left.read()
        right.read()
        for cpu in sorted({*left.queues, *right.queues}):
            first, second = left.queues[cpu], right.queues[cpu]
            count += _drop_common(first, second)
            if _parts_here(first, second, left, right):
                at = min(int(one.time[0]) for one in (first, second) if len(one.time))
                found = min(found or (at, cpu), (at, cpu))
        if left.has_passed(found) and right.has_passed(found):
            break
    if found is None:
        return Parting(count, doubt=a.doubt or b.doubt)
    return _parting((a, left), (b, right), found[1], count)


def _drop_common(first: _Queue, second: _Queue) -> int:
    """Remove the first decisions as long as they agree; return their number."""
    number = min(len(first.time), len(second.time))
    differs = first.following[:number] != second.following[:number]
    agree = int(np.argmax(differs)) if differs.any() else number
    first.drop(agree)
    second.drop(agree)
    return agree


def _parts_here(first: _Queue, second: _Queue, left: _Decisions, right: _Decisions) -> bool:
    """Return whether the next decisions differ, or only one run has another decision."""
    if len(first.time) and len(second.time):
        return True
    return bool(len(first.time) and right.ended) or bool(len(second.time) and left.ended)


def _parting(
    first: tuple[Run, _Decisions], second: tuple[Run, _Decisions], cpu: int, count: int
) -> Parting:
    sides = [_side(*first, cpu), _side(*second, cpu)]
    if None in sides:
        return Parting(count, doubt=first[0].doubt or second[0].doubt)
    (at_a, since_a), (at_b, since_b) = (one for one in sides if one is not None)
    return Parting(
        count,
        cpu,
        (at_a, at_b),
        (
            since_a[-1] if at_a is not None and since_a else None,
            since_b[-1] if at_b is not None and since_b else None,
        ),
        (since_a[-_SHOWN:], since_b[-_SHOWN:]),
        _cause(since_a, since_b),
    )


def _side(run: Run, decisions: _Decisions, cpu: int) -> tuple[int | None, list[str]] | None:
    """Return the time of the next decision, and the lines up to it; None if events may be missing.

    The time is None if the run has ended.
    """
    queue = decisions.queues[cpu]
    at = int(queue.time[0]) if len(queue.time) else None
    end = decisions.latest if at is None else at
    return (at, _between(run, cpu, queue.before, end)) if run.knows(end) else None


def _between(run: Run, cpu: int, begin: int | None, end: int) -> list[str]:
    """Return the lines of a run on a CPU after the switch at `begin`, up to the one at `end`."""
    state = {"begun": begin is None, "ended": False}

    def choose(columns: EventColumns, _before: int) -> NDArray[np.bool_]:
        time = columns.time.astype(np.int64)
        chosen: NDArray[np.bool_] = (columns.cpu == cpu) & (time <= end)
        if begin is not None:
            chosen &= time >= begin
        switches = chosen & (columns.code == _SWITCH)
        for row in np.flatnonzero(switches).tolist():
            if not state["begun"] and int(time[row]) == begin:
                state["begun"] = True
                chosen[: row + 1] = False
            elif int(time[row]) == end and not state["ended"]:
                state["ended"] = True
                chosen[row + 1 :] = False
                return chosen
        return chosen if state["begun"] and not state["ended"] else np.zeros(len(columns), bool)

    return run.lines(choose)


def _cause(first: Sequence[str], second: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first pair of lines that differ; None for a side without that line."""
    for one, other in zip(first, second, strict=False):
        if _plain(one) != _plain(other):
            return one, other
    number = min(len(first), len(second))
    return (
        first[number] if len(first) > number else None,
        second[number] if len(second) > number else None,
    )


def _plain(line: str) -> list[str]:
    """Return a line without its time, numbers of threads and addresses."""
    words = _ADDRESS.sub("0x", _NUMBER_OF_NAME.sub("", line)).split()
    return words[1:]


def first_event(a: Run, b: Run) -> Parting:
    """Return the first event of two runs of one build that differs in its time or any word."""
    left, right = a.events(), b.events()
    first, second = next(left, None), next(right, None)
    count = 0
    while first is not None and second is not None:
        number = min(len(first), len(second))
        row = _first_difference(first, second, number)
        if row is not None:
            return _event_parting((a, b), count + row, (first, row), (second, row))
        count += number
        first = first.take(slice(number, None)) if len(first) > number else next(left, None)
        second = second.take(slice(number, None)) if len(second) > number else next(right, None)
    if first is None and second is None:
        return Parting(count, doubt=a.doubt or b.doubt)
    ends = [None if one is None else (one, 0) for one in (first, second)]
    return _event_parting((a, b), count, ends[0], ends[1])


def _first_difference(first: EventColumns, second: EventColumns, number: int) -> int | None:
    differs = np.zeros(number, bool)
    for name in ("header", "time", "data0", "data1", "payload_bytes"):
        differs |= getattr(first, name)[:number] != getattr(second, name)[:number]
    limit = int(np.argmax(differs)) if differs.any() else number
    for row in np.flatnonzero(first.payload_bytes[:limit]).tolist():
        if first.payload_of(row) != second.payload_of(row):
            return int(row)
    return limit if limit < number else None


def _event_parting(
    runs: tuple[Run, Run],
    count: int,
    first: tuple[EventColumns, int] | None,
    second: tuple[EventColumns, int] | None,
) -> Parting:
    found = [_event(runs[0], count, first), _event(runs[1], count, second)]
    there = [one for one in (first, second) if one is not None]
    if None in found:
        return Parting(count, doubt=runs[0].doubt or runs[1].doubt)
    (at_a, line_a), (at_b, line_b) = (one for one in found if one is not None)
    columns, row = there[0]
    return Parting(count, int(columns.cpu[row]), (at_a, at_b), (line_a, line_b))


def _event(
    run: Run, count: int, at: tuple[EventColumns, int] | None
) -> tuple[int | None, str | None] | None:
    """Return time and line of event number `count`; None if an event before it may be missing."""
    if at is None:
        return (None, None) if run.known_until is None else None
    ticks = int(at[0].time[at[1]])
    if not run.knows(ticks):
        return None
    lines = run.lines(lambda columns, before: np.arange(len(columns)) + before == count)
    return ticks, lines[0] if lines else None

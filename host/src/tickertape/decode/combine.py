"""Assemble BEGIN, CONTINUE and END records to events, for a chunk at once.

A CONTINUE or END belongs to the open BEGIN with the same identity (CPU, class, event, and time or
key), without a gap in between. Without the simple events, the records of an event are almost always
neighbours. Comparing each record with the previous one finds such runs. Once a run is removed, the
event that it interrupted is a run itself, so a few rounds assemble the events of nested interrupts.
The remaining records (events interleaved without nesting, or with missing records) are processed
one by one. Events with the same identity that are open at the same time cannot be distinguished and
are discarded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.records import FIRST_END, FIRST_PART, identities
from tickertape.protocol.wire import MAX_COMBINE_RECORDS, STRUCT_SHIFT, RecordStruct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.records import I64, RecordColumns, Rows

# Interrupts nest a few levels deep; more rounds would help only with invalid data.
_ROUNDS = 8
_NONE: Rows = np.empty(0, np.intp)


@dataclass(frozen=True)
class Runs:
    """Combine events as lists of their records.

    Attributes:
        members: rows of all records, event after event.
        starts: index in `members` where each event begins.
        counts: number of records of each event.
        first: True if `members` has all BEGIN, CONTINUE and END rows up to its last row.
    """

    members: Rows
    starts: Rows
    counts: Rows
    first: bool = False

    @cached_property
    def begins(self) -> Rows:
        """Row of each event's BEGIN."""
        return self.members.take(self.starts)

    @cached_property
    def ends(self) -> Rows:
        """Row of each event's last record."""
        return self.members.take(self.starts + self.counts - 1)

    @property
    def places(self) -> Rows:
        """Row of each BEGIN after CONTINUE and END rows are removed; valid only with `first`."""
        parts_before = self.starts - np.arange(len(self.starts))
        return self.begins - parts_before

    def pick(self, which: Rows) -> Runs:
        """Return the events with the given indices."""
        counts = self.counts[which]
        starts = np.cumsum(counts) - counts
        offsets = np.arange(counts.sum()) - np.repeat(starts, counts)
        members = self.members[np.repeat(self.starts[which], counts) + offsets]
        return Runs(members, starts, counts)


@dataclass(slots=True)
class Assembly:
    """Result of `assemble`: the combine records of a chunk, sorted.

    Attributes:
        closed: events with BEGIN and END, and all their records in between.
        given_up: rows of events that cannot be completed. Events with the same identity that were
            open at the same time are one item: each of its BEGINs is an event.
        orphans: rows of CONTINUE and END records without their BEGIN.
        first_open: row of the first BEGIN that may still get its END; None if there is none.
    """

    closed: list[Runs] = field(default_factory=list)
    given_up: list[Rows] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    first_open: int | None = None


def assemble(columns: RecordColumns, rows: Rows, *, last: bool) -> Assembly:
    """Find the combine events of a chunk.

    Args:
        columns: the records.
        rows: rows of the BEGIN, CONTINUE and END records, ascending.
        last: True at the end of the input: open events are given up.
    """
    result = Assembly()
    if not len(rows):
        return result
    runs, rest = _take_runs(columns, rows)
    doubtful = _doubtful(columns, rows, rest) if len(rest) else _NONE
    if len(doubtful):
        runs, rest = _take_runs(columns, np.setdiff1d(rows, doubtful, assume_unique=True))
    for _ in range(_ROUNDS - 1):
        if not len(runs.starts) or not len(rest):
            break
        result.closed.append(runs)
        runs, rest = _take_runs(columns, rest)
    if len(runs.starts):
        result.closed.append(runs)
    if len(rest) or len(doubtful):
        _Walk(columns, result).walk(np.union1d(rest, doubtful), last=last)
    return result


def _doubtful(columns: RecordColumns, rows: Rows, rest: Rows) -> Rows:
    """Return the rows of each identity that two open events may have at the same time.

    Args:
        columns: the records.
        rows: rows of the BEGIN, CONTINUE and END records.
        rest: the part of `rows` outside of runs. An interrupted event is not a run, so `rest`
            contains the BEGIN of every such event.
    """
    names = identities(columns.words_at(rows))
    wanted = np.isin(names, identities(columns.words_at(rest)))
    rows, names = rows[wanted], names[wanted]
    order = np.argsort(names, kind="stable")
    header = columns.header.take(rows[order])
    ordered = names[order]
    overlaps = (ordered[1:] == ordered[:-1]) & (header[1:] < FIRST_PART) & (header[:-1] < FIRST_END)
    return rows[np.isin(names, ordered[1:][overlaps])]


def _take_runs(columns: RecordColumns, rows: Rows) -> tuple[Runs, Rows]:
    """Split rows into events whose records are neighbours in `rows`, and the rest."""
    if not len(rows):
        return Runs(_NONE, _NONE, _NONE), rows
    header = columns.header.take(rows)
    is_begin = header < FIRST_PART
    is_end = header >= FIRST_END
    begins = np.flatnonzero(is_begin)
    ends = np.flatnonzero(is_end)
    breaks = _breaks(columns, rows, is_begin, is_end)
    if len(breaks) == 0 and _take_turns(begins, ends):
        firsts = begins[: len(ends)]
    else:
        firsts, ends = _pair(begins, ends, breaks)
    age = columns.ordinals_at(rows.take(ends)) - columns.ordinals_at(rows.take(firsts))
    if len(age) and age.max() > MAX_COMBINE_RECORDS:
        young = age <= MAX_COMBINE_RECORDS
        firsts, ends = firsts[young], ends[young]
    counts = ends - firsts + 1
    used = int(counts.sum())
    if len(ends) and used == ends[-1] + 1:
        return Runs(rows[:used], firsts, counts, first=True), rows[used:]
    inside = np.zeros(len(rows) + 1, np.int8)
    inside[firsts] += 1
    inside[ends + 1] -= 1
    taken = np.cumsum(inside[:-1]).astype(bool)
    starts = np.cumsum(counts) - counts
    return Runs(rows[taken], starts, counts), rows[~taken]


def _take_turns(begins: Rows, ends: Rows) -> bool:
    """Return whether each BEGIN, except possibly the last, has its END before the next BEGIN.

    Without breaks a BEGIN has at most one END before the next BEGIN, so counting is enough.
    """
    open_count = len(begins) - len(ends)
    last_is_open = open_count == 1 and (len(ends) == 0 or begins[-1] > ends[-1])
    return open_count == 0 or bool(last_is_open)


def _breaks(
    columns: RecordColumns, rows: Rows, is_begin: NDArray[np.bool_], is_end: NDArray[np.bool_]
) -> Rows:
    """Return the CONTINUE and END records that do not continue the record before them."""
    names = identities(columns.words_at(rows))
    fits = (names[1:] == names[:-1]) & ~is_end[:-1]
    if columns.segment is not None:
        segment: I64 = columns.segment.take(rows)
        fits &= segment[1:] == segment[:-1]
    fits |= is_begin[1:]
    found: Rows = _NONE if fits.all() else np.flatnonzero(~fits) + 1
    if not is_begin[0]:
        found = np.concatenate([np.zeros(1, found.dtype), found])
    return found


def _pair(begins: Rows, ends: Rows, breaks: Rows) -> tuple[Rows, Rows]:
    """Pair each END with the BEGIN before it if no break is between them."""
    number = np.searchsorted(begins, ends) - 1
    ends = ends[number >= 0]
    firsts = begins[number[number >= 0]]
    whole = np.searchsorted(breaks, firsts, "right") == np.searchsorted(breaks, ends, "right")
    return firsts[whole], ends[whole]


@dataclass(slots=True)
class _Open:
    """Open events of one identity, usually one."""

    ordinal: int  # ordinal of the first BEGIN
    rows: list[int] = field(default_factory=list)
    begins: int = 0
    ends: int = 0


class _Walk:
    """Processes records one by one: events that are interleaved, incomplete or not distinct."""

    def __init__(self, columns: RecordColumns, result: Assembly) -> None:
        self._columns = columns
        self._result = result
        self._open: dict[tuple[int, int], _Open] = {}
        self._closed: list[list[int]] = []

    def walk(self, rows: Rows, *, last: bool) -> None:
        """Add the events of `rows` to the result."""
        columns = self._columns
        names = identities(columns.words_at(rows)).tolist()
        kinds = (columns.header.take(rows) >> np.uint32(STRUCT_SHIFT)).tolist()
        ordinals = columns.ordinal[rows].tolist()
        segments = [0] * len(rows) if columns.segment is None else columns.segment[rows].tolist()
        ways = zip(names, segments, strict=True)
        for row, kind, ordinal, way in zip(rows.tolist(), kinds, ordinals, ways, strict=True):
            self._step(row, kind, ordinal, way)
        self._finish(last=last)

    def _step(self, row: int, kind: int, ordinal: int, way: tuple[int, int]) -> None:
        event = self._open.get(way)
        if event is not None and ordinal - event.ordinal > MAX_COMBINE_RECORDS:
            self._give_up(way)
            event = None
        if event is None:
            if kind != RecordStruct.BEGIN:
                self._result.orphans.append(row)
                return
            event = self._open[way] = _Open(ordinal)
        event.rows.append(row)
        event.begins += kind == RecordStruct.BEGIN
        event.ends += kind == RecordStruct.END
        if event.ends == event.begins:
            if event.begins == 1:
                self._closed.append(self._open.pop(way).rows)
            else:
                self._give_up(way)

    def _give_up(self, way: tuple[int, int]) -> None:
        self._result.given_up.append(np.array(self._open.pop(way).rows, np.intp))

    def _finish(self, *, last: bool) -> None:
        columns = self._columns
        next_ordinal = int(columns.ordinal[-1]) + 1
        segment = 0 if columns.segment is None else int(columns.segment[-1])
        for way, event in list(self._open.items()):
            age = next_ordinal - event.ordinal
            if last or way[1] != segment or age > MAX_COMBINE_RECORDS:
                self._give_up(way)
        alive = [event.rows[0] for event in self._open.values()]
        self._result.first_open = min(alive, default=None)
        if self._closed:
            self._closed.sort()
            counts = np.array([len(event) for event in self._closed], np.intp)
            members = np.array([row for event in self._closed for row in event], np.intp)
            self._result.closed.append(Runs(members, np.cumsum(counts) - counts, counts))

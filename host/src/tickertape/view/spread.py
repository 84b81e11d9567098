"""Distributions of one row: the lengths of its instances and waits, and where each is.

For tasks, interrupts and locks, one pass over the tape yields the same instances as for `stats`
(`answers.reading`), by the same rules. For events, the values are distances of their moments in
the index. Values that unknown time touches are left out and counted.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.interface import NO_TICKS
from tickertape.answers.instance import Doing, Ended
from tickertape.answers.observed import Observed
from tickertape.answers.reading import parts_of
from tickertape.errors import UsageError
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY
from tickertape.protocol.events import EventClass
from tickertape.tape.reader import TapeReader
from tickertape.view.axis import place_of
from tickertape.view.figures import FIGURES
from tickertape.view.rows import POINT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tickertape.answers.reading import Part
    from tickertape.decode.records import I64, Structured
    from tickertape.view.axis import Place
    from tickertape.view.index import Index

VALUE: Final = np.dtype([("value", "<i8"), ("begin", "<i8"), ("end", "<i8"), ("number", "<i8")])
"""One instance: its figure in ns, begin and end on the axis in ns, its number (0: none)."""

_KINDS: Final = {
    "task": {Kind.TASK},
    "interrupt": {Kind.INTERRUPT},
    "lock": {Kind.MUTEX, Kind.SPINLOCK},
    "semaphore": {Kind.SEMAPHORE},
}
_CLASSES: Final = (EventClass.SCHED, EventClass.THREAD, EventClass.INT)
_KEPT: Final = 8


@dataclass(frozen=True, eq=False)
class Spread:
    """All values of a figure of one row.

    Attributes:
        values: `VALUE`, sorted by begin.
        left_out: begins on the axis, in ns, of the instances that are left out: unknown time
            touches them, or they have not ended at the last record.
    """

    values: Structured
    left_out: I64

    def within(self, begin: int, end: int) -> tuple[Structured, int]:
        """Return the values within a range of the axis, in ns, and the number left out."""
        values, left = self.values, self.left_out
        inside = values[(values["begin"] >= begin) & (values["end"] <= end)]
        return inside, int(np.count_nonzero((left >= begin) & (left < end)))

    def touching(self, begin: int, end: int) -> Structured:
        """Return the values that overlap a range of the axis, in ns."""
        values = self.values
        return values[(values["begin"] <= end) & (values["end"] >= begin)]


class Spreads:
    """Finds distributions; keeps the latest `_KEPT` of them."""

    def __init__(self, index: Index) -> None:
        """Set the index whose rows are read."""
        self._index = index
        self._lock = threading.Lock()
        self._known: dict[tuple[int, str, int], Spread] = {}

    def of(self, row: int, figure: str, other: int) -> Spread:
        """Return all values of a figure.

        Args:
            row: number of the row.
            figure: a figure of its kind.
            other: row of the events at which distances end; the row itself for distances between
                its own events.

        Raises:
            UsageError: the row has no such figure, or the other row has no events.
        """
        rows = self._index.about["rows"]
        known = FIGURES.get(rows[row]["kind"], ())
        if figure not in known:
            raise UsageError(
                f"a row of kind {rows[row]['kind']} has no figure {figure!r}",
                f"request {' or '.join(known)}" if known else "choose a task, a lock or an event",
            )
        if figure == "distance" and "distance" not in FIGURES.get(rows[other]["kind"], ()):
            raise UsageError(f"{rows[other]['name']} is not an event", "choose a row of events")
        key = (row, figure, other)
        with self._lock:
            if key not in self._known:
                found = self._distances(row, other) if figure == "distance" else None
                self._known[key] = found or self._read([rows[row]], figure)[0]
                for old in list(self._known)[:-_KEPT]:
                    del self._known[old]
            return self._known[key]

    def of_rows(self, rows: Sequence[int], figure: str) -> list[Spread]:
        """Return all values of a figure of several rows in one pass; rows of events have none."""
        return self._read([self._index.about["rows"][row] for row in rows], figure)

    def _distances(self, row: int, other: int) -> Spread:
        """Return the distances from each moment of a row to the next moment of another row."""
        about, store = self._index.about, self._index.rows

        def moments(one: int) -> I64:
            is_moment = store.column("state", one) == POINT
            found: I64 = store.column("time", one)[is_moment].astype(np.int64)
            return found

        begin = moments(row)
        if row == other:
            begin, end = begin[:-1], begin[1:]
        else:
            to = moments(other)
            place = np.searchsorted(to, begin)
            # If several moments precede the same one, only the last is paired with it.
            paired = place < len(to)
            paired[:-1] &= place[1:] != place[:-1]
            begin, end = begin[paired], to[place[paired]]
        clear = _clear(begin, end, [(one["begin"], one["end"]) for one in about["losses"]])
        ends = np.array(sorted(one["end"] for one in about["segments"]), np.int64)
        clear &= np.searchsorted(ends, begin) == np.searchsorted(ends, end)
        values = np.zeros(int(clear.sum()), VALUE)
        values["begin"], values["end"] = begin[clear], end[clear]
        values["value"] = values["end"] - values["begin"]
        return Spread(values, begin[~clear])

    def _read(self, rows: Sequence[Mapping[str, Any]], figure: str) -> list[Spread]:
        """Read the values of rows in one pass, with a separate reader: other threads may read."""
        values: list[list[Structured]] = [[np.zeros(0, VALUE)] for _ in rows]
        left_out: list[list[I64]] = [[np.zeros(0, np.int64)] for _ in rows]
        with TapeReader(self._index.tape) as reader:
            for segment in self._index.about["segments"]:
                place = place_of(reader, segment)
                name = place.board.name if place.board is not None else ""
                boots = {
                    number: _Boot(row, figure, place)
                    for number, row in enumerate(rows)
                    if row["board"] == name
                }
                stream = int(self._index.about["stream"])
                for part in parts_of(reader, epochs=[place.epoch], stream=stream) if boots else ():
                    for boot in boots.values():
                        boot.feed(part)
                for number, boot in boots.items():
                    values[number] += boot.values()
                    left_out[number] += boot.left_out()
        found = (np.concatenate(parts) for parts in values)
        return [
            Spread(one[np.argsort(one["begin"], kind="stable")], np.sort(np.concatenate(left)))
            for one, left in zip(found, left_out, strict=True)
        ]


class _Boot:
    """Collects the values of one figure in one boot, by entity: names are known at its end."""

    def __init__(self, row: Mapping[str, Any], figure: str, place: Place) -> None:
        self._row, self._figure, self._place = row, figure, place
        self._observed = Observed()
        self._found: dict[int, list[Structured]] = {}
        self._takes: dict[int, int] = {}
        self._lives: dict[int, list[Structured]] = {}  # `ready` of lives that jobs may take over
        self._left: dict[int, list[I64]] = {}
        self._part: Part | None = None

    def feed(self, part: Part) -> None:
        """Add the values of the next part of the boot."""
        self._part = part
        if part.columns is not None:
            self._observed.feed(part.columns)
        kinds = _KINDS[self._row["kind"]]
        mine = [
            number
            for number in range(len(part.entities))
            if part.entities[number].kind in kinds
            and part.entities[number].number == self._row["number"]
        ]
        for entity in mine:
            if self._figure in {"response", "execution", "period"}:
                rows = part.table.rows
                is_mine = rows["entity"] == entity
                if "cpu" in self._row:  # an interrupt has one row per CPU that serves it
                    is_mine &= rows["cpu"] == self._row["cpu"]
                self._instances(entity, rows[is_mine])
            else:
                intervals = part.table.intervals
                who = "object" if self._figure == "wait" else "entity"
                take = self._ready if self._figure == "ready" else self._waits
                take(entity, intervals[intervals[who] == entity])

    def _instances(self, entity: int, rows: NDArray[np.void]) -> None:
        known, done = rows["activation"] != NO_TICKS, rows["ended"] == Ended.DONE
        whole = known if self._figure == "period" else known & done
        of_instance = {"execution": "running"}.get(self._figure, "response_low")
        activation = np.where(known, rows["activation"], rows["found"])
        number = rows["number"].astype(np.int64)
        if self._figure == "period":  # no distance ends with the first job of a count
            number += self._takes.get(entity, 0) + np.cumsum(rows["takes"], dtype=np.int64)
            self._takes[entity] = self._takes.get(entity, 0) + int(rows["takes"].sum())
        self._add(
            entity,
            rows[of_instance][whole],
            activation[whole],
            rows["end"][whole],
            number[whole],
        )
        self._left.setdefault(entity, []).append(self._place.ns(_ticks(activation[~whole])))

    def _waits(self, entity: int, intervals: NDArray[np.void]) -> None:
        """Add complete waits for an object: BLOCKED until its end."""
        ready = intervals["doing"] == Doing.READY
        over = (intervals["following"] != Doing.BLOCKED) & (intervals["following"] != len(Doing))
        over &= ~ready & (intervals["since"] != NO_TICKS) & (intervals["object"] != NO_ENTITY)
        rows = intervals[over]
        begin = rows["since"]
        self._add(entity, rows["end"] - begin, begin, rows["end"], rows["number"])
        lost = intervals[~ready & ~over & (intervals["following"] != Doing.BLOCKED)]
        lost = lost[lost["object"] != NO_ENTITY]
        self._left.setdefault(entity, []).append(self._place.ns(_ticks(lost["begin"])))

    def _ready(self, entity: int, intervals: NDArray[np.void]) -> None:
        """Add times from READY until running; those of lives that no job takes over."""
        found = self._found.setdefault(entity, [])
        lives = self._lives.setdefault(entity, [])
        settles = intervals["doing"] == Doing.UNKNOWN
        for part in np.split(intervals, np.flatnonzero(settles)):
            if len(part) and part[0]["doing"] == Doing.UNKNOWN:
                found += lives if part[0]["is_job"] else []
                lives.clear()
            for to, is_job in ((found, 1), (lives, 0)):
                rows = part[(part["doing"] == Doing.READY) & (part["is_job"] == is_job)]
                begin, end = rows["begin"], rows["end"]
                to.append(_values(end - begin, begin, end, rows["number"]))

    def _add(
        self,
        entity: int,
        ticks: NDArray[np.integer],
        begin: NDArray[np.integer],
        end: NDArray[np.integer],
        number: NDArray[np.integer],
    ) -> None:
        """Add values in ticks; `values` converts them to nanoseconds."""
        self._found.setdefault(entity, []).append(_values(ticks, begin, end, number))

    def _mine(self) -> Iterator[int]:
        """Yield the entities that have the name of the row at the end of the boot."""
        if self._part is None:
            return
        for entity in self._found:
            one = self._part.entities[entity]
            if one.kind is Kind.INTERRUPT or one.name == self._row["name"]:
                yield entity

    def values(self) -> Iterator[Structured]:
        """Yield the values of the boot, in ns on the axis."""
        for entity in self._mine():
            found = np.concatenate([*self._found[entity], *self._lives.get(entity, [])])
            if self._figure == "period":
                found = self._periods(found)
            found["value"] = self._place.clock.ns_column(_ticks(found["value"]))
            for name in ("begin", "end"):
                found[name] = self._place.ns(_ticks(found[name]))
            yield found

    def left_out(self) -> Iterator[I64]:
        """Yield the begins of values that are left out, ns on the axis."""
        for entity in self._mine():
            yield from self._left.get(entity, [])

    def _periods(self, found: Structured) -> Structured:
        """Return the distances of consecutive activations without unknown time in between."""
        found = found[np.argsort(found["number"], kind="stable")]
        before, after = found[:-1], found[1:].copy()
        follows = after["number"] == before["number"] + 1
        clear = self._observed.clear(before["begin"], after["begin"], _CLASSES)
        after["end"] = after["begin"]
        after["begin"] = before["begin"]
        after["value"] = after["end"] - after["begin"]
        periods: Structured = after[follows & clear]
        return periods


def _values(
    ticks: NDArray[np.integer],
    begin: NDArray[np.integer],
    end: NDArray[np.integer],
    number: NDArray[np.integer],
) -> Structured:
    """Return an array of `VALUE`."""
    values = np.zeros(len(ticks), VALUE)
    values["value"], values["begin"], values["end"] = ticks, begin, end
    values["number"] = number
    return values


def _ticks(values: NDArray[np.integer]) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = np.maximum(values, 0).astype(np.uint64)
    return found


def _clear(begin: I64, end: I64, losses: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return for intervals whether no loss overlaps them; see `Observed.clear`."""
    if not losses:
        return np.ones(len(begin), bool)
    begins = np.array([one for one, _ in sorted(losses)], np.int64)
    ends = np.maximum.accumulate(np.array([one for _, one in sorted(losses)], np.int64))
    before = np.searchsorted(begins, end) - 1
    return (before < 0) | (ends[np.maximum(before, 0)] <= begin)

"""Find instances of a task on a tape: the longest ones, one by its number, or by a time."""

from __future__ import annotations

import heapq
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.answers.attribution import ANY_INSTANCE
from tickertape.answers.events import events_of
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ticks import NS_PER_S
from tickertape.errors import UsageError
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.transitions import MARKS, OF_LIVES, Action, State, scheduled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tickertape.decode.records import I64
    from tickertape.model.entities import Entity
    from tickertape.model.names import Names
    from tickertape.model.transitions import Transitions
    from tickertape.tape.reader import TapeReader

_NAMED: Final = 8
_INSTANCE_BITS: Final = 32


class Choice(NamedTuple):
    """Selection of instances of a task.

    Attributes:
        task: name or number of the task.
        instance: number of the instance; None for any.
        worst: number of instances to return, the longest ones.
        at_ns: time at which the instance is under way; None for any.
        epoch: number of the boot; None for all.
        number: number of the task, if several tasks have its name; None for any.
        spans: first and last tick by boot. Selects instances that lie within, or are under way
            throughout; None for any.
        is_range: select the recorded parts of the spans instead of instances.
    """

    task: str
    instance: int | None = None
    worst: int = 1
    at_ns: int | None = None
    epoch: int | None = None
    number: int | None = None
    spans: Mapping[int, tuple[int, int]] | None = None
    is_range: bool = False

    @property
    def takes_any(self) -> bool:
        """Whether it selects among all instances, by length only."""
        return self.instance is None and self.at_ns is None and self.spans is None

    @property
    def is_of_one(self) -> bool:
        """Whether it names an instance or a moment; then a partly known instance suffices."""
        moments = (self.spans or {}).values()
        is_moment = bool(moments) and all(first == last for first, last in moments)
        return self.instance is not None or self.at_ns is not None or is_moment


def spans_of(
    reader: TapeReader, begin_ns: int | None, end_ns: int | None
) -> Mapping[int, tuple[int, int]] | None:
    """Return the first and last tick of a time range in each boot; None if both limits are None.

    Args:
        reader: the tape.
        begin_ns: begin in ns, as `print` shows it; None for the first record.
        end_ns: end in ns, as `begin_ns`; None for the last record.
    """
    if begin_ns is None and end_ns is None:
        return None
    spans = {one: reader.clock(one).ticks_between(begin_ns, end_ns) for one in reader.epochs}
    return {epoch: span for epoch, span in spans.items() if span is not None}


class Place(NamedTuple):
    """Position of an instance on the tape.

    Attributes:
        epoch: boot of the target within the tape.
        entity: entity of the task in the model.
        instance: number of its instance; ANY_INSTANCE for a range of time.
        begin: tick of its activation; if unknown, of the event that shows it again.
        end: tick of its end; if unknown, of its loss or of the last record of the boot.
        begin_known: whether its activation is known.
        ended: whether its end is known.
    """

    epoch: int
    entity: int
    instance: int
    begin: int
    end: int
    begin_known: bool
    ended: bool

    @property
    def is_whole(self) -> bool:
        """Whether its begin and its end are known."""
        return self.begin_known and self.ended


class Finder:
    """Reads a tape once; `found` returns the chosen instances.

    The name of a task may be recorded late, so the finder follows the instances of all tasks. It
    keeps only the longest ones of each task.
    """

    def __init__(self, reader: TapeReader, choice: Choice) -> None:
        """Begin before the first event."""
        self._reader = reader
        self._choice = choice
        self._model = system_model(names_of(reader))
        self._open: dict[int, tuple[int, bool]] = {}  # by entity and instance, as `_key_of`
        self._none: set[int] = set()  # open instances that are not jobs
        self._cut: set[int] = set()  # open instances that will not be completed
        self._longest: dict[int, list[tuple[int, int, Place]]] = {}
        self._partial: dict[int, list[tuple[int, int, Place]]] = {}
        self._recorded: dict[int, tuple[int, int]] = {}
        self._order = 0  # number of transitions; of equally long instances the first one is kept

    def read(self, stream: int | None, on_progress: Callable[[int], None] | None = None) -> None:
        """Read the tape."""
        counters = DecodeCounters()
        for epoch in self._reader.epochs:
            last = 0
            first: int | None = None
            chosen = self._reader.default_stream(epoch) if stream is None else stream
            for columns in events_of(self._reader, epoch, stream=chosen, counters=counters):
                transitions = scheduled(self._model.feed(columns))
                if len(columns):
                    first = int(columns.time[0]) if first is None else first
                    last = max(last, int(columns.time[-1]))
                if self._choice.epoch in {None, epoch} and not self._choice.is_range:
                    self._feed(transitions, epoch)
                if on_progress is not None:
                    on_progress(counters.records)
            for key, (begin, known) in self._open.items():
                self._order += 1
                if key in self._none:
                    continue
                place = Place(epoch, *_of_key(key), begin, last, known, ended=False)
                self._keep(place, self._order)
            for one in (self._open, self._none, self._cut):
                one.clear()
            if first is not None:
                self._recorded[epoch] = first, last

    def found(self) -> list[Place]:
        """Return the chosen instances, the longest first.

        Raises:
            UsageError: no instance was chosen.
        """
        number = self._choice.number
        entities = [
            one
            for one in tasks_called(self._choice.task, self._model.entities)
            if number in {None, self._model.entities[one].number}
        ]
        if self._choice.is_range:
            return self._ranges(entities)
        whole = [one for entity in entities for one in self._longest.get(entity, [])]
        partial = [one for entity in entities for one in self._partial.get(entity, [])]
        candidates = whole + partial if self._choice.is_of_one else whole or partial
        if not candidates:
            raise UsageError(self._nothing(), "see the instances with 'tickertape print --task'")
        return [one for _, _, one in heapq.nlargest(self._choice.worst, candidates)]

    def _ranges(self, entities: Iterable[int]) -> list[Place]:
        """Return the recorded part of each span, for each of the tasks."""
        found = []
        for epoch, (first, last) in (self._choice.spans or {}).items():
            if self._choice.epoch in {None, epoch} and epoch in self._recorded:
                begin, end = self._recorded[epoch]
                begin, end = max(first, begin), min(last, end)
                found += [
                    Place(epoch, entity, ANY_INSTANCE, begin, end, begin_known=True, ended=True)
                    for entity in entities
                    if begin < end
                ]
        if not found:
            raise UsageError(
                "nothing was recorded in that range", "see the times with 'tickertape info'"
            )
        return found

    def _nothing(self) -> str:
        choice = self._choice
        if choice.instance is not None:
            return f"task {choice.task} has no instance {choice.instance} on this tape"
        if choice.at_ns is not None:
            return f"no instance of task {choice.task} is under way at that time"
        if choice.spans is not None:
            return f"no instance of task {choice.task} lies in that range"
        return f"no instance of task {choice.task} is on this tape: nothing shows when it began"

    def _feed(self, found: Transitions, epoch: int) -> None:
        kinds = np.array([one.kind for one in self._model.entities], np.int64)
        action = found.action
        chosen = np.isin(action, (Action.ACTIVATE, Action.TERMINATE, Action.ABORT, *MARKS))
        chosen |= (found.before == State.UNKNOWN) | (found.after == State.UNKNOWN)
        chosen |= action == Action.FOUND
        chosen &= ~np.isin(action, list(OF_LIVES))
        chosen &= (found.before != State.CREATED) | (action != Action.LOSE)
        rows = np.flatnonzero(chosen & (kinds[found.entity] == Kind.TASK))
        keys = found.entity[rows].astype(np.int64) << _INSTANCE_BITS | found.instance[rows]
        if self._choice.takes_any:
            rest = self._feed_whole(found, rows, keys, epoch)
            rows, keys = rows[rest], keys[rest]
        for row, key, time, action_, after in zip(
            rows.tolist(),
            keys.tolist(),
            found.time[rows].tolist(),
            action[rows].tolist(),
            found.after[rows].tolist(),
            strict=True,
        ):
            if action_ == Action.ACTIVATE:
                self._open[key] = time, True
            elif action_ in MARKS:
                self._mark(Action(action_), key, time, (epoch, self._order + row))
            elif after in {State.TERMINATED, State.UNKNOWN}:
                begin, known = self._open.pop(key, (time, False))
                ended = after == State.TERMINATED and key not in self._cut
                self._cut.discard(key)
                if key in self._none:
                    self._none.discard(key)
                    continue
                place = Place(epoch, *_of_key(key), begin, max(begin, time), known, ended)
                self._keep(place, self._order + row)
            else:
                self._open.setdefault(key, (time, False))
        self._order += len(found)

    def _mark(self, action: Action, key: int, time: int, at: tuple[int, int]) -> None:
        """Take an action of `MARKS`; `at`: boot, and order of the row."""
        epoch, order = at
        if action is Action.NO_JOB:
            self._none.add(key)
            return
        for other in [
            one
            for one in self._open
            if one > key and one >> _INSTANCE_BITS == key >> _INSTANCE_BITS
        ]:
            begin, known = self._open.pop(other)
            self._keep(Place(epoch, *_of_key(other), begin, time, known, ended=False), order)
        if action is Action.CANCEL:
            self._cut.add(key)
        else:
            self._none.discard(key)
            self._open[key] = time, True

    def _feed_whole(self, found: Transitions, rows: I64, keys: I64, epoch: int) -> I64:
        """Keep the longest instances that begin and end among these rows.

        Nearly all instances do. Only the longest ones of each task are processed one by one.

        Returns:
            Indices into `rows` of all other rows.
        """
        order = np.argsort(keys, kind="stable")
        first = np.flatnonzero(np.diff(keys[order], prepend=-1))
        first = first[np.diff(first, append=len(order)) == 2]  # noqa: PLR2004 - begin and end
        begins, ends = rows[order[first]], rows[order[first + 1]]
        is_whole = (found.action[begins] == Action.ACTIVATE) & (
            found.action[ends] != Action.ACTIVATE
        )
        is_whole &= found.after[ends] == State.TERMINATED
        first, begins, ends = first[is_whole], begins[is_whole], ends[is_whole]
        whole = keys[order[first]]
        begin = found.time[begins].astype(np.int64)
        end = np.maximum(begin, found.time[ends].astype(np.int64))
        for key in [one for one in self._open if one in whole]:
            del self._open[key]
        entity = whole >> _INSTANCE_BITS
        by_length = np.lexsort((ends, begin - end, entity))
        starts = np.flatnonzero(np.diff(entity[by_length], prepend=-1))
        sizes = np.diff(starts, append=len(by_length))
        rank = np.arange(len(by_length)) - np.repeat(starts, sizes)
        for one in by_length[rank < self._choice.worst].tolist():
            span = int(begin[one]), int(end[one])
            place = Place(epoch, *_of_key(int(whole[one])), *span, begin_known=True, ended=True)
            self._keep(place, self._order + int(ends[one]))
        rest = np.ones(len(rows), bool)
        rest[order[first]] = rest[order[first + 1]] = False
        return np.flatnonzero(rest)

    def _keep(self, place: Place, order: int) -> None:
        """Keep an instance if it is chosen and among the longest of its task."""
        if not self._is_chosen(place):
            return
        heaps = self._longest if place.is_whole else self._partial
        heap = heaps.setdefault(place.entity, [])
        heapq.heappush(heap, (place.end - place.begin, -order, place))
        if len(heap) > self._choice.worst:
            heapq.heappop(heap)

    def _is_chosen(self, place: Place) -> bool:
        choice = self._choice
        if choice.instance is not None and place.instance != choice.instance:
            return False
        if choice.spans is not None and not _is_in(place, choice.spans.get(place.epoch)):
            return False
        if choice.at_ns is None:
            return True
        at = choice.at_ns * self._reader.clock(place.epoch).hz // NS_PER_S
        return place.begin <= at <= place.end


def _of_key(key: int) -> tuple[int, int]:
    """Return the entity and the instance of a key."""
    return key >> _INSTANCE_BITS, key & ((1 << _INSTANCE_BITS) - 1)


def _is_in(place: Place, span: tuple[int, int] | None) -> bool:
    """Return whether an instance lies in a span, or is under way all through it."""
    if span is None:
        return False
    first, last = span
    lies_in = first <= place.begin and place.end <= last
    return lies_in or (place.begin <= first and last <= place.end)


def tasks_called(wanted: str, entities: Iterable[Entity]) -> list[int]:
    """Return the tasks with a name or, if no task has that name, with a number.

    Args:
        wanted: name that a task has, or had at some time, or number.
        entities: all entities of the model.

    Raises:
        UsageError: no task has this name or number.
    """
    tasks = [one for one in entities if one.kind is Kind.TASK]
    mine = [one.index for one in tasks if one.is_called(wanted)]
    mine = mine or [one.index for one in tasks if wanted == str(one.number)]
    if not mine:
        raise UsageError(
            f"no task is called {wanted}", known_names(wanted, [one.name for one in tasks])
        )
    return mine


def names_of(reader: TapeReader) -> Callable[[int], Names]:
    """Return a function from the number of a boot to its names, with the tape's symbols."""
    boots = Boots(reader, CodeNames(reader).of)
    return lambda epoch: boots(epoch).names


def known_names(wanted: str, names: Iterable[str]) -> str:
    """Return advice for an unknown name: the nearest known name, or the known names."""
    known: Sequence[str] = sorted(set(names))
    nearest = get_close_matches(wanted, known, 1)
    if nearest:
        return f"did you mean {nearest[0]}?"
    if not known:
        return "the tape has no names of this kind"
    more = ", ..." if len(known) > _NAMED else ""
    return f"known: {', '.join(known[:_NAMED])}{more}"

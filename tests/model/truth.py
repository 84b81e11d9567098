"""Compare the output of a model for a trace with a gap with its output for the whole trace.

Every transition of the trace with the gap must be one of the whole trace, as far as it is known: of
the same event and entity, with the same action, states, cause, object and number. Between events,
an entity with a known state must have the same state in the whole trace. An instance number must
not stand for two instances of the whole trace.

Four results may be weaker than the truth: ASSIGN of an object for which the process did not wait;
RESUME where the process may have run for the first time; READY (FOUND) where it is ACTIVE; the end
of a suspension that began before the process ran.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.decode.events import Gap
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, WITHOUT_INSTANCE, Action, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.decode.events import EventColumns
    from tickertape.model.system import SystemModel

Who = tuple[Kind, str, int]

NAME = 4 << 10 | 320
_OVER = {State.TERMINATED, State.ENDED}
_STARTS = {Action.START, Action.RESUME}
_CONTINUES = {Action.CONTINUE, Action.REACTIVATE}
_WITHOUT_CORE = {State.READY, State.SUSPENDED}
_GETS = {Action.ASSIGN, Action.TAKE, Action.GRANT}
_COUNTED = {Kind.TASK, Kind.INTERRUPT, Kind.RUNNABLE, Kind.STIMULUS}
# A message of an unknown channel counts for this one.
_ANY_CHANNEL = "channel 0x0"


class Said(NamedTuple):
    """A transition. Entities are identified by kind and name, interrupts also by their CPU."""

    who: Who
    instance: int
    action: Action
    before: State
    after: State
    source: Who | None
    object: Who | None
    value: int


def said_by(model: SystemModel, columns: EventColumns) -> dict[int, list[Said]]:
    """Feed columns; return the transitions by row."""
    found = model.feed(columns)
    entities = list(model.entities)

    def who(index: int, cpu: int) -> Who | None:
        if index == NO_ENTITY:
            return None
        one = entities[index]
        return one.kind, one.name, cpu if one.kind is Kind.INTERRUPT else 0

    said: dict[int, list[Said]] = defaultdict(list)
    names = ("row", "cpu", "entity", "instance", "action", "before", "after", "source", "object")
    lists = (getattr(found, name).tolist() for name in (*names, "value"))
    for row, cpu, entity, instance, action, before, after, source, other, value in zip(
        *lists, strict=True
    ):
        one = who(entity, cpu)
        assert one is not None
        states = Action(action), State(before), State(after)
        said[row].append(Said(one, instance, *states, who(source, cpu), who(other, cpu), value))
    return said


def by_number(columns: EventColumns) -> EventColumns:
    """Name every thread by its number, as the model does if the name is in a gap."""
    rows = np.flatnonzero(columns.code == NAME)
    texts = [f"thread {tid}".encode() for tid in columns.data1[rows].tolist()]
    heads = columns.payload_offset[rows, None] + np.arange(8)
    parts = [
        columns.payload[head].tobytes() + text for head, text in zip(heads, texts, strict=True)
    ]
    sizes, offsets = columns.payload_bytes.copy(), columns.payload_offset.copy()
    sizes[rows] = [len(part) for part in parts]
    ends = len(columns.payload) + np.cumsum([0, *sizes[rows].tolist()])
    offsets[rows] = ends[:-1]
    payload = np.concatenate([columns.payload, np.frombuffer(b"".join(parts), np.uint8)])
    return replace(columns, payload=payload, payload_offset=offsets, payload_bytes=sizes)


@dataclass(frozen=True)
class Cut:
    """A trace from which records of one CPU are missing.

    Attributes:
        columns: remaining rows, with the gap.
        kept: number of each remaining row in the whole trace, then the length of the whole trace.
        begin: remaining row before which the gap begins.
        end: remaining row before which the gap ends.
    """

    columns: EventColumns
    kept: list[int]
    begin: int
    end: int


def cut(columns: EventColumns, first: int, behind: int, cpu: int) -> Cut | None:
    """Remove the records of a CPU from row `first` to before `behind`; None if there are none."""
    cpus, rows = columns.cpu, np.arange(len(columns))
    missing = (rows >= first) & (rows < behind) & (cpus == cpu)
    if not missing.any():
        return None
    kept = rows[~missing]
    before = np.flatnonzero(cpus[:first] == cpu)
    later = behind + np.flatnonzero(cpus[behind:] == cpu)
    begin = int(np.searchsorted(kept, before[-1])) + 1 if len(before) else 0
    end = int(np.searchsorted(kept, later[0])) if len(later) else len(kept)
    count = int(missing.sum())
    ticks = int(columns.time[before[-1]]) if len(before) else None
    last = int(columns.time[later[0] if len(later) else -1])
    gap = Gap(end, 0, cpu, 0, count, count, 0, 0, begin_ticks=ticks, end_ticks=last)
    return Cut(replace(columns.take(kept), gaps=(gap,)), [*kept.tolist(), len(rows)], begin, end)


class _Judge:
    """Compares the output event by event.

    Attributes:
        true: states in the whole trace, by entity.
        false: wrong transitions and states.
        same: instances of the whole trace that match an instance of the cut trace.
    """

    def __init__(self, truth: dict[int, list[Said]]) -> None:
        self.true: dict[Who, State] = {}
        self.false: list[object] = []
        self.same: dict[tuple[Who, int], set[int]] = defaultdict(set)
        self._truth = truth
        self._claimed: dict[Who, State] = {}
        self._vague: set[Who] = set()

    def begin_gap(self) -> None:
        """Forget states of what is over: an entity may begin again in the gap."""
        for who, state in self._claimed.items():
            if state in _OVER:
                self._claimed[who] = State.UNKNOWN

    def take(self, place: int, said: Sequence[Said]) -> None:
        """Compare the transitions of a row; `place` is its number in the whole trace."""
        before = {one.who: self.true.get(one.who, State.UNKNOWN) for one in said}
        _step(self.true, self._truth.get(place, ()))
        _step(self._claimed, said)
        for one in said:
            if one.action is Action.FOUND:
                self._take_found(place, one, before[one.who])
            elif one.action is not Action.LOSE:
                self._take_one(place, one)
            if one.after not in _WITHOUT_CORE:
                self._vague.discard(one.who)

    def _take_found(self, place: int, one: Said, before: State) -> None:
        now = [other for other in self._truth.get(place, ()) if other.who == one.who]
        real = {before, *(state for other in now for state in (other.before, other.after))}
        is_ready = one.after is State.READY
        if one.after in _WITHOUT_CORE:
            self._vague.add(one.who)
        if not real & {one.after, State.UNKNOWN} and not (is_ready and State.ACTIVE in real):
            self.false.append((place, one, real))

    def _take_one(self, place: int, one: Said) -> None:
        # An activation that may overlap an open one may be reported one event later.
        is_late = one.action is Action.ACTIVATE or one.who[0] is Kind.PERIOD
        places = (place, place - 1) if is_late else (place,)
        true = [other for at in places for other in self._truth.get(at, ())]
        found = [other for other in true if _agrees(one, other, is_vague=one.who in self._vague)]
        if not found:
            self.false.append((place, one, true))
        elif len(found) == 1 and one.who[0] in _COUNTED:
            self.same[one.who, one.instance].add(found[0].instance)

    def compare(self, place: int) -> None:
        """Compare the states after a row."""
        for who, state in self._claimed.items():
            real = self.true.get(who, State.UNKNOWN)
            is_ready = who in self._vague and (state, real) == (State.READY, State.ACTIVE)
            unsaid = state in {State.UNKNOWN, *_OVER} or real is State.UNKNOWN
            if state is not real and not unsaid and not is_ready:
                self.false.append((place, who, state, real))
                self._claimed[who] = State.UNKNOWN  # report the difference once


class Truth:
    """The output of a model for the whole trace."""

    def __init__(self, model: SystemModel, columns: EventColumns) -> None:
        """Feed the whole trace to a model."""
        self.said = said_by(model, columns)

    def false_claims(self, part: Cut, said: dict[int, list[Said]]) -> list[object]:
        """Return the wrong transitions and states of a cut trace, and ambiguous instances."""
        judge = _Judge(self.said)
        done = 0
        for row, place in enumerate(part.kept):
            for passed in range(done, place):
                _step(judge.true, self.said.get(passed, ()))
            done = place + 1
            if row == part.begin:
                judge.begin_gap()
            judge.take(place, said.get(row, ()))
            if not part.begin <= row < part.end:
                judge.compare(place)
        return [*judge.false, *(one for one in judge.same.items() if len(one[1]) > 1)]

    def unseen_runs(self, part: Cut, said: dict[int, list[Said]], rows: Iterable[int]) -> list[Who]:
        """Return the tasks that truly got a CPU at one of these rows without a transition."""
        missing = []
        for row in rows:
            found = {one.who for one in said.get(row, ()) if one.action in _STARTS}
            true = self.said.get(part.kept[row], ())
            missing += [
                one.who
                for one in true
                if one.action in _STARTS and one.who[0] is Kind.TASK and one.who not in found
            ]
        return missing


def _step(states: dict[Who, State], said: Iterable[Said]) -> None:
    for one in said:
        before = states.get(one.who, State.UNKNOWN)
        is_later = one.action is Action.ACTIVATE and before not in WITHOUT_INSTANCE
        if not is_later:
            states[one.who] = one.after


def _agrees(one: Said, true: Said, *, is_vague: bool) -> bool:
    who, is_any = true.who, one.who[1] == _ANY_CHANNEL
    if one.who != who and not (is_any and who[0] is Kind.CHANNEL):
        return False
    weaker = one.before is State.UNKNOWN or is_vague
    same_action = (
        one.action is true.action
        or (weaker and {one.action, true.action} <= _STARTS)
        or (weaker and {one.action, true.action} <= _CONTINUES)
        or (one.action is Action.ASSIGN and true.action in _GETS)
    )
    ready = {State.READY, State.ACTIVE} if is_vague else set[State]()
    unknown = State.UNKNOWN
    return (
        same_action
        and (
            one.before in {unknown, true.before}
            or true.before is unknown
            or {one.before, true.before} <= ready
        )
        and (
            one.after in {unknown, true.after}
            or true.after is unknown
            or {one.after, true.after} <= ready
        )
        and (one.source in {None, true.source} or true.source is None)
        and one.object in {None, true.object}
        and (
            one.action in _CONTINUES
            or one.value in {NOT_KNOWN, true.value}
            or true.value == NOT_KNOWN
        )
    )

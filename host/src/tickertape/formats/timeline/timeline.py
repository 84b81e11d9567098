"""Converts events to tracks with slices, as Perfetto and the viewer of Chrome show them.

    timeline = Timeline(boots)
    for columns in iter_events(reader, stream=stream):
        for part in timeline.feed(columns): ...
    for part in timeline.finish(): ...

The tracks follow from transitions (`SystemModel`), one chunk at a time, as columns. A slice on the
track of a core is the running process; on the track of a task, interrupt or runnable, its state; on
the track of a mutex, its owner. An unknown state has no slice. Messages are moments on the tracks
of their tasks, connected by a flow. A slice "N records missing" spans the time of a loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.ticks import Clock
from tickertape.formats.timeline.core_load import CoreLoad, LoadSteps
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, ON_CORE, Action, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.records import I64, U8
    from tickertape.model.boot import BootOf
    from tickertape.model.transitions import Transitions

END, BEGIN, MOMENT = range(3)

ENTITIES, CORES, _LOSSES, _LOADS = range(4)
_EPOCH_SHIFT: Final = 26
_SORTS: Final = 4  # in the lowest bits: numbers of tracks then usually encode in a byte or two
_STATES: Final = (
    frozenset(State) - {State.UNKNOWN, State.TERMINATED, State.FREE, State.USED, State.FULL}
) - {State.OVERFULL, State.CREATED, State.ENDED}
MESSAGES: Final = (Action.SEND, Action.RECEIVE, Action.REPLY)
"""Actions of messages that are shown; also the order of `Named.message`."""


@dataclass(frozen=True, slots=True)
class Track:
    """A track; `group` is the heading under which viewers show it, `boot` its epoch."""

    number: int
    name: str
    group: str
    boot: int
    is_counter: bool = False


@dataclass(frozen=True, eq=False)
class TrackEvents:
    """Events on tracks, as columns of equal length. Per track, time never steps back.

    Attributes:
        time_ns: time, i64.
        phase: END, BEGIN or MOMENT, u8.
        track: number of the track, i64.
        name: index into `Timeline.words`, i64; an END has the name of its slice.
        flow: number of the flow that begins here, i64; negative where it ends, 0 for none.
    """

    time_ns: I64
    phase: U8
    track: I64
    name: I64
    flow: I64


@dataclass(frozen=True, eq=False)
class Packets:
    """Events on tracks, encoded for Perfetto.

    Attributes:
        data: whole packets, u8; valid until the next part is requested.
        slices: number of begins and moments.
        flows: number of moments that end a flow.
    """

    data: U8
    slices: int
    flows: int


@dataclass(frozen=True, eq=False)
class Counters:
    """Values of counters, as columns of equal length: i64 time_ns, i64 track, f8 value."""

    time_ns: I64
    track: I64
    value: NDArray[np.float64]


Part = TrackEvents | Packets | Counters
"""A part of a timeline; `Packets` only if the consumer accepts them."""


@dataclass(frozen=True, eq=False)
class Slices:
    """Events on tracks and changes of load that follow from transitions.

    Attributes:
        events: slices and messages, in the order of the transitions.
        entities: entities with an event on their track, i64, ascending.
        cores: CPUs with an event on their track, i64, ascending.
        load_cpu: CPU that became busy or idle, i64.
        load_ns: time of this change, i64; per CPU in the order of the transitions.
        load_step: +1 busy or -1 idle, i64; an immediate successor is not a change.
    """

    events: TrackEvents | Packets
    entities: I64
    cores: I64
    load_cpu: I64
    load_ns: I64
    load_step: I64


@dataclass(frozen=True, eq=False)
class Named:
    """Kinds and names of entities, by index of the entity. Names are numbers of `Words`.

    Attributes:
        kind: kind, i64.
        name: name of a task or interrupt, i64; 0 for other kinds.
        message: names of messages on a channel, i64, shape (entities, 3), by MESSAGES.
    """

    kind: I64
    name: I64
    message: I64


class Words:
    """Strings by number, in order of their first use; number 0 is the empty string."""

    def __init__(self) -> None:
        """Create a table with the empty string."""
        self._numbers: dict[str, int] = {"": 0}

    def __len__(self) -> int:
        """Return the number of strings."""
        return len(self._numbers)

    def number(self, text: str) -> int:
        """Return the number of a string, a new one if necessary."""
        return self._numbers.setdefault(text, len(self._numbers))

    def since(self, first: int) -> list[str]:
        """Return all strings from a number on."""
        return list(self._numbers)[first:]


class Timeline:
    """Converts the events of one stream, in order of time, boot by boot.

    Attributes:
        words: all names in the parts.
        losses: number of missing records.
        epoch: boot of the current parts; -1 before the first one.
        last_ns: time of the last event of this boot.
    """

    def __init__(self, boots: BootOf) -> None:
        """Create a timeline.

        Args:
            boots: returns a `Boot` for an epoch.
        """
        self._model = system_model(lambda epoch: boots(epoch).names)
        self._boots = boots
        self._tracks: dict[int, Track] = {}
        self._load = CoreLoad()
        self.epoch = -1
        self._clock = Clock(None)
        self.last_ns = 0
        # By entity: word of the open slice, and CPU of its slice on the track of a core.
        self._open = np.zeros(0, np.int64)
        self._core = np.zeros(0, np.int64)
        self._since = np.zeros(0, np.int64)  # time of its last change
        self._flows: dict[tuple[int, int], int] = {}
        self._flow_count = 0
        self.words = Words()
        self._state_words = np.array([self._word(state) for state in State])
        self.losses = 0

    @property
    def tracks(self) -> Sequence[Track]:
        """All tracks, with the current names of the entities."""
        entities = self._model.entities
        found = []
        for number, track in self._tracks.items():
            place, kind = divmod(number & ((1 << _EPOCH_SHIFT) - 1), _SORTS)
            name = entities[place - 1].name if kind == ENTITIES else track.name
            found.append(Track(number, name, track.group, track.boot, track.is_counter))
        return found

    def feed(self, columns: EventColumns) -> Iterator[Part]:
        """Yield the parts for the next events."""
        if columns.epoch != self.epoch:
            yield from self.begin_boot(columns.epoch)
        if len(columns):
            self._clock.require(int(columns.time.max()))
        transitions = self._model.feed(columns)
        if len(columns):
            self.last_ns = max(self.last_ns, self._clock.ns(int(columns.time[-1])))
        self._grow()
        for found in self.slices(transitions, self._named()):
            self._declare(found.entities, found.cores)
            for cpu in np.unique(found.load_cpu).tolist():
                here = found.load_cpu == cpu
                self._load.steps(cpu, found.load_ns[here], found.load_step[here])
            yield found.events
        if columns.losses:
            yield self._missing(columns.losses)
        yield from self._counters()

    def begin_boot(self, epoch: int) -> Iterator[Part]:
        """End the current boot and begin another; needed only for boots without events."""
        if self.epoch >= 0:
            yield from self.finish()
        self._begin(epoch)

    def finish(self) -> Iterator[Part]:
        """End the open slices at the time of the last event."""
        still = np.flatnonzero(self._open)
        ran = still[self._core[still] >= 0]
        tracks = np.concatenate([self._numbers(ENTITIES, still), self._core_tracks(ran)])
        words = np.concatenate([self._open[still], self._named().name[ran]])
        times = np.full(len(tracks), self.last_ns, np.int64)
        phase = np.full(len(tracks), END, np.uint8)
        yield TrackEvents(times, phase, tracks, words, np.zeros(len(tracks), np.int64))
        self._open[:], self._core[:] = 0, -1
        self._since[:] = 0
        yield from self._counters(last_ns=self.last_ns)

    def lose(self, cpu: int, count: int, begin_ns: int, end_ns: int) -> TrackEvents:
        """Return a slice for records that are missing at the begin or end of a CPU's events."""
        self.losses += count
        track = self._track(_LOSSES, cpu, f"Losses of CPU {cpu}", "Losses")
        word = self.words.number(_missing_text(count, unknown=False))
        return _slice(track, word, begin_ns, max(begin_ns, end_ns))

    def _word(self, state: State) -> int:
        return self.words.number(state.name.capitalize()) if state in _STATES else 0

    def _begin(self, epoch: int) -> None:
        self.epoch, self._clock, self.last_ns = epoch, self._boots(epoch).clock, 0
        self._flows.clear()
        self._load = CoreLoad()

    def _grow(self) -> None:
        """Extend the columns by new entities."""
        more = len(self._model.entities) - len(self._open)
        if not more:
            return
        self._open = np.append(self._open, np.zeros(more, np.int64))
        self._core = np.append(self._core, np.full(more, -1))
        self._since = np.append(self._since, np.zeros(more, np.int64))

    def _named(self) -> Named:
        """Return kinds and names of all entities."""
        entities = list(self._model.entities)
        number, channels = self.words.number, [Kind.CHANNEL]
        name = [number(one.name) if one.kind in _PROCESSES else 0 for one in entities]
        message = [
            number(f"{action.name.lower()} {one.name}") if one.kind in channels else 0
            for one in entities
            for action in MESSAGES
        ]
        kinds = [one.kind for one in entities]
        arrays = [np.array(values, np.int64) for values in (kinds, name, message)]
        return Named(arrays[0], arrays[1], arrays[2].reshape(-1, len(MESSAGES)))

    def slices(self, t: Transitions, named: Named) -> Iterator[Slices]:
        """Yield the events on tracks that follow from transitions, in pieces."""
        rows: list[tuple[int, int, int, int, int]] = []  # as TrackEvents
        shown: set[int] = set()
        cores: set[int] = set()
        load = LoadSteps()
        times = self._clock.ns_column(t.time).tolist()
        for row, (time_ns, action) in enumerate(zip(times, t.action.tolist(), strict=True)):
            entity, source = int(t.entity[row]), int(t.source[row])
            word = self._word_after(t, row, named)
            if word >= 0:
                before = int(self._open[entity])
                is_mutex = named.kind[entity] == Kind.MUTEX
                # Taking a mutex again opens a new slice; a process that keeps its state does not.
                if word == before and not (is_mutex and word):
                    continue
                now_ns = time_ns
                if action == Action.LOSE:  # the state may have begun later on another CPU
                    now_ns = max(now_ns, int(self._since[entity]))
                self._since[entity] = now_ns
                left = int(self._core[entity])
                runs = t.after[row] in ON_CORE and named.kind[entity] in _PROCESSES
                core = int(t.cpu[row]) if runs else -1
                self._open[entity], self._core[entity] = word, core
                own, name = self._number(ENTITIES, entity), int(named.name[entity])
                if before:
                    rows.append((now_ns, END, own, before, 0))
                if left >= 0 and left != core:
                    rows.append((now_ns, END, self._number(CORES, left), name, 0))
                if word:
                    rows.append((now_ns, BEGIN, own, word, 0))
                    shown.add(entity)
                if core >= 0 and left != core:
                    rows.append((now_ns, BEGIN, self._number(CORES, core), name, 0))
                    cores.add(core)
                load.change(now_ns, left, core)
            elif action in MESSAGES and source != NO_ENTITY:
                flow = self._flow(Action(action), entity, int(t.value[row]))
                said = int(named.message[entity, MESSAGES.index(Action(action))])
                rows.append((time_ns, MOMENT, self._number(ENTITIES, source), said, flow))
                shown.add(source)
        columns = np.array(rows, np.int64).reshape(-1, 5).T
        yield Slices(
            TrackEvents(columns[0], columns[1].astype(np.uint8), *columns[2:]),
            np.array(sorted(shown), np.int64),
            np.array(sorted(cores), np.int64),
            *load.columns(),
        )

    def _word_after(self, t: Transitions, row: int, named: Named) -> int:
        """Return the word of the slice that is open after a transition: 0 none, -1 unchanged."""
        kind = named.kind[t.entity[row]]
        if kind in _PROCESSES or kind == Kind.RUNNABLE:
            return int(self._state_words[t.after[row]])
        if kind == Kind.MUTEX:
            if t.action[row] in _TAKES and t.source[row] != NO_ENTITY:
                return int(named.name[t.source[row]])
            if t.action[row] in _ENDS:
                return 0
        return -1

    def _flow(self, action: Action, channel: int, value: int) -> int:
        """Return the flow of a message, negative at its end; 0 when the message is unknown."""
        key = (channel, value)
        if value == NOT_KNOWN or action not in {Action.SEND, Action.RECEIVE}:
            return 0
        if action == Action.SEND:
            self._flow_count += 1
            self._flows[key] = self._flow_count
            return self._flow_count
        return -self._flows.pop(key, 0)

    def _missing(self, gaps: Sequence[Gap]) -> TrackEvents:
        found = []
        for gap in gaps:
            self.losses += gap.lost
            track = self._track(_LOSSES, gap.cpu, f"Losses of CPU {gap.cpu}", "Losses")
            word = self.words.number(_missing_text(gap.lost, unknown=gap.unknown))
            begin, end = gap.begin_ticks or 0, gap.end_ticks
            self._clock.require(end)
            begin_ns, end_ns = self._clock.ns(min(begin, end)), self._clock.ns(end)
            found.append(_slice(track, word, begin_ns, end_ns))
            self._load.lose(gap.cpu, begin_ns, end_ns)
        return TrackEvents(
            *(
                np.concatenate([getattr(one, name) for one in found])
                for name in ("time_ns", "phase", "track", "name", "flow")
            )
        )

    def _counters(self, last_ns: int | None = None) -> Iterator[Counters]:
        for cpu, times, values in self._load.take(self.last_ns if last_ns is None else last_ns):
            number = self._track(_LOADS, cpu, f"Load of CPU {cpu}", "CPUs", is_counter=True)
            yield Counters(times, np.full(len(times), number, np.int64), values)

    def _numbers(self, kind: int, place: NDArray[np.integer]) -> I64:
        return self._number(kind, 0) + _SORTS * place.astype(np.int64)

    def _number(self, kind: int, place: int) -> int:
        """Return the number of a track; the lowest bits are its kind, and no track is 0."""
        return (self.epoch << _EPOCH_SHIFT) + _SORTS * (place + 1) + kind

    def _cpu_tracks(self, cpu: I64) -> I64:
        return self._numbers(CORES, np.maximum(cpu, 0))

    def _core_tracks(self, entity: I64) -> I64:
        return self._cpu_tracks(self._core[entity])

    def _declare(self, entity: I64, cores: I64) -> None:
        for index in entity.tolist():
            one = self._model.entities[index]
            self._track(ENTITIES, index, one.name, _GROUPS[one.kind])
        for cpu in cores.tolist():
            self._track(CORES, cpu, f"CPU {cpu}", "CPUs")

    def _track(
        self, kind: int, place: int, name: str, group: str, *, is_counter: bool = False
    ) -> int:
        number = self._number(kind, place)
        if number not in self._tracks:
            self._tracks[number] = Track(number, name, group, self.epoch, is_counter)
        return number


_PROCESSES: Final = frozenset({Kind.TASK, Kind.INTERRUPT})
_TAKES: Final = frozenset({Action.TAKE, Action.ASSIGN, Action.GRANT})
_ENDS: Final = frozenset({Action.GIVE, Action.LOSE})
_GROUPS: Final[Mapping[Kind, str]] = {
    Kind.TASK: "Tasks",
    Kind.INTERRUPT: "Interrupts",
    Kind.RUNNABLE: "Runnables",
    Kind.MUTEX: "Mutexes",
}


def _missing_text(count: int, *, unknown: bool) -> str:
    if unknown:
        return (
            f"{count} records missing, and an unknown number more" if count else "records missing"
        )
    return f"{count} records missing"


def _slice(track: int, word: int, begin_ns: int, end_ns: int) -> TrackEvents:
    return TrackEvents(
        np.array([begin_ns, end_ns], np.int64),
        np.array([BEGIN, END], np.uint8),
        np.full(2, track, np.int64),
        np.array([word, word], np.int64),
        np.zeros(2, np.int64),
    )

"""The kernel as tracks with slices on them: what Perfetto and Chrome's viewer show.

    timeline = Timeline(names_of, tick_hz_of)
    for columns in iter_events(reader, stream=stream):
        for part in timeline.feed(columns): ...
    for part in timeline.finish(): ...

Everything comes from transitions (`SystemModel`), a chunk at a time, as columns. On the track of a
core a slice is whoever runs there; on that of a task, interrupt or runnable it is its state; on
that of a mutex it is who holds it. What is not known has no slice. Messages are moments on the
tracks of their tasks, tied by a flow. A slice "N records missing" spans the time in which they
went.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.formats.arrow.batches import time_ns
from tickertape.formats.timeline.core_load import CoreLoad, load_steps
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.transitions import NOBODY, NOT_KNOWN, Action, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.records import I64, U8
    from tickertape.model.names import Names
    from tickertape.model.transitions import Transitions

END, BEGIN, MOMENT = range(3)

ENTITIES, CORES, _LOSSES, _LOADS = range(4)
_EPOCH_SHIFT: Final = 26
_SORTS: Final = 4  # in the lowest bits: so tracks of a usual tape have numbers of a byte or two
_STATES: Final = (
    frozenset(State) - {State.UNKNOWN, State.TERMINATED, State.FREE, State.USED, State.FULL}
) - {State.OVERFULL}
_NS_PER_S: Final = 1_000_000_000
_SLOTS: Final = 4  # a transition ends and begins at most a slice of its own and one of its core
MESSAGES: Final = (Action.SEND, Action.RECEIVE, Action.REPLY)
"""What is shown of messages; also the order of `Named.messages`."""


@dataclass(frozen=True, slots=True)
class Track:
    """A track: its number, what it is called, and in which group of which boot it stands."""

    number: int
    name: str
    group: str
    boot: int
    is_counter: bool = False


@dataclass(frozen=True, eq=False)
class TrackEvents:
    """What happens on tracks, as columns of equal length. Per track, time never steps back.

    Attributes:
        time_ns: i64.
        phase: u8, END, BEGIN or MOMENT.
        track: i64, number of a track.
        name: i64, index into `Timeline.words`; of an END that of its slice.
        flow: i64, number of the flow that begins here, negative where it ends; 0 for none.
    """

    time_ns: I64
    phase: U8
    track: I64
    name: I64
    flow: I64


@dataclass(frozen=True, eq=False)
class Packets:
    """The same for Perfetto, encoded.

    Attributes:
        data: u8, whole packets, good until the next part is asked for.
        slices: begins and moments among them.
        flows: moments that end a flow.
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
"""What a timeline gives; packets only to one who takes them."""


@dataclass(frozen=True, eq=False)
class Slices:
    """What transitions mean for the tracks.

    Attributes:
        events: slices and messages, in the order of the transitions.
        entities: i64, ascending: whose tracks have something on them.
        cores: i64, ascending: CPUs whose tracks have.
        load_cpu: i64, CPUs on which somebody began or ceased to run.
        load_ns: i64, when; per CPU in the order of the transitions.
        load_step: i64, +1 or -1; whoever follows at once is not counted.
    """

    events: TrackEvents | Packets
    entities: I64
    cores: I64
    load_cpu: I64
    load_ns: I64
    load_step: I64


@dataclass(frozen=True, eq=False)
class Named:
    """What entities are called, as numbers of words, by index.

    Attributes:
        kind: i64, their kinds.
        name: i64, the name of a task or interrupt, else 0.
        message: i64, three for each: what a message of this channel is called, by MESSAGES.
    """

    kind: I64
    name: I64
    message: I64


class Words:
    """Strings by number, in order of their first use; number 0 is the empty one."""

    def __init__(self) -> None:
        """Begin with the empty one."""
        self._numbers: dict[str, int] = {"": 0}

    def __len__(self) -> int:
        """Count them."""
        return len(self._numbers)

    def number(self, text: str) -> int:
        """Give the number of a string."""
        return self._numbers.setdefault(text, len(self._numbers))

    def since(self, first: int) -> list[str]:
        """Give all strings from a number on."""
        return list(self._numbers)[first:]


class Timeline:
    """Takes the events of one stream in order of time, boot after boot.

    Attributes:
        words: all names that are used.
        losses: records missing.
        epoch: the boot of which parts are given; -1 before the first one.
        last_ns: time of the last event of this boot.
    """

    def __init__(self, names_of: Callable[[int], Names], tick_hz_of: Callable[[int], int]) -> None:
        """Get ready.

        Args:
            names_of: names within a boot, by epoch.
            tick_hz_of: clock rate of a boot, by epoch.
        """
        self._model = system_model(names_of)
        self._tick_hz_of = tick_hz_of
        self._tracks: dict[int, Track] = {}
        self._load = CoreLoad()
        self.epoch = -1
        self._hz = _NS_PER_S
        self.last_ns = 0
        # By entity: the word of the slice that is open, the number of its state, and its core.
        self._open = np.zeros(0, np.int64)
        self._state = np.zeros(0, np.int64)
        self._core = np.zeros(0, np.int64)
        self._since = np.zeros(0, np.int64)  # time of its last change
        self._flows: dict[tuple[int, int], int] = {}
        self._flow_count = 0
        self.words = Words()
        self._state_words = np.array([self._word(state) for state in State])
        self.losses = 0

    @property
    def tracks(self) -> Sequence[Track]:
        """All tracks; those of tasks with the names that they have now."""
        entities = self._model.entities
        found = []
        for number, track in self._tracks.items():
            place, kind = divmod(number & ((1 << _EPOCH_SHIFT) - 1), _SORTS)
            name = entities[place - 1].name if kind == ENTITIES else track.name
            found.append(Track(number, name, track.group, track.boot, track.is_counter))
        return found

    def feed(self, columns: EventColumns) -> Iterator[Part]:
        """Take the next events; gives what they mean for the tracks."""
        if columns.epoch != self.epoch:
            yield from self.begin_boot(columns.epoch)
        transitions = self._model.feed(columns)
        if len(columns):
            self.last_ns = max(self.last_ns, int(time_ns(columns.time[-1:], self._hz)[0]))
        self._grow()
        for found in self.slices(transitions, self._named()):
            self._declare(found.entities, found.cores)
            for cpu in np.unique(found.load_cpu).tolist():
                here = found.load_cpu == cpu
                self._load.steps(cpu, found.load_ns[here], found.load_step[here])
            yield found.events
        if columns.gaps:
            yield self._missing(columns.gaps)
        yield from self._counters()

    def begin_boot(self, epoch: int) -> Iterator[Part]:
        """End the boot before this one; `feed` does it as well, for a boot that has events."""
        if self.epoch >= 0:
            yield from self.finish()
        self._begin(epoch)

    def finish(self) -> Iterator[Part]:
        """End what is open, at the time of the last event."""
        still = np.flatnonzero(self._open)
        ran = still[self._state[still] == State.RUNNING]
        ran = ran[self._core[ran] >= 0]
        tracks = np.concatenate([self._numbers(ENTITIES, still), self._core_tracks(ran)])
        words = np.concatenate([self._open[still], self._named().name[ran]])
        times = np.full(len(tracks), self.last_ns, np.int64)
        phase = np.full(len(tracks), END, np.uint8)
        yield TrackEvents(times, phase, tracks, words, np.zeros(len(tracks), np.int64))
        self._open[:], self._core[:] = 0, -1
        self._state[:] = State.UNKNOWN
        self._since[:] = 0
        yield from self._counters(last_ns=self.last_ns)

    def lose(self, cpu: int, count: int, begin_ns: int, end_ns: int) -> TrackEvents:
        """Mark records that are missing behind the last event of a CPU."""
        self.losses += count
        track = self._track(_LOSSES, cpu, f"Losses of CPU {cpu}", "Losses")
        word = self.words.number(_missing_text(count, unknown=False))
        return _slice(track, word, begin_ns, max(begin_ns, end_ns))

    def _word(self, state: State) -> int:
        return self.words.number(state.name.capitalize()) if state in _STATES else 0

    def _begin(self, epoch: int) -> None:
        self.epoch, self._hz, self.last_ns = epoch, self._tick_hz_of(epoch), 0
        self._flows.clear()
        self._load = CoreLoad()

    def _grow(self) -> None:
        """Make room for entities that are new."""
        more = len(self._model.entities) - len(self._open)
        if not more:
            return
        self._open = np.append(self._open, np.zeros(more, np.int64))
        self._state = np.append(self._state, np.zeros(more, np.int64))
        self._core = np.append(self._core, np.full(more, -1))
        self._since = np.append(self._since, np.zeros(more, np.int64))

    def _named(self) -> Named:
        """Number the words for all entities."""
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
        """Tell what transitions mean for the tracks, piece by piece."""
        times, words = time_ns(t.time, self._hz), self._now_open(t, named)
        rows, before, was = self._changes(t, words, named.kind)
        entity, word = t.entity[rows].astype(np.int64), words[rows]
        state, cpu = t.after[rows].astype(np.int64), t.cpu[rows].astype(np.int64)
        is_first = _differs(entity)
        is_process = np.isin(named.kind[entity], list(_PROCESSES))
        # A process ran where it began to; no row between has changed that.
        began = np.where(is_first, self._core[entity], np.append(-1, cpu[:-1])[: len(rows)])
        core_before = np.where((was == State.RUNNING) & is_process, began, -1)
        core_now = np.where((state == State.RUNNING) & is_process, cpu, -1)
        is_last = np.append(is_first[1:], True)[: len(rows)]
        self._open[entity[is_last]] = word[is_last]
        self._state[entity[is_last]] = state[is_last]
        self._core[entity[is_last]] = core_now[is_last]
        when = self._not_before_begin(t, times[rows], rows, entity)
        own, names = self._numbers(ENTITIES, entity), named.name[entity]
        grid = [
            (before != 0, END, own, before),
            (core_before >= 0, END, self._cpu_tracks(core_before), names),
            (word != 0, BEGIN, own, word),
            (core_now >= 0, BEGIN, self._cpu_tracks(core_now), names),
        ]
        moments, flows = self._messages(t)
        source = t.source[moments].astype(np.int64)
        order_of = {action: place for place, action in enumerate(MESSAGES)}
        which = np.array([order_of[action] for action in t.action[moments].tolist()], np.int64)
        said = (source, named.message[t.entity[moments], which], flows)
        yield Slices(
            self._gathered(times, (rows, when), grid, (moments, *said)),
            np.unique(np.concatenate([entity[word != 0], source])),
            np.unique(core_now[core_now >= 0]),
            *load_steps(when, rows, core_before, core_now),
        )

    def _now_open(self, t: Transitions, named: Named) -> I64:
        """Give the word of the slice that each transition leaves open: 0 none, -1 as it was."""
        kind = named.kind[t.entity]
        words = np.full(len(t), -1, np.int64)
        process = np.isin(kind, [*_PROCESSES, Kind.RUNNABLE])
        words[process] = self._state_words[t.after[process]]
        mutex = kind == Kind.MUTEX
        taken = mutex & np.isin(t.action, [Action.TAKE, Action.ASSIGN, Action.GRANT])
        taken &= t.source != NOBODY
        words[taken] = named.name[t.source[taken]]
        words[mutex & np.isin(t.action, [Action.GIVE, Action.LOSE])] = 0
        return words

    def _not_before_begin(self, t: Transitions, when: I64, rows: I64, entity: I64) -> I64:
        """Let a loss end no slice before it began: what is lost of one CPU began on another."""
        is_first = _differs(entity)
        for place in np.flatnonzero(t.action[rows] == Action.LOSE).tolist():
            last = self._since[entity[place]] if is_first[place] else when[place - 1]
            when[place] = max(int(when[place]), int(last))
        is_last = np.append(is_first[1:], True)[: len(rows)]
        self._since[entity[is_last]] = when[is_last]
        return when

    def _changes(self, t: Transitions, words: I64, kinds: I64) -> tuple[I64, I64, I64]:
        """Find the transitions that end or begin a slice, entity by entity.

        Returns:
            Their rows, and the word and the state that stood before each.
        """
        rows = np.flatnonzero(words >= 0)
        rows = rows[np.argsort(t.entity[rows], kind="stable")]
        entity, word = t.entity[rows].astype(np.int64), words[rows]
        before = np.where(_differs(entity), self._open[entity], _shifted(word))
        # Whoever takes a mutex again begins anew; a process that stays in its state does not.
        moves = (word != before) | (kinds[entity] == Kind.MUTEX) & (word != 0)
        rows, entity, before = rows[moves], entity[moves], before[moves]
        state = t.after[rows].astype(np.int64)
        return rows, before, np.where(_differs(entity), self._state[entity], _shifted(state))

    def _gathered(
        self,
        times: I64,
        changes: tuple[I64, I64],
        grid: list[tuple[NDArray[np.bool_], int, I64, I64]],
        messages: tuple[I64, I64, I64, I64],
    ) -> TrackEvents:
        """Put ends, begins and messages into the order of their transitions."""
        rows, times_of_changes = changes
        place = [rows[here] * _SLOTS + slot for slot, (here, *_) in enumerate(grid)]
        moments, m_sources, m_words, m_flows = messages
        place.append(moments * _SLOTS)
        order = np.argsort(np.concatenate(place), kind="stable")
        counts = [int(np.count_nonzero(here)) for here, *_ in grid]
        kinds = [np.full(n, kind, np.uint8) for n, (_, kind, *_) in zip(counts, grid, strict=True)]
        phase = np.concatenate([*kinds, np.full(len(moments), MOMENT, np.uint8)])
        m_tracks = self._numbers(ENTITIES, m_sources)
        track = np.concatenate([*(track[here] for here, _, track, _ in grid), m_tracks])
        word = np.concatenate([*(word[here] for here, _, _, word in grid), m_words])
        flow = np.concatenate([np.zeros(sum(counts), np.int64), m_flows])
        when = np.concatenate([*(times_of_changes[here] for here, *_ in grid), times[moments]])
        return TrackEvents(when[order], phase[order], track[order], word[order], flow[order])

    def _messages(self, t: Transitions) -> tuple[I64, I64]:
        """Find the messages of which it is known who has to do with them, with their flows."""
        rows = np.flatnonzero(np.isin(t.action, MESSAGES) & (t.source != NOBODY))
        columns = (t.action[rows], t.entity[rows], t.value[rows])
        found = zip(*(column.tolist() for column in columns), strict=True)
        return rows, np.array([self._flow(Action(one), *rest) for one, *rest in found], np.int64)

    def _flow(self, action: Action, channel: int, value: int) -> int:
        """Number the flow of a message; 0 where nobody knows which message it is."""
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
            times = time_ns(np.array([min(begin, end), end], np.uint64), self._hz)
            found.append(_slice(track, word, int(times[0]), int(times[1])))
            self._load.lose(gap.cpu, int(times[0]), int(times[1]))
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
        """Number the track of one; the lowest bits say what it shows, and no track is 0."""
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
_GROUPS: Final[Mapping[Kind, str]] = {
    Kind.TASK: "Tasks",
    Kind.INTERRUPT: "Interrupts",
    Kind.RUNNABLE: "Runnables",
    Kind.MUTEX: "Mutexes",
}


def _differs(values: I64) -> NDArray[np.bool_]:
    """Tell which differ from the one before; the first does."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _shifted(values: I64) -> I64:
    """Give for each the one before; 0 for the first."""
    return np.append(0, values[:-1])[: len(values)]


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

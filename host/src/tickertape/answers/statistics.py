"""Statistics of a tape: times of tasks, interrupts, objects and events, each with its limits.

Times are ticks. Every figure covers the instances that were activated and ended within the observed
time (and the requested range). Its limits follow from the unknown time (docs/stats.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tickertape.answers.attribution import TRACERS
from tickertape.answers.compiled_gathering import gathering_of
from tickertape.answers.limits import OBJECTS, STATES
from tickertape.answers.reading import parts_of
from tickertape.answers.sample import Distribution, Figure, Unseen
from tickertape.answers.tracing import Tally, Tracing, buffers_of
from tickertape.model.boot import Boots
from tickertape.model.entities import Entities, Kind
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import CLASS_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tickertape.answers.gathering import Gathered, Gathering, OfEvent
    from tickertape.answers.limits import Blind, Spread
    from tickertape.answers.locks import Use
    from tickertape.answers.observed import Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.sample import Sample
    from tickertape.decode.ticks import Clock
    from tickertape.model.cpu_time import CpuTime
    from tickertape.tape.reader import TapeReader

_SAYING: Final = (EventClass.SCHED, EventClass.THREAD, EventClass.INT, EventClass.SYNC)
_LAST_TICK: Final = (1 << 63) - 1
_NOBODY: Final = -1
_EDGES: Final = 2
"""Most changes of a task that a place hides although their events are on the tape."""


@dataclass(frozen=True, slots=True)
class BlockingStats:
    """Sum of the waits of a task of one kind, for one object, with one owner; see `Segment`."""

    object: int
    event: int
    owner: int
    ticks: Figure


@dataclass(frozen=True, slots=True)
class UseStats:
    """Use of a mutex, semaphore, spin lock or channel; see `Use`."""

    takes: Figure
    contended: Figure
    others: dict[str, Figure]
    holds: Distribution
    waits: Distribution


@dataclass(frozen=True, slots=True)
class StackStats:
    """The stack of a task, as the target reported it.

    Attributes:
        unused_bytes: least number of unused bytes reported; a lost report may contain fewer.
        size_bytes: size of the stack; None if unknown.
    """

    unused_bytes: Figure
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class ProcessStats:
    """One task or interrupt in one boot.

    Attributes:
        entity: index into the entities.
        kind: TASK or INTERRUPT.
        number: thread or exception number.
        name: its name.
        ticks: CPU time, as in `info`.
        observed_ticks: observed time of one CPU in this boot, including `ticks`.
        activations: number of activations.
        uncertain: number of instances whose begin or end is unknown because of unknown time.
        response: ticks from activation to end.
        execution: ticks on a CPU.
        latency: ticks from an activation or release until it runs.
        period: ticks between two activations with no unknown time between them.
        preemptions: number of preemptions by tasks, also of instances that have not ended.
        interruptions: number of interruptions by interrupts, likewise.
        nesting: INTERRUPT: greatest number of interrupts on its CPU when it began to run, itself
            included.
        blockings: waits, the longest sum first.
        misses: number of missed deadlines that the kernel reported.
        stack: stack of a task; None if the target did not report it.
    """

    entity: int
    kind: Kind
    number: int
    name: str
    ticks: Figure
    observed_ticks: int
    activations: Figure
    uncertain: int
    response: Distribution
    execution: Distribution
    latency: Distribution
    period: Distribution
    preemptions: Figure
    interruptions: Figure
    nesting: Figure
    blockings: tuple[BlockingStats, ...]
    misses: Figure
    stack: StackStats | None


@dataclass(frozen=True, slots=True)
class EventStats:
    """Events of one type of the application; distances have no unknown time between them."""

    code: int
    count: Figure
    distance: Distribution


@dataclass(frozen=True, slots=True)
class BootStats:
    """The statistics of one boot.

    Attributes:
        epoch: number of the boot on the tape.
        clock: clock of the target.
        cpus: time of each CPU, as in `info`.
        processes: tasks and interrupts, the one with the most CPU time first.
        uses: uses of mutexes, semaphores, spin locks and channels, by entity.
        events: event types of class USER and of the application's classes.
        unknown: intervals in which events may be missing.
        missing: classes that the figures depend on but that have no event in the boot.
        entities: entities of the model, by index.
        tracing: cost of recording the events.
    """

    epoch: int
    clock: Clock
    cpus: dict[int, CpuTime]
    processes: tuple[ProcessStats, ...]
    uses: dict[int, UseStats]
    events: tuple[EventStats, ...]
    unknown: tuple[Unknown, ...]
    missing: tuple[EventClass, ...]
    entities: Entities
    tracing: Tracing

    @property
    def observed_ticks(self) -> int:
        """Observed time of all CPUs."""
        return sum(cpu.observed_ticks for cpu in self.cpus.values())

    @property
    def unknown_ticks(self) -> int:
        """Time of all CPUs with an unknown owner."""
        return sum(cpu.unknown_ticks for cpu in self.cpus.values())

    @property
    def drain(self) -> tuple[ProcessStats, ...]:
        """The tasks and interrupts that drain the trace, recognized by name."""
        return tuple(one for one in self.processes if one.name in TRACERS)

    def name(self, entity: int) -> str:
        """Return the name of an entity; empty for none."""
        return self.entities[entity].name if entity >= 0 else ""


def statistics_of(
    reader: TapeReader,
    *,
    epochs: Sequence[int] | None = None,
    stream: int | None = None,
    begin_ns: int | None = None,
    end_ns: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Iterator[BootStats]:
    """Yield the statistics of each boot, in one pass over the tape.

    Args:
        reader: the tape.
        epochs: the boots to read; None for all.
        stream: the stream to read; None for the default stream of each boot.
        begin_ns: begin of the range to count; None for no limit.
        end_ns: end of the range to count; None for no limit.
        on_progress: called with the number of events so far.
    """
    boots, done = Boots(reader), 0

    def window_of(epoch: int) -> tuple[int, int]:
        span = boots.clock(epoch).ticks_between(begin_ns, end_ns) or (1, 0)
        return min(span[0], _LAST_TICK), min(span[1], _LAST_TICK)

    for epoch in reader.epochs if epochs is None else epochs:
        gathering, last = gathering_of(window_of(epoch)), None
        tally: Tally | None = None
        for part in parts_of(
            reader,
            epochs=[epoch],
            stream=stream,
            window_of=window_of,
            keeps=True,
        ):
            gathering.feed(part)
            last, tally = part, tally or Tally(part.entities, window_of(epoch))
            if part.columns is not None and part.transitions is not None:
                tally.feed(part.columns, part.transitions)
                done += len(part.columns)
                if on_progress is not None:
                    on_progress(done)
        if last is not None and tally is not None:
            found = tally.result(buffers_of(reader, epoch, stream))
            yield _boot_of(epoch, boots.clock(epoch), gathering, last, found)


def without_tracer(boot: BootStats) -> BootStats:
    """Return statistics with the cost of tracing subtracted from CPU times, as limits.

    The CPU time of the drain becomes 0. Other figures stay as recorded, because the kernel might
    have scheduled differently without the tracer. The lower limit is 0 when the cost is unknown.
    """
    return replace(boot, processes=tuple(_without(one, boot) for one in boot.processes))


def _without(one: ProcessStats, boot: BootStats) -> ProcessStats:
    cost, ticks = boot.tracing.of(one.entity).ticks, one.ticks
    if one.name in TRACERS:
        return replace(one, ticks=Figure(0, 0, 0))
    low = 0 if cost.high is None else max(0, ticks.low - cost.high)
    high = None if ticks.high is None else max(0, ticks.high - cost.low)
    return replace(one, ticks=Figure(None, low, high))


def _boot_of(
    epoch: int, clock: Clock, gathering: Gathering, last: Part, tracing: Tracing
) -> BootStats:
    cpus = last.times.by_cpu()
    observed = gathering.observed
    processes = [
        _process_of(entity, ticks, gathering, last, cpus)
        for entity, ticks in last.times.by_entity().items()
    ]
    return BootStats(
        epoch=epoch,
        clock=clock,
        cpus=cpus,
        processes=tuple(sorted(processes, key=lambda one: -(one.ticks.value or 0))),
        uses={
            entity: _use_of(use, gathering, len(processes))
            for entity, use in sorted(gathering.uses.by_entity.items())
        },
        events=tuple(_event_of(*one, gathering) for one in sorted(gathering.events.items())),
        unknown=tuple(gathering.unknown()),
        missing=tuple(one for one in _SAYING if not observed.has(one)),
        entities=last.entities,
        tracing=tracing,
    )


def _event_of(code: int, found: OfEvent, gathering: Gathering) -> EventStats:
    hidden = gathering.blind_to_events(code >> CLASS_SHIFT)
    count = hidden.counted(found.count, is_certain=True)
    return EventStats(code, count, _distances(found.distance, found.seen, count, gathering, hidden))


def _distances(
    found: Sample, seen: Spread, count: Figure, gathering: Gathering, hidden: Blind
) -> Distribution:
    """Return the distances of successive events; one is unseen where an event may be missing."""
    if hidden.nothing:
        return found.distribution()
    high = seen.limit(*gathering.span)
    more = None if count.high is None else max(0, int(count.high) - 1 - found.count)
    return found.distribution(Unseen(more, high))


def _use_of(found: Use, gathering: Gathering, tasks: int) -> UseStats:
    hidden, each = gathering.blind(OBJECTS), tasks + _EDGES
    begin, end = gathering.span
    unseen = hidden.unseen(found.used.limit(begin, end), each=each)
    waits = hidden.unseen(end - begin, each=each)
    less = hidden.deselected
    return UseStats(
        takes=hidden.counted(found.takes, each=each),
        contended=hidden.counted(found.contended, each=each),
        others={word: hidden.counted(one, each=each) for word, one in found.others.items()},
        holds=found.holds.distribution(unseen, less=less),
        waits=found.waits.distribution(waits, less=less),
    )


def _process_of(
    entity: int, ticks: int, gathering: Gathering, last: Part, cpus: dict[int, CpuTime]
) -> ProcessStats:
    one, found = last.entities[entity], gathering.processes[entity]
    unseen, execution, latency = gathering.unseen(one.kind, entity)
    unknown = sum(cpu.unknown_ticks for cpu in cpus.values())
    unknown -= gathering.unowned(one.number if one.kind is Kind.TASK else _NOBODY)
    charged = _charged(ticks, one.kind, max(0, unknown), gathering.without_interrupts())
    states, served = gathering.blind(STATES), gathering.blind([*STATES, EventClass.INT])
    more = unseen.count
    activations = Figure(
        found.activations,
        found.activations,
        None if more is None else found.activations + more,
    )
    return ProcessStats(
        entity=entity,
        kind=one.kind,
        number=one.number,
        name=one.name,
        ticks=charged,
        observed_ticks=max((cpu.observed_ticks for cpu in cpus.values()), default=0),
        activations=activations,
        uncertain=found.uncertain,
        response=found.response.distribution(unseen),
        execution=found.execution.distribution(execution, less=gathering.without_interrupts()),
        latency=found.latency.distribution(latency, less=states.deselected),
        period=_distances(found.period, found.activated, activations, gathering, states),
        preemptions=_partly(
            states.counted(found.preemptions, each=_EDGES), found.preemptions_partly
        ),
        interruptions=_partly(
            served.counted(found.interruptions, each=_EDGES, is_certain=True),
            found.interruptions_partly
            + (0 if served.nothing else gathering.loose_services(last.entities)),
        ),
        nesting=gathering.blind([EventClass.INT]).counted(found.nesting, is_certain=True),
        blockings=_blockings_of(found, gathering, last.entities, charged),
        misses=_misses_of(found, gathering),
        stack=_stack_of(found, gathering),
    )


def _stack_of(found: Gathered, gathering: Gathering) -> StackStats | None:
    least = found.stack_unused_bytes
    if least is None:
        return None
    low = least if gathering.blind_to_events(EventClass.SYSTEM).records == 0 else 0
    return StackStats(Figure(least, low, least), found.stack_size_bytes)


def _misses_of(found: Gathered, gathering: Gathering) -> Figure:
    count = gathering.blind_to_events(EventClass.SCHED).counted(found.misses, is_certain=True)
    return _partly(count, found.misses_perhaps + gathering.misses_of_anyone)


def _partly(figure: Figure, more: int) -> Figure:
    """Return a number that may be greater by `more`."""
    return figure._replace(high=None if figure.high is None else figure.high + more)


def _blockings_of(
    found: Gathered, gathering: Gathering, entities: Entities, charged: Figure
) -> tuple[BlockingStats, ...]:
    """Return the waits of a task; it waits for nothing while it has a CPU."""
    hidden = gathering.blind(OBJECTS)
    begin, end = gathering.span
    most = max(0, end - begin - int(charged.low))

    def figure(at: tuple[int, int, int], ticks: int) -> Figure:
        if hidden.nothing:
            return Figure(ticks, ticks, ticks)
        object_, _, owner = at
        is_owned = object_ >= 0 and entities[object_].kind in {Kind.MUTEX, Kind.SPINLOCK}
        # Without its owner, the wait may be one of another row.
        is_certain = not (hidden.deselected or (is_owned and owner < 0))
        return Figure(ticks, ticks if is_certain else 0, max(ticks, most))

    blockings = [BlockingStats(*at, figure(at, one)) for at, one in found.blockings.items()]
    return tuple(sorted(blockings, key=_by_ticks))


def _by_ticks(one: BlockingStats) -> tuple[float, int, int, int]:
    return -(one.ticks.value or 0), one.owner, one.event, one.object


def _charged(ticks: int, kind: Kind, unknown: int, without_interrupts: int) -> Figure:
    """Return CPU time with limits from unknown time and from interrupts that were deselected."""
    if kind is Kind.INTERRUPT:
        return Figure(ticks, ticks, ticks + unknown + without_interrupts)
    return Figure(ticks, max(0, ticks - without_interrupts), ticks + unknown)

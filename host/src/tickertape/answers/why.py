"""Explain response times: attribute each tick between activation and end of an instance.

    (worst,) = why(reader, Choice("control"))
    worst.ticks == sum(part.ticks for part in worst.parts)

Two passes over the tape: the first finds the instances, the second attributes their ticks
(`attribution`). Memory depends on the number of entities and on the chosen instances.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.answers.attribution import ANY_INSTANCE, Cause, Window, parts_of
from tickertape.answers.compiled_attribution import attribution_of
from tickertape.answers.events import events_of
from tickertape.answers.places import Finder, names_of
from tickertape.answers.tracing import Tally, Tracing, buffers_of
from tickertape.decode.events import DecodeCounters
from tickertape.model.compiled_system import system_model
from tickertape.model.transitions import scheduled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tickertape.answers.attribution import Path, Segment, Step
    from tickertape.answers.places import Choice, Place
    from tickertape.decode.ticks import Clock
    from tickertape.model.entities import Entities
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a response time.

    Attributes:
        step: its cause.
        ticks: its length.
        parts: ticks of the process or earlier instance that the task waited for, by cause; they
            add up to `ticks`. Empty for other causes.
    """

    step: Step
    ticks: int
    parts: tuple[Part, ...] = ()

    @property
    def label(self) -> str:
        """Its cause in words."""
        return label_of(self.step)

    def to_json(self, clock: Clock) -> dict[str, object]:
        """Return JSON values."""
        return {
            "cause": self.step.cause.value,
            "by": self.step.by,
            "on": self.step.on,
            "label": self.label,
            "ticks": self.ticks,
            "ns": clock.known_ns(self.ticks),
            "parts": [part.to_json(clock) for part in self.parts],
        }


@dataclass(frozen=True, slots=True)
class Why:
    """The causes of the response time of one instance of a task.

    Attributes:
        task: name of the task.
        tid: number of the task.
        epoch: boot of the target within the tape.
        instance: number of the instance, counted from 0 on the tape, as in BTF exports; None for a
            range of time.
        begin_ticks: activation of the instance; if unknown, the time of the event that shows it
            again.
        end_ticks: end of the instance; if unknown, the time from which it is lost or the last
            record of the boot.
        begin_known: whether the activation is known.
        ended: whether the end is known.
        parts: ticks by cause, the longest part first; they add up to `ticks`.
        clock: clock of the boot.
        segments: the causes in order of time; if there are very many, only the latest.
        tracing: the events of all CPUs in this time and their cost; None if not computed.
    """

    task: str
    tid: int
    epoch: int
    instance: int | None
    begin_ticks: int
    end_ticks: int
    begin_known: bool
    ended: bool
    parts: tuple[Part, ...]
    clock: Clock
    segments: tuple[Segment, ...] = field(default=(), repr=False)
    tracing: Tracing | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        """Task and instance in words."""
        which = "a range of time" if self.instance is None else f"instance {self.instance}"
        return f"{self.task}, {which}"

    @property
    def ticks(self) -> int:
        """Response time, or length of the range."""
        return self.end_ticks - self.begin_ticks

    @property
    def unknown_ticks(self) -> int:
        """Number of ticks without a known cause."""
        return _unknown(self.parts)

    @property
    def tracing_ticks(self) -> int | None:
        """Greatest number of ticks that tracing added to the response time; None if unknown."""
        if self.tracing is None or self.tracing.ticks.high is None:
            return None
        return min(self.ticks, int(self.tracing.ticks.high))

    def to_json(self) -> dict[str, object]:
        """Return JSON values; docs/why.md lists the keys."""
        return {
            "task": self.task,
            "tid": self.tid,
            "epoch": self.epoch,
            "instance": self.instance,
            "begin_ns": self.clock.known_ns(self.begin_ticks),
            "begin_ticks": self.begin_ticks,
            "begin_known": self.begin_known,
            "ended": self.ended,
            "response_ns": self.clock.known_ns(self.ticks),
            "response_ticks": self.ticks,
            "unknown_ticks": self.unknown_ticks,
            "tracing": {
                "events": None if self.tracing is None else self.tracing.events,
                "ticks_high": self.tracing_ticks,
                "ns_high": None
                if self.tracing_ticks is None
                else self.clock.known_ns(self.tracing_ticks),
            },
            "parts": [part.to_json(self.clock) for part in self.parts],
        }


def _unknown(parts: Iterable[Part]) -> int:
    return sum(
        part.ticks if part.step.cause is Cause.UNKNOWN else _unknown(part.parts) for part in parts
    )


_LABELS: Final = {
    Cause.RAN: "running",
    Cause.PREEMPTED: "preempted by {by}",
    Cause.READY: "ready while {by} runs",
    Cause.INTERRUPTED: "interrupted by {by}",
    Cause.BLOCKED: "blocked on {on}, held by {by}",
    Cause.WAITED: "waiting for {on}",
    Cause.SUSPENDED: "suspended",
    Cause.ENDED: "{by} has ended",
    Cause.EARLIER: "waiting for an earlier instance of {by}",
    Cause.KERNEL: "kernel",
    Cause.TRACER: "tracer ({by})",
    Cause.DEADLOCK: "deadlock: {by} is part of a cycle of waits",
    Cause.UNKNOWN: "unknown: nothing was recorded, or records are missing",
}


def label_of(step: Step) -> str:
    """Return a step in words."""
    if step.cause is Cause.BLOCKED and not step.by:
        return f"blocked on {step.on}, its owner is unknown"
    return _LABELS[step.cause].format(by=step.by, on=step.on)


def why(
    reader: TapeReader,
    choice: Choice,
    *,
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[Why]:
    """Explain the response times of a task.

    Args:
        reader: the tape.
        choice: the instances to explain.
        stream: the stream to read; the default stream of each boot when None.
        on_progress: called now and then with the number of records read so far.

    Returns:
        The longest first.

    Raises:
        UsageError: there is no such task, no such instance of it, or nothing in the range.
    """
    finder = Finder(reader, choice)
    finder.read(stream, on_progress)
    return explain(reader, finder.found(), stream=stream, on_progress=on_progress)


def explain(
    reader: TapeReader,
    places: Sequence[Place],
    *,
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[Why]:
    """Attribute the ticks of instances in one pass over their boots.

    Args:
        reader: the tape.
        places: instances, a few hundred at most.
        stream: the stream in which they were found; None for the default stream of each boot.
        on_progress: called now and then with the number of records read so far.
    """
    model = system_model(names_of(reader))
    windows = [Window(one.entity, one.instance, one.begin, one.end) for one in places]
    tallies = [Tally(None, (one.begin, one.end)) for one in places]
    counters = DecodeCounters()
    last = max((one.epoch for one in places), default=-1)
    for epoch in (one for one in reader.epochs if one <= last):
        mine = [window for window, one in zip(windows, places, strict=True) if one.epoch == epoch]
        ours = [tally for tally, one in zip(tallies, places, strict=True) if one.epoch == epoch]
        attribution = attribution_of(model.entities, mine)
        chosen = reader.default_stream(epoch) if stream is None else stream
        for columns in events_of(reader, epoch, stream=chosen, counters=counters):
            attribution.feed(scheduled(model.feed(columns)))
            for tally in ours:
                tally.feed(columns)
            if on_progress is not None:
                on_progress(counters.records)
        attribution.finish(max((one.end for one in mine), default=0))
    return [
        _why(
            reader,
            model.entities,
            place,
            window,
            tally.result(buffers_of(reader, place.epoch, stream)),
        )
        for place, window, tally in zip(places, windows, tallies, strict=True)
    ]


def _why(
    reader: TapeReader, entities: Entities, place: Place, window: Window, tracing: Tracing
) -> Why:
    task = entities[place.entity]
    return Why(
        task=task.name,
        tid=task.number,
        epoch=place.epoch,
        instance=None if place.instance == ANY_INSTANCE else place.instance,
        begin_ticks=place.begin,
        end_ticks=place.end,
        begin_known=place.begin_known,
        ended=place.ended,
        parts=_parts(window.by_path().items()),
        clock=reader.clock(place.epoch),
        segments=tuple(window.segments),
        tracing=tracing,
    )


def _parts(paths: Iterable[tuple[Path, int]]) -> tuple[Part, ...]:
    parts = [Part(step, ticks, _parts(rest)) for step, ticks, rest in parts_of(paths)]
    return tuple(sorted(parts, key=lambda part: -part.ticks))

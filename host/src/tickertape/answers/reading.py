"""Read the instances of a tape: one pass over its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tickertape.answers.instances import Instances
from tickertape.answers.places import names_of
from tickertape.decode.events import DecodeCounters
from tickertape.model.compiled_system import system_model
from tickertape.model.cpu_time import CpuTimes
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tickertape.answers.instance import Instance, Slice
    from tickertape.answers.instances import OnSegment
    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.names import Names
    from tickertape.model.system import SystemModel
    from tickertape.model.transitions import Transitions
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, slots=True)
class Part:
    """What one chunk of events of a boot brought.

    Attributes:
        epoch: which boot.
        columns: the events; None after the last one of the boot.
        transitions: what they mean; None after the last one.
        instances: those that ended.
        slices: who had the CPUs; empty unless wanted.
        times: the CPU time so far.
        entities: all entities so far.
    """

    epoch: int
    columns: EventColumns | None
    transitions: Transitions | None
    instances: Sequence[Instance]
    slices: Sequence[Slice]
    times: CpuTimes
    entities: Entities


def parts_of(  # noqa: PLR0913 - options by name
    reader: TapeReader,
    *,
    epochs: Sequence[int] | None = None,
    stream: int | None = None,
    with_segments: bool = False,
    with_slices: bool = False,
    on_segment: OnSegment | None = None,
    window_of: Callable[[int], tuple[int, int]] | None = None,
    model_of: Callable[[Callable[[int], Names]], SystemModel] = system_model,
) -> Iterator[Part]:
    """Yield the instances of a tape in order of their ends, boot after boot.

    A tape of several boards has a boot of each; entities of one name are then the same entity.

    Args:
        reader: the tape.
        epochs: which boots; None for all.
        stream: which stream; None for the default stream of each boot.
        with_segments: keep the segments of instances.
        with_slices: keep the slices of CPUs.
        on_segment: called with each segment of an instance.
        window_of: returns for a boot the first and the last tick of `Part.times`; None for all.
        model_of: makes the model; the engine of this process by default.
    """
    model = model_of(names_of(reader))
    for epoch in reader.epochs if epochs is None else epochs:
        chosen = reader.default_stream(epoch) if stream is None else stream
        instances = Instances(
            model.entities,
            epoch,
            with_segments=with_segments,
            with_slices=with_slices,
            on_segment=on_segment,
        )
        window = () if window_of is None else (window_of(epoch),)
        times = CpuTimes(model.entities, *window)

        def part(
            columns: EventColumns | None,
            found: Transitions | None,
            epoch: int = epoch,
            instances: Instances = instances,
            times: CpuTimes = times,
        ) -> Part:
            ended, slices = instances.taken(), instances.taken_slices()
            return Part(epoch, columns, found, ended, slices, times, model.entities)

        for columns in boot_events(reader, epoch, stream=chosen, counters=DecodeCounters()):
            found = model.feed(columns)
            instances.feed(columns, found)
            times.feed(columns, found)
            yield part(columns, found)
        instances.finish()
        yield part(None, None)

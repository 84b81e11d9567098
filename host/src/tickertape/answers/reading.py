"""Read the instances of a tape: one pass over its events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tickertape.answers.compiled_instances import instances_of
from tickertape.answers.places import names_of
from tickertape.decode.events import DecodeCounters
from tickertape.model.compiled_cpu_time import cpu_times
from tickertape.model.compiled_system import system_model
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tickertape.answers.compiled_instances import InstanceTables
    from tickertape.answers.instance import Instance
    from tickertape.answers.table import Table
    from tickertape.decode.events import EventColumns
    from tickertape.model.cpu_time import CpuTimes
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, eq=False)
class Part:
    """What one chunk of events of a boot brought.

    Attributes:
        epoch: which boot.
        columns: the events; None after the last one of the boot.
        transitions: what they mean; None after the last one.
        table: the instances that ended, and intervals of their waits.
        times: the CPU time so far.
        entities: all entities so far.
    """

    epoch: int
    columns: EventColumns | None
    transitions: Transitions | None
    table: Table
    times: CpuTimes
    entities: Entities

    @cached_property
    def instances(self) -> list[Instance]:
        """The instances that ended, one by one."""
        return self.table.instances(self.epoch, self.entities)


def parts_of(
    reader: TapeReader,
    *,
    epochs: Sequence[int] | None = None,
    stream: int | None = None,
    window_of: Callable[[int], tuple[int, int]] | None = None,
) -> Iterator[Part]:
    """Yield the instances of a tape in order of their ends, boot after boot.

    A tape of several boards has a boot of each; entities of one name are then the same entity.

    Args:
        reader: the tape.
        epochs: which boots; None for all.
        stream: which stream; None for the default stream of each boot.
        window_of: returns for a boot the first and the last tick of `Part.times`; None for all.
    """
    model = system_model(names_of(reader))
    for epoch in reader.epochs if epochs is None else epochs:
        chosen = reader.default_stream(epoch) if stream is None else stream
        instances = instances_of(model.entities, epoch)
        window = () if window_of is None else (window_of(epoch),)
        times = cpu_times(model.entities, *window)

        def part(
            columns: EventColumns | None,
            found: Transitions | None,
            epoch: int = epoch,
            instances: InstanceTables = instances,
            times: CpuTimes = times,
        ) -> Part:
            return Part(epoch, columns, found, instances.taken_table(), times, model.entities)

        for columns in boot_events(reader, epoch, stream=chosen, counters=DecodeCounters()):
            found = model.feed(columns)
            instances.feed(columns, found)
            times.feed(columns, found)
            yield part(columns, found)
        instances.finish()
        yield part(None, None)

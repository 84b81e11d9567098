"""Compute the instances of rows of events with both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.answers.instances import Instances
from tickertape.model.compiled_system import system_model
from tickertape.model.cpu_time import CpuTimes
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import scheduled

if TYPE_CHECKING:
    from tickertape.answers.instance import Instance, Segment, Slice
    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities


class Lives:
    """Instances, slices and CPU time of one boot.

    Attributes:
        instances: instances in order of their ends.
        slices: slices of all CPUs.
        times: CPU times.
        entities: entities of the model.
    """

    def __init__(self, *parts: EventColumns) -> None:
        """Feed the events of a boot to both engines, and check that their results agree."""
        self.instances, self.slices, self.times, self.entities = _followed(
            SystemModel(lambda _epoch: Names({})), parts
        )
        same = _followed(system_model(lambda _epoch: Names({})), parts)
        assert same[:2] == (self.instances, self.slices)

    def of(self, name: str) -> list[Instance]:
        """Return the instances of the entity with a name."""
        return [one for one in self.instances if self.entities[one.entity].name == name]

    def segments(self, name: str) -> list[Segment]:
        """Return all segments of the entity with a name."""
        return [segment for one in self.of(name) for segment in one.segments]


def _followed(
    model: SystemModel, parts: tuple[EventColumns, ...]
) -> tuple[list[Instance], list[Slice], CpuTimes, Entities]:
    instances = Instances(model.entities, 0, with_segments=True, with_slices=True)
    times = CpuTimes(model.entities)
    for part in parts:
        found = scheduled(model.feed(part))
        instances.feed(part, found)
        times.feed(part, found)
    instances.finish()
    return instances.taken(), instances.taken_slices(), times, model.entities

"""Orders events of one time on several cores, so that the tape preserves the order of the file.

A tape merges the rings of its CPUs by time; at equal times the lower CPU comes first. The import
therefore divides a nanosecond into several ticks, its places. An event gets the first place that is
not before earlier events of its CPU, and sorts after earlier events of the entities it concerns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


PLACES: Final = 4
"""Most ticks per nanosecond: a higher rate in Hz does not fit 32 bits."""


class Moment:
    """Assigns places to the events of one time.

    Attributes:
        places: number of places, 1 or `PLACES`.
        unordered: number of events that needed a place beyond the last one.
    """

    def __init__(self) -> None:
        """Begin with one place, which preserves only the order within a CPU."""
        self.places = 1
        self.unordered = 0
        self._of_cpu: dict[int, int] = {}
        self._of_entity: dict[str, tuple[int, int]] = {}

    def end(self) -> None:
        """End the time stamp: the next event begins at the first place."""
        self._of_cpu.clear()
        self._of_entity.clear()

    def place(self, cpu: int, entities: Iterable[str]) -> int:
        """Return the place of the next event.

        Args:
            cpu: CPU of the event.
            entities: names of the entities that the event concerns.
        """
        place = self._of_cpu.get(cpu, 0)
        for entity in entities:
            before, other = self._of_entity.get(entity, (0, 0))
            place = max(place, before + (other > cpu))
        if place >= self.places:
            place = self.places - 1
            self.unordered += 1
        self._of_cpu[cpu] = place
        for entity in entities:
            before, other = self._of_entity.get(entity, (0, 0))
            self._of_entity[entity] = max((place, cpu), (before, other))
        return place

"""Put events of one time on several cores into an order that a tape preserves.

A tape merges the rings of its CPUs by time, and at equal times the lower CPU comes first. So a
nanosecond becomes several ticks, its places: an event takes the first place that lies after every
earlier event of its CPU, and of each entity that both concern.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


PLACES: Final = 4
"""Ticks in a nanosecond, at most: a higher rate in Hz does not fit 32 bits."""


class Moment:
    """The events of one time.

    Attributes:
        places: how many there are.
        unordered: events that would have needed a later one.
    """

    def __init__(self) -> None:
        """Begin with one place: only the order within a CPU is kept."""
        self.places = 1
        self.unordered = 0
        self._of_cpu: dict[int, int] = {}
        self._of_entity: dict[str, tuple[int, int]] = {}

    def end(self) -> None:
        """Time goes on."""
        self._of_cpu.clear()
        self._of_entity.clear()

    def place(self, cpu: int, entities: Iterable[str]) -> int:
        """Return the place of the next event; `entities` are those that it concerns."""
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

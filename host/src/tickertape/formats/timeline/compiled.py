"""Compiled version of `timeline`, which is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.engine import engine
from tickertape._native.timeline import SliceMaker
from tickertape.formats.timeline.timeline import (
    CORES,
    ENTITIES,
    Packets,
    Slices,
    Timeline,
    TrackEvents,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape._native.timeline import Found
    from tickertape.formats.timeline.timeline import Named
    from tickertape.model.boot import BootOf
    from tickertape.model.transitions import Transitions


def timeline(boots: BootOf, *, packets: bool = False) -> Timeline:
    """Return a compiled timeline, or `Timeline` if this process has no engine.

    Args:
        boots: returns a `Boot` for an epoch.
        packets: whether the consumer of the parts accepts `Packets`.
    """
    compiled = engine()
    if compiled is None:
        return Timeline(boots)
    return CompiledTimeline(SliceMaker(compiled, packets=packets), boots)


class CompiledTimeline(Timeline):
    """Compiled `Timeline`: produces the same parts."""

    def __init__(
        self,
        maker: SliceMaker,
        boots: BootOf,
    ) -> None:
        """Create a timeline.

        Args:
            maker: a new compiled maker.
            boots: returns a `Boot` for an epoch.
        """
        super().__init__(boots)
        self._maker = maker

    def slices(self, t: Transitions, named: Named) -> Iterator[Slices]:
        """Convert transitions to parts of the tracks; see the base class."""
        if t.table is None:
            yield from super().slices(t, named)
            return
        entities = {
            "kind": named.kind,
            "name": named.name,
            "message": named.message,
            "state_words": self._state_words,
            "open": self._open,
            "core": self._core,
            "since": self._since,
        }
        first_tracks = (self._number(ENTITIES, 0), self._number(CORES, 0))
        try:
            for found in self._maker.slices(t.table, self._clock.hz, entities, first_tracks):
                yield _slices_of(found)
        except OverflowError:
            self._clock.ns_column(t.time)  # raises the error with its remedy
            raise

    def _begin(self, epoch: int) -> None:
        super()._begin(epoch)
        self._maker.begin()


def _slices_of(found: Found) -> Slices:
    counted = found.loads["load_step"] != 0
    return Slices(
        Packets(found.packets, found.slices, found.flows)
        if found.packets.size
        else TrackEvents(*found.columns.values()),
        found.entities,
        found.cores,
        **{name: column[counted] for name, column in found.loads.items()},
    )

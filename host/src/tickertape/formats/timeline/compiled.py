"""The kernel as tracks with slices, compiled; `timeline` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.timeline import slice_maker
from tickertape.formats.arrow.batches import time_ns
from tickertape.formats.timeline.timeline import (
    CORES,
    ENTITIES,
    Packets,
    Slices,
    Timeline,
    TrackEvents,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from ctypes import CDLL

    from tickertape._native.timeline import Found, SliceMaker
    from tickertape.formats.timeline.timeline import Named
    from tickertape.model.names import Names
    from tickertape.model.transitions import Transitions


def fastest_timeline(
    names_of: Callable[[int], Names],
    tick_hz_of: Callable[[int], int],
    compiled: CDLL | None = None,
    *,
    packets: bool = False,
) -> Timeline:
    """Make the fastest timeline there is.

    Args:
        names_of: names within a boot, by epoch.
        tick_hz_of: clock rate of a boot, by epoch.
        compiled: another compiled part than that of this installation.
        packets: the one who takes the parts takes `Packets` as well.
    """
    maker = slice_maker(compiled, packets=packets)
    if maker is None:
        return Timeline(names_of, tick_hz_of)
    return CompiledTimeline(maker, names_of, tick_hz_of)


class CompiledTimeline(Timeline):
    """Gives the same parts as its base class."""

    def __init__(
        self,
        maker: SliceMaker,
        names_of: Callable[[int], Names],
        tick_hz_of: Callable[[int], int],
    ) -> None:
        """Get ready.

        Args:
            maker: a new one.
            names_of: names within a boot, by epoch.
            tick_hz_of: clock rate of a boot, by epoch.
        """
        super().__init__(names_of, tick_hz_of)
        self._maker = maker

    def slices(self, t: Transitions, named: Named) -> Iterator[Slices]:
        """Tell what transitions mean for the tracks; see the base class."""
        if t.table is None:
            yield from super().slices(t, named)
            return
        entities = {
            "kind": named.kind,
            "name": named.name,
            "message": named.message,
            "state_words": self._state_words,
            "open": self._open,
            "state": self._state,
            "core": self._core,
            "since": self._since,
        }
        first_tracks = (self._number(ENTITIES, 0), self._number(CORES, 0))
        try:
            for found in self._maker.slices(t.table, self._hz, entities, first_tracks):
                yield _slices_of(found)
        except OverflowError:
            time_ns(t.time, self._hz)  # says what to do
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

"""The kernel as tracks with slices, compiled; `timeline` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.timeline import slice_maker
from tickertape.export.arrow_batches import time_ns
from tickertape.export.timeline import CORES, ENTITIES, Slices, Timeline, TrackEvents

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import CDLL

    from tickertape._native.timeline import SliceMaker
    from tickertape.export.timeline import Named
    from tickertape.model.names import Names
    from tickertape.model.transitions import Transitions


def fastest_timeline(
    names_of: Callable[[int], Names],
    tick_hz_of: Callable[[int], int],
    compiled: CDLL | None = None,
) -> Timeline:
    """Make the fastest timeline there is; the arguments are those of `Timeline`."""
    maker = slice_maker(compiled)
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

    def slices(self, t: Transitions, named: Named) -> Slices:
        """Tell what transitions mean for the tracks; see the base class."""
        if t.table is None:
            return super().slices(t, named)
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
        found = self._maker.slices(t.table, self._hz, entities, first_tracks)
        if found is None:
            time_ns(t.time, self._hz)  # says what to do
            raise AssertionError
        counted = found.load_step != 0
        return Slices(
            TrackEvents(found.time_ns, found.phase, found.track, found.word, found.flow),
            found.entities,
            found.cores,
            found.load_cpu[counted],
            found.load_ns[counted],
            found.load_step[counted],
        )

    def _begin(self, epoch: int) -> None:
        super()._begin(epoch)
        self._maker.begin()

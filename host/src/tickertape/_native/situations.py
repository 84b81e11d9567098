"""Compiled search for situations in transitions."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, NamedTuple

from tickertape._native.engine import Handle, address
from tickertape._native.interface import (
    NOTED,
    SHARE,
    SITUATION,
    TRANSITION,
    LivesStatus,
    SituationsJob,
)
from tickertape._native.lives import array_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import CDLL

    import numpy as np
    from numpy.typing import NDArray


class Found(NamedTuple):
    """Situations and their shares, as structured arrays of `SITUATION` and `SHARE`."""

    rows: NDArray[np.void]
    shares: NDArray[np.void]


class SituationFinder(Handle):
    """Finds the situations of one boot."""

    def __init__(self, compiled: CDLL, limit_ticks: int) -> None:
        """Begin before the first event; READY and BUSY are longer than the limit."""
        super().__init__(compiled, "situations", limit_ticks)

    def feed(
        self,
        transitions: NDArray[np.void],
        noted: NDArray[np.void],
        entities: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> Found:
        """Process transitions and return the situations that ended.

        Args:
            transitions: structured, `TRANSITION`.
            noted: structured, `NOTED`, with rows of the same events.
            entities: kind and number of each entity.
        """
        for array, kind in ((transitions, TRANSITION), (noted, NOTED)):
            if array.dtype != kind or not array.flags.c_contiguous:
                raise ValueError("these are not arrays of the compiled part")
        job = SituationsJob(transitions=address(transitions), count=len(transitions))
        job.noted, job.noted_count = address(noted), len(noted)
        return self._call(self._library.tt_situations_feed, job, entities)

    def open(self, last: int, entities: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Found:
        """Return the open situations as if they ended at a time; change nothing."""
        return self._call(self._library.tt_situations_open, SituationsJob(last=last), entities)

    def finish(self, last: int, entities: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Found:
        """End the open situations at a time and return them."""
        return self._call(self._library.tt_situations_finish, SituationsJob(last=last), entities)

    def _call(
        self,
        function: Callable[..., int],
        job: SituationsJob,
        entities: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> Found:
        kind, number = entities
        job.kind, job.number, job.entity_count = address(kind), address(number), len(kind)
        status = function(self._handle, byref(job))
        if status == LivesStatus.NO_ENTITY:
            raise ValueError("a transition is of an unknown entity")
        if status != LivesStatus.DONE:
            raise MemoryError
        return Found(
            array_at(job.situations, job.situation_count, SITUATION).copy(),
            array_at(job.shares, job.share_count, SHARE).copy(),
        )

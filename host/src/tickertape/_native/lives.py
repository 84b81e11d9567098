"""Instances from transitions, compiled."""

from __future__ import annotations

from ctypes import byref, c_char
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import (
    BLOCKING,
    INSTANCE,
    INTERVAL,
    TRANSITION,
    LivesJob,
    LivesStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import CDLL

    from numpy.typing import NDArray


class Ended(NamedTuple):
    """What one call found: `INSTANCE`, `BLOCKING` and `INTERVAL`."""

    instances: NDArray[np.void]
    blockings: NDArray[np.void]
    intervals: NDArray[np.void]


class Lives(Handle):
    """Follows the instances of one boot."""

    def __init__(self, compiled: CDLL) -> None:
        """Begin with none."""
        super().__init__(compiled, "lives")

    def feed(
        self,
        transitions: NDArray[np.void],
        base: int,
        entities: tuple[NDArray[np.int64], NDArray[np.int64]],
        last: NDArray[np.int64],
    ) -> Ended:
        """Take transitions.

        Args:
            transitions: structured, `TRANSITION`.
            base: number of the first event in the boot.
            entities: kind and number of each.
            last: time of the last record of each of 64 CPUs, NO_TICKS without one.
        """
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are no transitions of the compiled part")
        job = LivesJob(transitions=address(transitions), count=len(transitions), base=base)
        job.last = address(last)
        return self._ended(self._library.tt_lives_feed, job, entities)

    def open(self, entities: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Ended:
        """Return the instances that go on, and change nothing."""
        return self._ended(self._library.tt_lives_open, LivesJob(), entities)

    def finish(self, entities: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Ended:
        """End what is open at the last record."""
        return self._ended(self._library.tt_lives_finish, LivesJob(), entities)

    def _ended(
        self,
        function: Callable[..., int],
        job: LivesJob,
        entities: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> Ended:
        kind, number = entities
        job.kind, job.number, job.entity_count = address(kind), address(number), len(kind)
        status = function(self._handle, byref(job))
        if status == LivesStatus.NO_ENTITY:
            raise ValueError("a transition is of an unknown entity, state or action")
        if status != LivesStatus.DONE:
            raise MemoryError
        return Ended(
            _copied(job.instances, job.instance_count, INSTANCE),
            _copied(job.blockings, job.blocking_count, BLOCKING),
            _copied(job.intervals, job.interval_count, INTERVAL),
        )


def _copied(place: int | None, count: int, kind: np.dtype[Any]) -> NDArray[np.void]:
    if not count or place is None:
        return np.empty(0, kind)
    memory = (c_char * (count * kind.itemsize)).from_address(place)
    found: NDArray[np.void] = np.frombuffer(memoryview(memory), kind).copy()
    return found

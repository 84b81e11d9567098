"""Compiled computation of instances from transitions."""

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
    """Instances that ended, as structured arrays of `INSTANCE`, `BLOCKING` and `INTERVAL`."""

    instances: NDArray[np.void]
    blockings: NDArray[np.void]
    intervals: NDArray[np.void]


class Lives(Handle):
    """Follows the instances of one boot.

    Attributes:
        waiting: number of instances and intervals that ended since the last `taken`.
    """

    def __init__(self, compiled: CDLL) -> None:
        """Start without instances."""
        super().__init__(compiled, "lives")
        self.waiting = 0
        self._job = LivesJob()  # job of the last call
        self._is_taken = True

    def feed(
        self,
        transitions: NDArray[np.void],
        base: int,
        entities: tuple[NDArray[np.int64], NDArray[np.int64]],
        last: NDArray[np.int64],
    ) -> None:
        """Process transitions.

        Args:
            transitions: structured, `TRANSITION`.
            base: number in the boot of the event in row 0.
            entities: kind and number of each entity.
            last: time of the last record of each of 64 CPUs; NO_TICKS without one.
        """
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are not transitions of the compiled part")
        job = LivesJob(transitions=address(transitions), count=len(transitions), base=base)
        job.last = address(last)
        self._call(self._library.tt_lives_feed, job, entities)

    def finish(self, entities: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
        """End the open instances at the last record."""
        self._call(self._library.tt_lives_finish, LivesJob(), entities)

    def taken(self) -> Ended:
        """Return the instances that ended since the last call; valid until the next call."""
        if self._is_taken:
            return _nothing()
        self._is_taken, self.waiting = True, 0
        return _found_by(self._job)

    def open(self, entities: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Ended:
        """Return the open instances without changing the state.

        Raises:
            ValueError: ended instances have not been taken.
        """
        if not self._is_taken:
            raise ValueError("take what ended first")
        self._call(self._library.tt_lives_open, LivesJob(), entities)
        found = copied(_found_by(self._job))
        self._is_taken, self.waiting = True, 0
        return found

    def _call(
        self,
        function: Callable[..., int],
        job: LivesJob,
        entities: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        kind, number = entities
        job.kind, job.number, job.entity_count = address(kind), address(number), len(kind)
        job.keeps = not self._is_taken
        status = function(self._handle, byref(job))
        if status == LivesStatus.NO_ENTITY:
            raise ValueError("a transition is of an unknown entity, state or action")
        if status != LivesStatus.DONE:
            raise MemoryError
        self._job, self._is_taken = job, False
        self.waiting = job.instance_count + job.interval_count


def copied(found: Ended) -> Ended:
    """Return a copy of the arrays."""
    return Ended(*(one.copy() for one in found))


def _nothing() -> Ended:
    return _found_by(LivesJob())


def _found_by(job: LivesJob) -> Ended:
    return Ended(
        array_at(job.instances, job.instance_count, INSTANCE),
        array_at(job.blockings, job.blocking_count, BLOCKING),
        array_at(job.intervals, job.interval_count, INTERVAL),
    )


def array_at(place: int | None, count: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return `count` items at an address as an array, without a copy."""
    if not count or place is None:
        return np.empty(0, kind)
    memory = (c_char * (count * kind.itemsize)).from_address(place)
    found: NDArray[Any] = np.frombuffer(memoryview(memory), kind)
    return found

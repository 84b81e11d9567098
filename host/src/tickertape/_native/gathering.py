"""Compiled computation of the figures of instances, waits and uses of locks and channels."""

from __future__ import annotations

from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import (
    GATHERED,
    NO_TICKS,
    TRANSITION,
    WAITED,
    GatheringJob,
    LivesStatus,
)
from tickertape._native.lives import array_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import CDLL

    from numpy.typing import NDArray

    from tickertape._native.interface import Figure

_NEVER: Final = (1 << 63) - 1
_HALF: Final = 64  # bits


class Known(NamedTuple):
    """Observed time so far.

    Attributes:
        span: time of the first and the last record.
        unknown_since: time since when records may be missing; None for never.
        holes: begins of intervals in which activations may be missing, ascending, and for each the
            latest end of the intervals up to it.
    """

    span: tuple[int, int]
    unknown_since: int | None
    holes: tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Values:
    """A sample: either all `values`, or `counts` per bucket; the other one is None."""

    count: int
    total: int
    minimum: int
    maximum: int
    worst: int | None
    values: NDArray[np.int64] | None
    counts: NDArray[np.int64] | None


class Gathering(Handle):
    """Sums the figures of one boot.

    Attributes:
        gathered: `GATHERED` of each entity.
        actions: number of times of each action, per entity.
    """

    def __init__(self, compiled: CDLL, window: tuple[int, int], actions: int) -> None:
        """Start with nothing; count only from the first to the last tick of `window`."""
        super().__init__(compiled, "gathering")
        self._window = window
        self.gathered = np.zeros(0, GATHERED)
        self.actions = np.zeros((0, actions), np.int64)

    def take_tables(
        self, instances: NDArray[np.void], intervals: NDArray[np.void], kinds: int, known: Known
    ) -> None:
        """Add instances and intervals; `kinds`: number of entities."""
        job = self._job(kinds)
        job.instances, job.instance_count = _place(instances), len(instances)
        job.intervals, job.interval_count = _place(intervals), len(intervals)
        job.begin, job.end = known.span
        job.unknown_since = _NEVER if known.unknown_since is None else known.unknown_since
        _set_holes(job, known.holes)
        self._call(self._library.tt_gathering_tables, job)

    def take_uses(
        self,
        transitions: NDArray[np.void],
        kind: NDArray[np.int64],
        holes: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        """Add transitions, `TRANSITION`; `kind`: kind of each entity; `holes`: as in `Known`."""
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are not transitions of the compiled part")
        job = self._job(len(kind))
        job.kind = address(kind)
        job.transitions, job.count = address(transitions), len(transitions)
        _set_holes(job, holes)
        self._call(self._library.tt_gathering_uses, job)

    def values(self, entity: int, figure: Figure) -> Values | None:
        """Return the sample of a figure of an entity; None without values."""
        place = self._library.tt_gathering_sample(self._handle, entity, figure)
        if not place:
            return None
        one = place.contents
        kept = None if one.counts else array_at(one.values, one.count, np.dtype(np.int64)).copy()
        counts = array_at(one.counts, one.room, np.dtype(np.int64)).copy() if one.counts else None
        total = (one.total_high << _HALF) + one.total_low
        worst = None if one.worst < 0 else one.worst
        return Values(one.count, total, one.minimum, one.maximum, worst, kept, counts)

    def waits(self) -> NDArray[np.void]:
        """Return the waits, `WAITED`, in order of their first mention."""
        place = c_void_p()
        count = self._library.tt_gathering_waits(self._handle, byref(place))
        return array_at(place.value, count, WAITED).copy()

    def _job(self, count: int) -> GatheringJob:
        more = count - len(self.gathered)
        if more > 0:
            new = np.zeros(more, GATHERED)
            new["last_number"] = -1
            for name in ("doubted", "waited", "held_since", "first_time", "use_first"):
                new[name] = NO_TICKS
            self.gathered = np.append(self.gathered, new)
            self.actions = np.pad(self.actions, ((0, more), (0, 0)))
        job = GatheringJob(entity_count=len(self.gathered))
        job.first, job.last = self._window
        job.gathered, job.actions = address(self.gathered), address(self.actions)
        return job

    def _call(self, function: Callable[..., int], job: GatheringJob) -> None:
        status = function(self._handle, byref(job))
        if status == LivesStatus.NO_ENTITY:
            raise ValueError("a row is of an unknown entity or action")
        if status != LivesStatus.DONE:
            raise MemoryError


def _set_holes(job: GatheringJob, holes: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    begins, ends = holes
    job.hole_begins, job.hole_ends = address(begins), address(ends)
    job.hole_count = len(begins)


def _place(array: NDArray[np.void]) -> int:
    place: int = array.ctypes.data
    return place

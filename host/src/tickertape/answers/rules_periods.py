"""Rules about the distances of consecutive activations."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.answers.rules import CANDIDATES, Violation, touches
from tickertape.answers.rules_tasks import OfEntities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Activations, Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.spec import Requirement
    from tickertape.decode.records import I64


class _Pair(NamedTuple):
    """Two consecutive activations: their distance in ticks, and their times."""

    distance: int
    begin: int
    end: int


class _Distances:
    """Distances of the activations of a task.

    Attributes:
        first: time of the first activation; -1 before it.
        last: time of the last activation; -1 before the first.
        count: number of distances.
    """

    def __init__(self) -> None:
        self.first = self.last = -1
        self._life = -1  # begin of a life, which is an activation unless a job takes it over
        self.count = 0
        # One row of distances and one of ends, the greatest last. The shortest are negated.
        self._longest = self._shortest = np.zeros((2, 0), np.int64)

    def feed(self, more: Activations) -> None:
        """Add the activations of a part."""
        if self._life < 0 and not (more.lives | more.takes).any():
            self.extend(more.times)
            return
        columns = more.times, more.lives, more.takes
        for time, is_life, takes in zip(*(one.tolist() for one in columns), strict=True):
            if takes:
                self._life = self.last = -1  # it is the first one of its count
            self.finish()
            if is_life:
                self._life = time
            else:
                self.extend(np.array([time], np.int64))

    def finish(self) -> None:
        """Add the begin of the last life, because no job takes it over."""
        if self._life >= 0:
            self.extend(np.array([self._life], np.int64))
            self._life = -1

    def extend(self, times: I64) -> None:
        """Add the times of consecutive activations, at least one."""
        if self.last < 0:
            self.first = int(times[0]) if self.first < 0 else self.first
        else:
            times = np.append(self.last, times)
        self.last = int(times[-1])
        found = np.stack([np.diff(times), times[1:]])
        self.count += len(found[0])
        self._longest = _greatest(self._longest, found)
        found[0] = -found[0]
        self._shortest = _greatest(self._shortest, found)

    @property
    def longest(self) -> list[_Pair]:
        """The longest distances."""
        return [_Pair(one, end - one, end) for one, end in self._longest.T.tolist()]

    @property
    def shortest(self) -> list[_Pair]:
        """The shortest distances, negated."""
        return [_Pair(one, end + one, end) for one, end in self._shortest.T.tolist()]


def _greatest(kept: NDArray[np.int64], more: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the greatest `CANDIDATES` distances of both arrays, the greatest last."""
    if len(kept[0]) == CANDIDATES:
        more = more[:, more[0] > kept[0, 0]]
    if not len(more[0]):
        return kept
    both = np.concatenate([kept, more], axis=1)
    return both[:, np.lexsort((both[1], both[0]))[-CANDIDATES:]]


class Period(OfEntities):
    """Requirement: consecutive activations are at least `min` and at most `max` ns apart."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._distances: defaultdict[int, _Distances] = defaultdict(_Distances)

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        for one in part.activations:
            self._distances[one.entity].feed(one)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del observed, part
        for entity in self.mine():
            distances = self._distances[entity]
            distances.finish()
            self.tally.checked += distances.count
            self._judge(distances, holes)
            for hole in holes:
                if self._may_hide(hole, distances):
                    self.tally.doubt(self.doubt_of(hole))

    def _may_hide(self, hole: Unknown, distances: _Distances) -> bool:
        """Return whether a hole may hide a violation; `_judge` handles long distances."""
        inside = distances.first <= hole.begin and hole.end <= distances.last
        return "min" in self.requirement.values or not inside

    def _judge(self, distances: _Distances, holes: Sequence[Unknown]) -> None:
        if "max" in self.requirement.values:
            limit = self.limit("max")
            for distance, begin, end in distances.longest:
                if distance <= limit:
                    continue
                if touches(holes, begin, end):
                    self.tally.doubt(f"an activation may be missing after {self.boot.at(begin)} s")
                else:
                    self._fail(distance - limit, distance, end)
        limit = -(-(self.requirement.ns("min") or 0) * self.boot.clock.hz // 10**9)
        for distance, _, end in distances.shortest:
            if -distance < limit:
                self._fail(limit + distance, -distance, end)

    def _fail(self, excess: int, distance: int, end: int) -> None:
        what = f"activated {self.boot.time(distance)} after the activation before"
        self.tally.fail(Violation(excess, self.boot.epoch, end, what))


class Jitter(Period):
    """Requirement: the longest distance of activations exceeds the shortest by at most `max` ns."""

    def _may_hide(self, hole: Unknown, distances: _Distances) -> bool:
        del hole, distances
        return True

    def _judge(self, distances: _Distances, holes: Sequence[Unknown]) -> None:
        sure = [one for one in distances.longest if not touches(holes, one.begin, one.end)]
        if not sure or not distances.shortest:
            return
        longest, shortest = max(sure), -max(distances.shortest).distance
        jitter = longest.distance - shortest
        if jitter > self.limit():
            what = (
                f"distances from {self.boot.time(shortest)} to {self.boot.time(longest.distance)}"
            )
            self.tally.fail(Violation(jitter, self.boot.epoch, longest.end, what))

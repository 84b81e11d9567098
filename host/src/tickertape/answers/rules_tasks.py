"""Rules about tasks and interrupts: response, latency, execution, blocking, periods, load."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from bisect import bisect_left
from collections import defaultdict
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from tickertape.answers.instance import Ended
from tickertape.answers.misses import Misses
from tickertape.answers.places import Place
from tickertape.answers.rules import CANDIDATES, Rule, Tally, Violation, touches
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, Action
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tickertape.answers.instance import Instance
    from tickertape.answers.misses import Miss
    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.spec import Requirement


class OfEntities(Rule):
    """A rule about all entities of one name; an entity may get its name late."""

    kind: ClassVar[Kind] = Kind.TASK
    classes: ClassVar[tuple[EventClass, ...]] = (EventClass.SCHED, EventClass.THREAD)

    def mine(self) -> Iterator[int]:
        """Yield the entities of the subject's name."""
        subject = str(self.requirement.subject)
        for one in self.boot.entities:
            if one.kind is self.kind and one.name == subject:
                yield one.index


class InstanceRule(OfEntities):
    """A limit of a figure that each instance has."""

    what: ClassVar[str] = ""
    key: ClassVar[str] = "max"

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit(self.key)
        self._tallies: defaultdict[int, Tally] = defaultdict(Tally)
        self._vague: defaultdict[int, int] = defaultdict(lambda: -1)
        self._lost: defaultdict[int, int] = defaultdict(lambda: 1 << 64)
        self._partial: defaultdict[int, list[Violation]] = defaultdict(list)
        self._shown: defaultdict[int, array[int]] = defaultdict(lambda: array("Q"))

    @abstractmethod
    def value(self, one: Instance) -> tuple[int, int | None]:
        """Return bounds of the figure: equal, or the upper one None.

        Upper bounds of an instance with an unknown part are not used: after a hole it may be
        another one.
        """

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        for one in part.instances:
            if one.kind is self.kind:
                self._judge(one)

    def _judge(self, one: Instance) -> None:
        tally = self._tallies[one.entity]
        self._shown[one.entity].append(one.found)
        low, high = self.value(one)
        if low > self._max:
            least = "" if low == high else "at least "
            said = f"instance {one.number}: {self.what} {least}{self.boot.time(low)}"
            found = Violation(low, one.epoch, one.end, said, _place_of(one))
            if high is not None or one.ended is Ended.DONE:
                tally.checked += 1
                tally.fail(found)
            elif len(self._partial[one.entity]) < CANDIDATES:
                self._partial[one.entity].append(found)
        elif high is not None:
            tally.checked += 1
        elif one.ended is Ended.LOST:
            self._lost[one.entity] = min(self._lost[one.entity], one.end)
        elif one.activation is None:
            self._vague[one.entity] = max(self._vague[one.entity], one.found)

    def _judge_partial(self, entity: int, holes: Sequence[Unknown]) -> None:
        """Judge instances without a known end: over a hole they may have ended unseen."""
        for one in self._partial[entity]:
            begin = one.place.begin if one.place else 0
            if any(hole.begin < one.ticks and hole.end > begin for hole in holes):
                self.tally.doubt(f"{one.what}, if it did not end unseen")
            else:
                self.tally.checked += 1
                self.tally.fail(one)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del part
        for entity in self.mine():
            self.tally.add(self._tallies[entity])
            self._judge_partial(entity, holes)
            lost = self._lost[entity]
            if lost < observed.span[1]:  # else it was under way at the end, which is out of scope
                self.tally.doubt(f"the state of the task is unknown from {self.boot.at(lost)} s on")
            shown = sorted(self._shown[entity])
            begin = until = -1
            for hole in holes:
                # An instance may be hidden over several holes where nothing shows another one.
                at = bisect_left(shown, until)
                if until < 0 or (at < len(shown) and shown[at] <= hole.begin):
                    begin = hole.begin
                until = max(until, hole.end)
                # What was under way before the first record is out of scope, unless it was lost.
                if hole.begin <= self._vague[entity] or until - begin > self._max:
                    self.tally.doubt(self.doubt_of(hole))


def _place_of(one: Instance) -> Place:
    return Place(
        epoch=one.epoch,
        entity=one.entity,
        instance=one.number,
        begin=one.found,
        end=one.end,
        begin_known=one.activation is not None,
        ended=one.ended is Ended.DONE,
    )


class Response(InstanceRule):
    """From activation to end."""

    what = "response"

    def value(self, one: Instance) -> tuple[int, int | None]:
        """See `InstanceRule`."""
        return one.response.low, one.response.low if one.whole else None


class Deadline(Response):
    """A response within a time; without a time, what the kernel reports as missed."""

    what = "response"
    key = "within"

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._by_kernel = "within" not in requirement.values
        self._misses = Misses()
        self._missed: list[Miss] = []

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        if not self._by_kernel:
            super().feed(part)
        else:
            self._missed += self._misses.feed(part)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        if not self._by_kernel:
            super().conclude(observed, holes, part)
            return
        mine = frozenset(self.mine())
        self.tally.checked += bool(mine)
        for one in self._missed:
            if len(one.tasks) == 1 and one.tasks <= mine:
                (task,) = one.tasks
                name = self.boot.entities[task].name
                what = f"the kernel reports a missed deadline of {name}"
                self.tally.fail(Violation(0, self.boot.epoch, one.time, what, task=task))
            elif not one.tasks or (len(one.tasks) > 1 and one.tasks & mine):
                self.tally.doubt(
                    f"the kernel reports a missed deadline of thread {one.tid} at "
                    f"{self.boot.at(one.time)} s, and which task that was is unknown"
                )
        for hole in holes:
            self.tally.doubt(self.doubt_of(hole))


class Latency(InstanceRule):
    """From activation until it runs first."""

    what = "latency"

    def value(self, one: Instance) -> tuple[int, int | None]:
        """See `InstanceRule`."""
        if one.activation is None:
            return 0, None
        if one.start is None:
            return one.end - one.activation, None
        return one.start - one.activation, one.start - one.activation


class Execution(InstanceRule):
    """CPU time of an instance."""

    what = "execution"

    def value(self, one: Instance) -> tuple[int, int | None]:
        """See `InstanceRule`."""
        return one.execution.low, one.execution.low if one.whole else None


class Blocking(InstanceRule):
    """Waiting time of an instance, for one object or for any."""

    what = "blocking"

    def value(self, one: Instance) -> tuple[int, int | None]:
        """See `InstanceRule`."""
        wanted, entities = self.requirement.values.get("on"), self.boot.entities
        ticks = sum(
            blocking.ticks
            for blocking in one.blockings
            if wanted is None
            or (blocking.object != NO_ENTITY and entities[blocking.object].name == wanted)
        )
        return ticks, ticks if one.whole else None


class Service(InstanceRule):
    """How long an interrupt is served."""

    kind = Kind.INTERRUPT
    classes = (EventClass.INT,)
    what = "service"

    def value(self, one: Instance) -> tuple[int, int | None]:
        """See `InstanceRule`."""
        return one.response.low, one.response.low if one.whole else None


class _Pair(NamedTuple):
    """Two activations that follow each other."""

    distance: int
    begin: int
    end: int


class _Distances:
    """What is kept of the activations of a task."""

    def __init__(self) -> None:
        self.first = self.last = -1
        self.count = 0
        self.longest: list[_Pair] = []
        self.shortest: list[_Pair] = []

    def add(self, time: int) -> None:
        if self.last >= 0:
            pair = _Pair(time - self.last, self.last, time)
            self._keep(self.longest, pair)
            self._keep(self.shortest, pair._replace(distance=-pair.distance))
            self.count += 1
        else:
            self.first = time
        self.last = time

    @staticmethod
    def _keep(heap: list[_Pair], pair: _Pair) -> None:
        if len(heap) < CANDIDATES:
            heappush(heap, pair)
        else:
            heappushpop(heap, pair)


class Period(OfEntities):
    """Distances of activations that follow each other."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._distances: defaultdict[int, _Distances] = defaultdict(_Distances)

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        found = part.transitions
        if found is None:
            return
        rows = np.flatnonzero(found.action == Action.ACTIVATE)
        entities, times = found.entity[rows].tolist(), found.time[rows].tolist()
        for entity, time in zip(entities, times, strict=True):
            if self.boot.entities[entity].kind is Kind.TASK:
                self._distances[entity].add(time)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del observed, part
        for entity in self.mine():
            distances = self._distances[entity]
            self.tally.checked += distances.count
            self._judge(distances, holes)
            for hole in holes:
                if self._may_hide(hole, distances):
                    self.tally.doubt(self.doubt_of(hole))

    def _may_hide(self, hole: Unknown, distances: _Distances) -> bool:
        """Return whether a violation may lie in a hole; long distances are judged apart."""
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
    """The longest distance of activations minus the shortest one."""

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


class Load(OfEntities):
    """The share of CPU time of a task, or of all that is not idle on a CPU."""

    def feed(self, part: Part) -> None:
        """See `Rule`."""

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del holes
        limit = self.requirement.values["max"]
        cpus = part.times.by_cpu()
        subject = str(self.requirement.subject)
        if subject.isdecimal():
            one = cpus.get(int(subject))
            if one is None:
                return
            unknown, whole = one.unknown_ticks, one.observed_ticks
            busy = whole - one.idle_ticks - unknown
        else:
            ticks = part.times.by_entity()
            busy = sum(ticks.get(entity, 0) for entity in self.mine())
            unknown = sum(one.unknown_ticks for one in cpus.values())
            whole = max((one.observed_ticks for one in cpus.values()), default=0)
        if not whole:
            return
        if self.is_cut:
            self.tally.doubt("the load before the first or after the last record is unknown")
            return
        self.tally.checked += 1
        low, high = 100 * busy / whole, 100 * (busy + unknown) / whole
        if 100 * busy > float(str(limit)) * whole:
            what = f"the load is at least {low:.3f} %"
            self.tally.fail(Violation(busy, self.boot.epoch, observed.span[1], what))
        elif 100 * (busy + unknown) > float(str(limit)) * whole:
            self.tally.doubt(
                f"the load is from {low:.3f} to {high:.3f} %: for {self.boot.time(unknown)} "
                f"the owner of a CPU is unknown"
            )

"""Rules about tasks and interrupts: response, latency, execution, blocking, periods, load."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections import defaultdict
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from tickertape._native.interface import NO_TICKS
from tickertape.answers.groups import by_key
from tickertape.answers.instance import Ended
from tickertape.answers.numbered import DEADLINE_MISS, NumberedEvents
from tickertape.answers.places import Place
from tickertape.answers.rules import CANDIDATES, KEPT, Rule, Tally, Violation, touches
from tickertape.model.entities import Kind
from tickertape.model.transitions import Action
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tickertape.answers.numbered import Numbered
    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.spec import Requirement
    from tickertape.decode.records import I64

    Values = tuple[I64, NDArray[np.bool_]]

_NEVER: Final = (1 << 63) - 1
_PIECES: Final = 256
_NOTHING: Final = np.zeros(0, np.int64)


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
        self._shown: defaultdict[int, list[I64]] = defaultdict(list)

    @abstractmethod
    def values(self, rows: NDArray[np.void], blockings: NDArray[np.void]) -> Values:
        """Return the figure of each instance: at least this, and whether it is exact.

        Upper bounds of an instance with an unknown part are not used: after a hole it may be
        another one.

        Args:
            rows: of `Table`.
            blockings: likewise.
        """

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        table = part.table
        for entity, places in by_key(table.rows["entity"]):
            if self.boot.entities[entity].kind is self.kind:
                rows = table.rows[places]
                self._judge(entity, rows, *self.values(rows, table.blockings))

    def _judge(
        self, entity: int, rows: NDArray[np.void], low: I64, exact: NDArray[np.bool_]
    ) -> None:
        shown = self._shown[entity]
        shown.append(rows["found"].copy())  # not the rows that it is a part of
        if len(shown) > _PIECES:
            shown[:] = [np.concatenate(shown)]
        tally, over = self._tallies[entity], low > self._max
        is_lost = rows["ended"] == Ended.LOST
        sure = exact | (rows["ended"] == Ended.DONE)
        tally.checked += int(np.count_nonzero(np.where(over, sure, exact)))
        found = np.flatnonzero(over & sure)
        worst = np.sort(found[np.lexsort((rows["end"][found], -low[found]))[:KEPT]])
        for place in worst.tolist():
            tally.fail(self._violation(rows[place], int(low[place]), exact=bool(exact[place])))
        tally.count += len(found) - len(worst)
        room = CANDIDATES - len(self._partial[entity])
        for place in np.flatnonzero(over & ~sure)[:room].tolist():
            one = self._violation(rows[place], int(low[place]), exact=False)
            self._partial[entity].append(one)
        lost = rows["end"][~over & ~exact & is_lost]
        self._lost[entity] = min(self._lost[entity], int(lost.min(initial=_NEVER)))
        unknown = ~over & ~exact & ~is_lost & (rows["activation"] == NO_TICKS)
        vague = rows["found"][unknown]
        self._vague[entity] = max(self._vague[entity], int(vague.max(initial=-1)))

    def _violation(self, row: np.void, low: int, *, exact: bool) -> Violation:
        least = "" if exact else "at least "
        said = f"instance {row['number']}: {self.what} {least}{self.boot.time(low)}"
        epoch, end = self.boot.epoch, int(row["end"])
        place = Place(
            epoch=epoch,
            entity=int(row["entity"]),
            instance=int(row["number"]),
            begin=int(row["found"]),
            end=end,
            begin_known=bool(row["activation"] != NO_TICKS),
            ended=bool(row["ended"] == Ended.DONE),
        )
        return Violation(low, epoch, end, said, place)

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
            shown = np.sort(np.concatenate([*self._shown[entity], _NOTHING])).tolist()
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


def _is_whole(rows: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return whether begin, end and all between are known, by instance."""
    whole: NDArray[np.bool_] = (rows["activation"] != NO_TICKS) & (rows["ended"] == Ended.DONE)
    return whole


class Response(InstanceRule):
    """From activation to end."""

    what = "response"

    def values(self, rows: NDArray[np.void], blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        return rows["response_low"], _is_whole(rows)


class Deadline(Response):
    """A response within a time; without a time, what the kernel reports as missed."""

    what = "response"
    key = "within"

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._by_kernel = "within" not in requirement.values
        self._misses = NumberedEvents(DEADLINE_MISS)
        self._missed: list[Numbered] = []

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

    def values(self, rows: NDArray[np.void], blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        begun, ran = rows["activation"] != NO_TICKS, rows["start"] != NO_TICKS
        until = np.where(ran, rows["start"], rows["end"])
        return np.where(begun, until - rows["activation"], 0), begun & ran


class Execution(InstanceRule):
    """CPU time of an instance."""

    what = "execution"

    def values(self, rows: NDArray[np.void], blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        return rows["execution_low"], _is_whole(rows)


class Blocking(InstanceRule):
    """Waiting time of an instance, for one object or for any."""

    what = "blocking"

    def values(self, rows: NDArray[np.void], blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        wanted, entities = self.requirement.values.get("on"), self.boot.entities
        ticks, objects = blockings["ticks"], blockings["object"]
        if wanted is not None:
            named = [one.index for one in entities if one.name == wanted]
            ticks = np.where(np.isin(objects, named), ticks, 0)
        sums = np.append(0, np.cumsum(ticks))
        first = rows["first_blocking"].astype(np.int64)
        return sums[first + rows["blockings"]] - sums[first], _is_whole(rows)


class Service(InstanceRule):
    """How long an interrupt is served."""

    kind = Kind.INTERRUPT
    classes = (EventClass.INT,)
    what = "service"

    def values(self, rows: NDArray[np.void], blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        return rows["response_low"], _is_whole(rows)


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

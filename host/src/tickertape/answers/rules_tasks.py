"""Rules about tasks and interrupts: response, latency, execution, blocking, load."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from tickertape._native.interface import NO_TICKS
from tickertape.answers.instance import Ended
from tickertape.answers.numbered import DEADLINE_MISS, NumberedEvents
from tickertape.answers.places import Place
from tickertape.answers.rules import CANDIDATES, KEPT, Rule, Tally, Violation
from tickertape.model.codes import nameless
from tickertape.model.cpu_time import ALWAYS
from tickertape.model.entities import Kind
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tickertape.answers.groups import Groups
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
    """Base of rules about all entities of one name; the name may be recorded late."""

    kind: ClassVar[Kind] = Kind.TASK
    classes: ClassVar[tuple[EventClass, ...]] = (EventClass.SCHED, EventClass.THREAD)

    def mine(self) -> Iterator[int]:
        """Yield the entities that have, or had, the name that the requirement contains."""
        subject = str(self.requirement.subject)
        for one in self.boot.entities:
            if one.kind is self.kind and one.is_called(subject):
                yield one.index


class InstanceRule(OfEntities):
    """Base of rules that limit a figure of each instance."""

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

    @abstractmethod
    def values(self, groups: Groups, blockings: NDArray[np.void]) -> Values:
        """Return the lower limit of each instance's figure, and whether it is exact.

        Upper limits of an instance with an unknown part are not used: after a hole it may be
        another instance.

        Args:
            groups: the rows of a `Table`; the result is in their order.
            blockings: the blockings of the table.
        """

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        groups = part.table.by_entity
        if not len(groups):
            return
        low, exact = self.values(groups, part.table.blockings)
        over, ended = low > self._max, groups.column("ended")
        over &= exact | (ended != Ended.UNDONE)  # a job that is never completed has no limit
        sure = exact | (ended == Ended.DONE)
        checked = groups.counts(np.where(over, sure, exact))
        for entity, count in zip(groups.keys, checked, strict=True):
            self._tallies[entity].checked += count
        self._take_certain(groups, np.flatnonzero(over & sure), low, exact)
        for entity, places in groups.of(np.flatnonzero(over & ~sure)):
            partial = self._partial[entity]
            for place in places[: CANDIDATES - len(partial)].tolist():
                row = groups.rows[groups.order[place]]
                partial.append(self._violation(row, int(low[place]), exact=False))
        vague = ~over & ~exact & (ended != Ended.UNDONE)
        is_lost = ended == Ended.LOST
        for entity, places in groups.of(np.flatnonzero(vague & is_lost)):
            least = int(groups.column("end")[places].min())
            self._lost[entity] = min(self._lost[entity], least)
        unknown = vague & ~is_lost & (groups.column("activation") == NO_TICKS)
        for entity, places in groups.of(np.flatnonzero(unknown)):
            most = int(groups.column("found")[places].max())
            self._vague[entity] = max(self._vague[entity], most)

    def _take_certain(self, groups: Groups, over: I64, low: I64, exact: NDArray[np.bool_]) -> None:
        """Add certain violations; `over` has their indices in `groups`."""
        for entity, places in groups.of(over):
            tally, ends = self._tallies[entity], groups.column("end")[places]
            worst = places[np.sort(np.lexsort((ends, -low[places]))[:KEPT])]
            for place in worst.tolist():
                row, is_exact = groups.rows[groups.order[place]], bool(exact[place])
                tally.fail(self._violation(row, int(low[place]), exact=is_exact))
            tally.count += len(places) - len(worst)

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
        """Judge instances without a known end; in a hole they may have ended unseen."""
        for one in self._partial[entity]:
            begin = one.place.begin if one.place else 0
            if any(hole.begin < one.ticks and hole.end > begin for hole in holes):
                self.tally.doubt(f"{one.what}, unless a missing record ended it")
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
            shown = self.boot.shown.of(entity).tolist() if holes else []
            begin = until = -1
            for hole in holes:
                # Several holes may hide one instance if no instance is shown between them.
                at = bisect_left(shown, until)
                if until < 0 or (at < len(shown) and shown[at] <= hole.begin):
                    begin = hole.begin
                until = max(until, hole.end)
                # An instance from before the first record is out of scope, unless it was lost.
                if hole.begin <= self._vague[entity] or until - begin > self._max:
                    self.tally.doubt(self.doubt_of(hole))


def _is_whole(groups: Groups) -> NDArray[np.bool_]:
    """Return a mask of the instances with a known begin, end and time between."""
    begun = groups.column("activation") != NO_TICKS
    whole: NDArray[np.bool_] = begun & (groups.column("ended") == Ended.DONE)
    return whole


class Response(InstanceRule):
    """Requirement: each instance ends within `max` ns of its activation."""

    what = "response"

    def values(self, groups: Groups, blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        return groups.column("response_low"), _is_whole(groups)


class Deadline(Response):
    """Requirement: each instance ends within `within` ns of its activation.

    Without `within`: the kernel reports no missed deadline.
    """

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
                    f"the kernel reports a missed deadline of {nameless(one.tid)} at "
                    f"{self.boot.at(one.time)} s, and it is unknown which task that was"
                )
        for hole in holes:
            self.tally.doubt(self.doubt_of(hole))


class Latency(InstanceRule):
    """Requirement: each instance runs within `max` ns of its activation."""

    what = "latency"

    def values(self, groups: Groups, blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        activation, start = groups.column("activation"), groups.column("start")
        begun, ran = activation != NO_TICKS, start != NO_TICKS
        until = np.where(ran, start, groups.column("end"))
        return np.where(begun, until - activation, 0), begun & ran


class Execution(InstanceRule):
    """Requirement: each instance has a CPU for at most `max` ns."""

    what = "execution"

    def values(self, groups: Groups, blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        low = groups.column("execution_low")
        # While interrupts are not recorded, their time is part of the running time of tasks.
        begin, end = groups.column("found"), groups.column("end")
        hidden = self.boot.observed.deselected(EventClass.INT, begin, end)
        least = np.maximum(low - hidden, 0)
        perhaps = np.flatnonzero((low > self._max) & (least <= self._max))
        for entity, _ in groups.of(perhaps):
            self._tallies[entity].doubt(
                "class INT was not recorded while an instance ran, which may have been interrupted"
            )
        return least, _is_whole(groups) & (hidden == 0)


class Blocking(InstanceRule):
    """Requirement: each instance waits for at most `max` ns, for one object or for any."""

    what = "blocking"

    def values(self, groups: Groups, blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        wanted, entities = self.requirement.values.get("on"), self.boot.entities
        ticks, objects = blockings["ticks"], blockings["object"]
        if wanted is not None:
            named = [one.index for one in entities if one.name == wanted]
            ticks = np.where(np.isin(objects, named), ticks, 0)
        sums = np.append(0, np.cumsum(ticks))
        first = groups.column("first_blocking").astype(np.int64)
        until = first + groups.column("blockings")
        return sums[until] - sums[first], _is_whole(groups)


class Service(InstanceRule):
    """Requirement: each service of an interrupt takes at most `max` ns."""

    kind = Kind.INTERRUPT
    classes = (EventClass.INT,)
    what = "service"

    def values(self, groups: Groups, blockings: NDArray[np.void]) -> Values:
        """See `InstanceRule`."""
        del blockings
        return groups.column("response_low"), _is_whole(groups)


class Load(OfEntities):
    """Requirement: the load of a task, or of a CPU (all but idle time), is at most `max` %."""

    def feed(self, part: Part) -> None:
        """See `Rule`."""

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del holes
        limit = self.requirement.values["max"]
        cpus = part.times.by_cpu()
        span = np.array([observed.span], np.int64)
        hidden = int(observed.deselected(EventClass.INT, span[:, 0], span[:, 1])[0])
        subject = str(self.requirement.subject)
        if subject.isdecimal():
            one = cpus.get(int(subject))
            if one is None:
                return
            whole = one.observed_ticks
            busy = whole - one.idle_ticks - one.unknown_ticks
            unknown = one.unknown_ticks + min(hidden, one.idle_ticks)
        else:
            ticks = part.times.by_entity()
            mine = [self.boot.entities[entity] for entity in self.mine()]
            ran = sum(ticks.get(one.index, 0) for one in mine)
            busy = max(0, ran - hidden)
            numbers = {one.number for one in mine}
            silent = sum(each for each, tid in observed.silent(ALWAYS) if tid not in numbers)
            unknown = max(0, sum(one.unknown_ticks for one in cpus.values()) - silent)
            unknown += ran - busy
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

"""Rules about mutexes: inversion, deadlock, mutexes of ended threads; and about losses."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from tickertape._native.interface import Doubt, SituationKind
from tickertape.answers.observed import Reason
from tickertape.answers.rules import Rule, Violation
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.situation_table import Situation
    from tickertape.answers.spec import Requirement


class OfSituations(Rule):
    """Base of rules about situations: the owners of mutexes and CPUs, and who waits for them."""

    classes: ClassVar[tuple[EventClass, ...]] = (
        EventClass.SCHED,
        EventClass.THREAD,
        EventClass.SYNC,
    )

    kinds: ClassVar[tuple[SituationKind, ...]]
    """Kinds of situations that the rule takes."""

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        for kind in self.kinds:
            for one in part.situations.of(kind):
                self.take(one)

    @abstractmethod
    def take(self, one: Situation) -> None:
        """Take a situation of `kinds`."""

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del observed, part
        self.tally.checked += 1
        for hole in holes:
            self.tally.doubt(self.doubt_of(hole))

    def name(self, entity: int) -> str:
        """Return the name of an entity."""
        return self.boot.entities[entity].name


class Inversion(OfSituations):
    """Requirement: less urgent tasks run for at most `max` ns while a task waits for a mutex."""

    kinds = (SituationKind.INVERSION, SituationKind.DOUBT)

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit()

    def take(self, one: Situation) -> None:
        """See `OfSituations`."""
        task = self.name(one.entity)
        if one.kind == SituationKind.DOUBT:
            self._doubt(one)
        elif str(self.requirement.subject) in {"any", task}:
            self.tally.checked += 1
            if one.value > self._max:
                length = self.boot.time(one.value)
                what = f"less urgent tasks ran for {length} while {task} waited, {self._of(one)}"
                found = Violation(
                    one.value,
                    self.boot.epoch,
                    one.end,
                    what,
                    task=one.entity,
                    begin=one.begin,
                    is_remark=not one.shares,
                )
                self.tally.fail(found)

    def _doubt(self, one: Situation) -> None:
        if one.value == Doubt.PRIORITIES:
            self.tally.doubt("the tape does not contain all priorities")
        else:
            self.tally.doubt(f"task states are contradictory at {self.boot.at(one.end)} s")

    def _of(self, one: Situation) -> str:
        """Describe whether the mutexes bound the inversion, and which tasks made it longer."""
        if not one.shares:
            return "bounded: only owners of the mutexes"
        longest_first = sorted(one.shares, key=lambda share: -share[1])
        others = (f"{self.name(task)} for {self.boot.time(ticks)}" for task, ticks in longest_first)
        return f"unbounded: {', '.join(others)} without these mutexes"


class Deadlock(OfSituations):
    """Requirement: no tasks wait for each other's mutexes in a cycle."""

    kinds = (SituationKind.DEADLOCK,)

    def take(self, one: Situation) -> None:
        """See `OfSituations`."""
        cycle = [task for task, _ in one.shares]
        names = [self.name(task) for task in (*cycle, cycle[0])]
        what = f"deadlock: {' waits for '.join(names)}"
        self.tally.fail(Violation(0, self.boot.epoch, one.end, what, task=one.entity))


class AbandonedMutex(OfSituations):
    """Requirement: no thread ends while it holds a mutex that another task then waits for."""

    kinds = (SituationKind.ABANDONED,)

    def take(self, one: Situation) -> None:
        """See `OfSituations`."""
        mutex, owner, waiters = self.name(one.object), self.name(one.by), one.shares
        ended = f"{owner} ended at {self.boot.at(one.begin)} s while it held it"
        what = f"{mutex} was never unlocked: {ended}"
        if waiters:
            tasks = ", ".join(self.name(task) for task, _ in waiters)
            what += f"; {tasks} {'waits' if len(waiters) == 1 else 'wait'} forever"
        found = Violation(
            one.end - one.since if waiters else 0,
            self.boot.epoch,
            one.since if waiters else one.begin,
            what,
            task=one.entity,
            begin=one.begin,
            is_remark=not waiters,
        )
        self.tally.fail(found)


class Losses(Rule):
    """Requirement: no record is lost, by the balance of the stream."""

    def feed(self, part: Part) -> None:
        """See `Rule`."""

    def end(self, observed: Observed, part: Part) -> None:
        """See `Rule`."""
        self.conclude(observed, [], part)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del holes, part
        boot = self.boot
        self.tally.checked += 1
        lost = boot.balance.lost if boot.balance else 0
        if boot.goes_on:
            lost = _lost_between(observed)
        if lost or boot.unknown_losses:
            what = f"{lost} records are lost" if lost else "records are missing without a count"
            self.tally.fail(Violation(lost, boot.epoch, observed.span[1], what))
        elif not boot.final or boot.balance is None:
            self.tally.doubt("the target's last records may be missing: no final STATUS arrived")


def _lost_between(observed: Observed) -> int:
    """Count the records missing between two records of a CPU; an unknown number counts as 1."""
    return sum(
        1 if one.records is None else one.records
        for one in observed.unknown()
        if one.reason is Reason.LOST
        and observed.first.get(one.cpu or 0, one.end) <= one.begin < one.end
    )

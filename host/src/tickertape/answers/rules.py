"""Base of all rules: a rule judges one requirement in one boot and keeps the result.

A rule reports violations that are certain, and *doubts*: reasons why a violation may be hidden. A
requirement with a violation FAILs; one with doubts only is UNKNOWN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from tickertape.answers.commands import seconds
from tickertape.answers.observed import Observed, Reason, Unknown
from tickertape.answers.shown_times import ShownTimes
from tickertape.decode.ticks import NS_PER_S
from tickertape.model.transitions import NO_ENTITY
from tickertape.protocol.lookup import class_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.analysis.balance import Balance
    from tickertape.answers.places import Place
    from tickertape.answers.reading import Part
    from tickertape.answers.spec import Requirement
    from tickertape.decode.ticks import Clock
    from tickertape.model.entities import Entities
    from tickertape.protocol.events import EventClass
    from tickertape.tape.shown_clock import ShownClock

KEPT: Final = 20
"""Number of violations of a requirement that are kept."""

CANDIDATES: Final = 4096
"""Number of places kept that may prove to be violations."""


class Violation(NamedTuple):
    """A place where a requirement does not hold.

    Attributes:
        excess: sort key of violations; the greatest is the worst.
        epoch: boot of the target within the tape.
        ticks: time from which it is certain.
        what: description in words.
        place: instance concerned, or None.
        task: entity of the task concerned, or NO_ENTITY.
        begin: time at which it began; None if it has no length.
        is_remark: whether a healthy program may do the same: a bounded inversion.
    """

    excess: int
    epoch: int
    ticks: int
    what: str
    place: Place | None = None
    task: int = NO_ENTITY
    begin: int | None = None
    is_remark: bool = False


@dataclass(frozen=True, slots=True)
class Boot:
    """A boot as its rules see it.

    Attributes:
        epoch: number of the boot.
        clock: clock of the target.
        entities: entities of the model, which adds new ones.
        balance: balance of the stream; None if no ring of it has receipts.
        final: whether the balance is final.
        unknown_losses: number of places where records are missing without a count.
        is_whole: whether the first record of each CPU is on the tape.
        shown: times at which the instances of the part fed to the rules were found.
        goes_on: True if more records follow; then a violation is reported only if they cannot
            change it.
        observed: the observed time so far.
        common: clock of the times that `print` shows, if they are not those of `clock`.
    """

    epoch: int
    clock: Clock
    entities: Entities
    balance: Balance | None
    final: bool
    unknown_losses: int
    is_whole: bool
    shown: ShownTimes = field(default_factory=ShownTimes)
    goes_on: bool = False
    observed: Observed = field(default_factory=Observed)
    common: ShownClock | None = None

    def ticks(self, ns: int) -> int:
        """Return a time in ns as ticks, rounded down."""
        return ns * self.clock.hz // NS_PER_S

    def time(self, ticks: int) -> str:
        """Return a length of time as text."""
        ns = self.clock.known_ns(ticks)
        if ns is None:
            return f"{ticks} ticks"
        for limit, unit in ((NS_PER_S, "s"), (10**6, "ms"), (10**3, "us")):
            if ns >= limit:
                return f"{ns / limit:.3f} {unit}"
        return f"{ns} ns"

    def at(self, ticks: int) -> str:
        """Return a time as `print` shows it."""
        return seconds((self.common or self.clock).ns(ticks))


@dataclass(slots=True)
class Tally:
    """Result of a rule.

    Attributes:
        checked: number of checks.
        count: number of violations.
        remarks: how many of them are remarks.
        violations: the worst violations.
        doubts: reasons why violations may be hidden.
    """

    checked: int = 0
    count: int = 0
    remarks: int = 0
    violations: list[Violation] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def fail(self, violation: Violation) -> None:
        """Add a violation."""
        self.count += 1
        self.remarks += violation.is_remark
        self.violations.append(violation)
        if len(self.violations) > 2 * KEPT:
            self.shorten()

    def doubt(self, why: str) -> None:
        """Add a reason why a violation may be hidden."""
        if why not in self.doubts and len(self.doubts) < KEPT:
            self.doubts.append(why)

    def add(self, other: Tally) -> None:
        """Add another result."""
        self.checked += other.checked
        self.count += other.count
        self.remarks += other.remarks
        self.violations += other.violations
        self.shorten()
        for one in other.doubts:
            self.doubt(one)

    def shorten(self) -> None:
        """Keep the worst violations, in order; remarks are the least bad."""
        self.violations.sort(key=lambda one: (one.is_remark, -one.excess, one.epoch, one.ticks))
        del self.violations[KEPT:]


class Rule(ABC):
    """Judges one requirement in one boot; `tally` is complete after `end`.

    Attributes:
        is_cut: True if the boot lasted longer than its observed part; set by `end`.
    """

    classes: ClassVar[tuple[EventClass, ...]] = ()
    """The classes of events that the rule needs."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """Begin before the first event of a boot."""
        self.requirement = requirement
        self.boot = boot
        self.tally = Tally()
        self.is_cut = False

    @abstractmethod
    def feed(self, part: Part) -> None:
        """Take the next events."""

    def end(self, observed: Observed, part: Part) -> None:
        """Judge the requirement; no event follows."""
        lost = self.boot.balance.lost if self.boot.balance else 0
        counted = sum(
            one.records or 0 for one in observed.unknown() if one.reason is not Reason.TAIL
        )
        holes = self.holes(observed)
        if lost > counted or self.boot.goes_on:
            end = observed.span[1]
            holes += [
                Unknown(last, end, Reason.LOST, cpu)
                for cpu, last in observed.last.items()
                if last < end
            ]
        first = observed.span[0]
        begins_late = any(
            one.reason is Reason.LOST and one.begin <= first for one in observed.unknown()
        )
        self.is_cut = begins_late or lost > counted or self.boot.goes_on
        self.conclude(observed, sorted(holes, key=lambda one: one[:2]), part)
        for group in self.wanted():
            if not any(observed.has(cls) for cls in group):
                names = " or ".join(map(class_name, group))
                self.tally.doubt(f"the tape has no event of class {names}")
        if begins_late:
            self.tally.doubt("records before the first one are missing")
        if lost > counted:
            self.tally.doubt(f"{lost - counted} records are missing before or after all others")

    def needed(self) -> Iterable[int]:
        """Return the classes of events that the rule needs."""
        return {cls for group in self.wanted() for cls in group}

    def wanted(self) -> Sequence[Sequence[int]]:
        """Return groups of classes; the rule needs events of at least one class of each group."""
        return [[cls] for cls in self.classes]

    @abstractmethod
    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """Judge the requirement by the events fed so far.

        Args:
            observed: the observed and the unknown intervals of the boot.
            holes: intervals in which events of the needed classes may be missing, in order.
            part: the last part, which has the CPU times of the whole boot.
        """

    def holes(self, observed: Observed) -> list[Unknown]:
        """Return the intervals in which events of the needed classes may be missing."""
        needed: set[int | None] = {None, *self.needed()}
        return [one for one in observed.unknown() if one.hides_events and one.cls in needed]

    def doubt_of(self, hole: Unknown) -> str:
        """Return a hole as the text of a doubt."""
        where = f" of CPU {hole.cpu}" if hole.cpu is not None else ""
        records = f" ({hole.records} records{where})" if hole.records else where
        length = self.boot.time(hole.end - hole.begin)
        return f"{hole.reason} at {self.boot.at(hole.begin)} s for {length}{records}"

    def limit(self, key: str = "max") -> int:
        """Return a time limit of the requirement in ticks."""
        return self.boot.ticks(self.requirement.ns(key) or 0)


def touches(holes: Sequence[Unknown], begin: int, end: int) -> bool:
    """Return whether a hole overlaps an interval, its ends included."""
    return any(one.begin <= end and begin <= one.end for one in holes)

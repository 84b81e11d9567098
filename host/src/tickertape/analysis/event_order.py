"""Determine which events are in the order of their operations.

A kernel that records inside its locks records events in the order of their operations. A kernel
with hooks outside its locks (`HelloFlag.HOOKS_OUTSIDE_LOCKS` in HELLO) records some time before or
after the operation, without a bound: an interrupt, another thread or, in an emulator, another
process may run in between. Only the order of operations of one thread is known. Therefore

    the operation of an event happened after the previous and before the next
    event of the same thread,

and two events are in order only if the operation of one had to be complete before that of the other
could begin. A woken thread did nothing since it began to wait, and earlier operations of its waker
had happened by then. Interrupts and context switches belong to their CPU: they are in order with
all events of this CPU, and with events of other CPUs under the same rule as threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable


class Aspect(Enum):
    """The aspect of a thread or mutex that events report."""

    CONDITION = auto()
    PLACE = auto()
    URGENCY = auto()
    OWNER = auto()


Subject: TypeAlias = tuple[Aspect, int]
"""The subject of an event: an aspect, and the number of a thread or mutex."""

Doer: TypeAlias = int
"""An actor that performs one operation after the other: a thread number, or `doer_of_cpu`."""

NEVER: Final = -1


def doer_of_cpu(cpu: int) -> Doer:
    """Return the actor for the interrupts and the scheduler of a CPU."""
    return -1 - cpu


def unknown_of_cpu(cpu: int) -> Doer:
    """Return the actor for the unknown thread on a CPU, from a gap until a switch reports it."""
    return -1 - (1 << 16) - cpu


@dataclass(slots=True, eq=False)
class Moment:
    """The time of the operation of an event.

    Attributes:
        number: number of the event in the boot.
        time: time stamp of the event, in ticks.
        cpu: CPU that recorded it.
        doer: its actor.
        since: the last event that was surely before it, or None.
        until: the first event that was surely after it; None: none so far.
        woken_by: the event that woke the actor, or None.
    """

    number: int
    time: int
    cpu: int
    doer: Doer
    since: Mark | None
    until: Mark | None = None
    woken_by: Waking | None = None

    def is_before(self, later: Moment) -> bool:
        """Return whether this operation surely happened before that of a later event."""
        if self.doer == later.doer:
            return True
        if self.cpu == later.cpu and doer_of_cpu(self.cpu) in {self.doer, later.doer}:
            return True
        woken = later.woken_by
        if woken is not None and woken.doer == self.doer and self.number <= woken.number:
            return True
        return self.until is not None and self.until.is_reached_by(later.since)


@dataclass(frozen=True, slots=True)
class Mark:
    """An event as a bound: its number, and its time in ticks."""

    number: int
    time: int

    def is_reached_by(self, other: Mark | None) -> bool:
        """Return whether this event is the other one or is earlier; equal times are in no order."""
        return other is not None and (self.number == other.number or self.time < other.time)


@dataclass(frozen=True, slots=True)
class Waking:
    """The event that woke a thread: its actor and its number."""

    doer: Doer
    number: int


class EventOrder:
    """Takes the events of one boot in recorded order; `now` is the moment of the latest one."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self.now = Moment(NEVER, NEVER, NEVER, NEVER, None)
        self._number = 0
        self._latest: dict[Doer, Moment] = {}
        self._bounds: dict[Doer, Mark] = {}
        self._woken: dict[Doer, Waking] = {}
        self._left: dict[Doer, Moment] = {}
        self._told: dict[Subject, dict[Doer, Moment]] = {}
        self._unseen: set[Doer] = set()  # actors without an event since the last gap
        self._all_seen: Mark | None = None

    def begin(self, doer: Doer, cpu: int, time: int) -> None:
        """Take the next event."""
        self._number += 1
        mark = Mark(self._number, time)
        for before in (self._latest.get(doer), self._left.pop(doer, None)):
            if before is not None and before.until is None:
                before.until = mark
        bound = self._bounds.get(doer)
        self.now = Moment(self._number, time, cpu, doer, bound, None, self._woken.get(doer))
        self._latest[doer] = self.now
        self._bounds[doer] = mark
        self._see(doer, mark)

    def _see(self, doer: Doer, mark: Mark) -> None:
        """Mark an actor as seen: the operations that it began in the last gap are complete."""
        if self._unseen:
            self._unseen.discard(doer)
            self._all_seen = None if self._unseen else mark

    def leaves(self, tid: int) -> None:
        """Note that the latest event took the CPU of a waiting thread: its operations are over."""
        waits = self._latest.get(tid)
        if waits is not None:
            self._left[self.now.doer] = waits

    def wakes(self, tid: int) -> None:
        """Note that the latest event woke a waiting thread: its next operations follow."""
        if self.now.since is not None:
            self._bounds[tid] = self.now.since
        self._woken[tid] = Waking(self.now.doer, self.now.number)
        self._told.get((Aspect.CONDITION, tid), {}).pop(tid, None)

    def is_sure(self, *subjects: Subject) -> bool:
        """Return whether all reported operations on these subjects precede the latest one.

        After a gap, a missing report may be of a later operation until its actor is seen again.
        """
        now = self.now
        if self._unseen or (self._all_seen and not self._all_seen.is_reached_by(now.since)):
            return False
        told = (moment for one in subjects for moment in self._told.get(one, {}).values())
        return all(moment.is_before(now) for moment in told)

    def tell(self, subject: Subject) -> None:
        """Note that the latest event reports on a subject; forget operations surely before it."""
        told = self._told.setdefault(subject, {})
        for doer in [doer for doer, moment in told.items() if moment.is_before(self.now)]:
            del told[doer]
        told[self.now.doer] = self.now

    def identify(self, unknown: Doer, doer: Doer) -> None:
        """Attribute to `doer` all operations recorded under `unknown` so far."""
        latest, bound = self._latest.pop(unknown, None), self._bounds.pop(unknown, None)
        if latest is None or bound is None:
            return
        latest.doer = doer
        self._latest[doer], self._bounds[doer] = latest, bound
        for told in self._told.values():
            if (moment := told.pop(unknown, None)) is not None:
                moment.doer = doer
                told[doer] = moment
        self._see(doer, bound)

    def is_over(self, moment: Moment, doers: Iterable[Doer]) -> bool:
        """Return whether no later operation of these actors can precede a moment."""
        until = moment.until
        if until is None:
            return False
        bounds = (self._bounds.get(doer) for doer in doers if doer != moment.doer)
        return all(until.is_reached_by(bound) for bound in bounds)

    def forget_thread(self, tid: int) -> None:
        """Forget a deleted thread; its number may be used again."""
        for known in (self._latest, self._bounds, self._woken):
            known.pop(tid, None)
        for aspect in (Aspect.CONDITION, Aspect.PLACE, Aspect.URGENCY):
            self._told.pop((aspect, tid), None)
        self._see(tid, Mark(self.now.number, self.now.time))

    def lose(self, cpu: int) -> None:
        """Note that records of a CPU are missing: any reported state may have changed since."""
        self._told.clear()
        self.forget_thread(unknown_of_cpu(cpu))
        self._unseen.update(self._bounds)

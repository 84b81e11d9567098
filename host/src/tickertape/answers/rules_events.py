"""Rules about the order, the distance and the rate of events."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from tickertape.answers.rules import CANDIDATES, Rule, Violation, touches
from tickertape.answers.spec import Event
from tickertape.decode.ticks import NS_PER_S
from tickertape.protocol.wire import CLASS_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.spec import Requirement, Value


def _events_in(value: Value) -> Iterator[Event]:
    if isinstance(value, Event):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _events_in(one)


class OfEvents(Rule):
    """Base of rules about the events that the values of a requirement name."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self.events = [
            one
            for key in (requirement.kind, "without")
            for one in _events_in(requirement.values.get(key, ()))
        ]
        self._codes = [np.array(sorted(one.codes), np.uint16) for one in self.events]
        self.late: list[tuple[int, int]] = []

    def wanted(self) -> Sequence[Sequence[int]]:
        """See `Rule`."""
        return [sorted({code >> CLASS_SHIFT for code in one.codes}) for one in self.events]

    def feed(self, part: Part) -> None:
        """See `Rule`."""
        columns = part.columns
        if columns is None:
            return
        chosen = np.flatnonzero(np.isin(columns.code, np.concatenate(self._codes)))
        codes, times = columns.code[chosen], columns.time[chosen].tolist()
        which = np.array([np.isin(codes, mine) for mine in self._codes]).T.tolist()
        for time, flags in zip(times, which, strict=True):
            self.take(time, flags)

    def take(self, time: int, is_event: Sequence[bool]) -> None:
        """Take an event; `is_event` has a flag for each of `events`."""

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        del observed, part
        for hole in holes:
            self.tally.doubt(self.doubt_of(hole))

    def has_all(self, observed: Observed) -> bool:
        """Return whether the tape has events of all wanted classes.

        Events of a class that is not on the tape may be missing anywhere.
        """
        return all(any(map(observed.has, group)) for group in self.wanted())

    def judge_late(
        self, observed: Observed, holes: Sequence[Unknown], what: Callable[[int], str]
    ) -> None:
        """Add a violation for each interval of `late` in which no event may be missing."""
        for begin, end in self.late if self.has_all(observed) else ():
            if not touches(holes, begin, end):
                self.fail(end, what(begin))

    def fail(self, time: int, what: str, excess: int = 0) -> None:
        """Add a violation."""
        self.tally.fail(Violation(excess, self.boot.epoch, time, what))


class Order(OfEvents):
    """Requirement: the second event follows each first event within `within` ns."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit("within")
        self._waiting: deque[int] = deque()

    def take(self, time: int, is_event: Sequence[bool]) -> None:
        """See `OfEvents`."""
        self._expire(time)
        if is_event[1]:
            self.tally.checked += len(self._waiting)
            self._waiting.clear()
        if is_event[0]:
            self._waiting.append(time)

    def _expire(self, now: int) -> None:
        while self._waiting and now - self._waiting[0] > self._max:
            since = self._waiting.popleft()
            self.tally.checked += 1
            if len(self.late) < CANDIDATES:
                self.late.append((since, since + self._max))

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        self._expire(observed.span[1])
        first, second = self.events
        at = self.boot.at
        self.judge_late(
            observed, holes, lambda begin: f"no {second} follows {first} at {at(begin)} s"
        )
        super().conclude(observed, holes, part)


class Never(OfEvents):
    """Requirement: an event never occurs without another event since its previous occurrence."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._is_allowed = False
        self._since = 0

    def take(self, time: int, is_event: Sequence[bool]) -> None:
        """See `OfEvents`."""
        if is_event[0]:
            self.tally.checked += 1
            if not self._is_allowed and len(self.late) < CANDIDATES:
                self.late.append((self._since, time))
            self._is_allowed, self._since = False, time
        if is_event[1]:
            self._is_allowed = True

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        for begin, end in self.late if self.has_all(observed) else ():
            if begin and not touches(holes, begin, end):
                self.fail(end, f"{self.events[0]} without {self.events[1]} before it")
            elif not begin and not touches(holes, observed.span[0], end):
                self._judge_first(end)
        super().conclude(observed, holes, part)

    def _judge_first(self, time: int) -> None:
        if self.boot.is_whole:
            self.fail(time, f"{self.events[0]} without {self.events[1]} before it")
        else:
            self.tally.doubt("what the target recorded first is not on the tape")


class Rate(OfEvents):
    """Requirement: at most `at_most` events within any window of `window` ns."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        at_most = requirement.values["at_most"]
        self._most = at_most if isinstance(at_most, int) else 0
        # Length of the window in ticks, rounded up.
        self._window = -(-(requirement.ns("window") or 0) * boot.clock.hz // NS_PER_S)
        self._times: deque[int] = deque()

    def take(self, time: int, is_event: Sequence[bool]) -> None:
        """See `OfEvents`."""
        del is_event
        self._times.append(time)
        self.tally.checked += 1
        while self._times and time - self._times[0] >= self._window:
            self._times.popleft()
        if len(self._times) > self._most:
            what = f"{len(self._times)} {self.events[0]} within {self.requirement.texts['window']}"
            self.fail(time, what, len(self._times))
            self._times.popleft()

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        super().conclude(observed, holes, part)
        self.tally.checked += 1


class Exclusive(OfEvents):
    """Requirement: different sections never overlap; two events begin and end each section."""

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._open: dict[int, int] = {}

    def take(self, time: int, is_event: Sequence[bool]) -> None:
        """See `OfEvents`."""
        for section in range(len(is_event) // 2):
            if is_event[2 * section + 1]:
                self._open.pop(section, None)
        for section in range(len(is_event) // 2):
            if not is_event[2 * section]:
                continue
            self.tally.checked += 1
            for other, since in self._open.items():
                if other != section and len(self.late) < CANDIDATES:
                    self.late.append((since, time))
            self._open[section] = time

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        at = self.boot.at
        self.judge_late(
            observed, holes, lambda begin: f"a section begins while one is open since {at(begin)} s"
        )
        super().conclude(observed, holes, part)

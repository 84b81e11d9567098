"""Limits of counts and distributions, from the unknown time of a boot.

One mechanism for all figures (docs/definitions.md, "The worlds of a tape"): `Blind` contains what
the unknown time may hide from a figure, by the event classes that the figure depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from tickertape.answers.observed import Reason, length_of, longest_of
from tickertape.answers.sample import Figure, Unseen
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.answers.observed import Unknown

STATES: Final = frozenset({EventClass.SCHED, EventClass.THREAD})
"""Classes whose events change the state of a task."""

OBJECTS: Final = frozenset(
    {
        *STATES,
        *(EventClass.SYNC, EventClass.IRQSTATE, EventClass.KERCALL, EventClass.COMM),
    }
)
"""Classes whose events take, give, or wait for an object."""


class Blind(NamedTuple):
    """What unknown time may hide from a figure.

    Attributes:
        records: most events that may be missing; None if unlimited.
        places: number of places after which states are unknown.
        longest: length of the longest unknown interval after joining, in ticks.
        deselected: ticks in which single classes were not recorded: events of other classes may
            then show a wrong state.
    """

    records: int | None
    places: int
    longest: int
    deselected: int

    @property
    def nothing(self) -> bool:
        """True if nothing is hidden."""
        return not self.places

    def counted(self, value: int, *, each: int = 0, is_certain: bool = False) -> Figure:
        """Return a number of events or of what they show, with its limits.

        Args:
            value: the number seen.
            each: most of them that a place hides in addition to missing events, because the events
                are on the tape but the state before them is unknown.
            is_certain: whether what was seen is certain also while a class was not recorded.
        """
        low = value if is_certain or not self.deselected else 0
        high = None if self.records is None else value + self.records + each * self.places
        return Figure(value, low, high)

    def unseen(self, high: int | None, *, each: int = 0) -> Unseen:
        """Return the values that may be missing in a sample, each at most `high`."""
        if self.nothing:
            return Unseen()
        count = None if self.records is None else self.records + each * self.places
        return Unseen(count, high)


def blind(unknown: Iterable[Unknown], classes: Iterable[int], *, is_whole: bool = True) -> Blind:
    """Return what unknown intervals may hide from a figure.

    Args:
        unknown: the unknown intervals.
        classes: the classes that the figure depends on.
        is_whole: whether the states at the begin are known.
    """
    wanted = {None, *classes}
    mine = [one for one in unknown if one.hides_events and one.cls in wanted]
    records: int | None = 0
    for one in mine:
        records = None if records is None or one.records is None else records + one.records
    return Blind(
        records=records,
        places=len(mine) + (not is_whole),
        longest=longest_of((one.begin, one.end) for one in mine),
        deselected=length_of(
            (one.begin, one.end) for one in mine if one.reason is Reason.DESELECTED
        ),
    )


@dataclass(slots=True)
class Spread:
    """Limits the distance of two successive events between which an event may be missing.

    Feed the times of the events in order. An unseen distance lies between two events that were
    seen, or between one of them and the begin or end of the observed time.

    Attributes:
        first: time of the first event; None before it.
        last: time of the last event.
        hidden: the longest distance between two events that may hide another one.
    """

    first: int | None = None
    last: int = 0
    hidden: int = 0

    def limit(self, begin: int, end: int) -> int:
        """Return the upper limit of an unseen distance between `begin` and `end`."""
        if self.first is None:
            return max(0, end - begin)
        return max(self.hidden, self.first - begin, end - self.last)

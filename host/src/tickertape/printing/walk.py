"""Iterates over events one by one, for row-oriented exporters: resets, gaps, events in order.

    walk = Walk(boots)
    for item in walk.items(columns, chosen):
        match item:
            case Gap(): ...           # records are missing here
            case Reset(): ...         # the target was reset
            case Moment(event, tid):  # an event, and the running thread

The walk also learns names from events that are not chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tickertape.decode.events import Event, Gap
from tickertape.decode.ticks import Clock
from tickertape.model.codes import THREAD_NAME, nameless
from tickertape.model.names import Names
from tickertape.model.running import UNKNOWN, RunningThreads
from tickertape.model.selection import narrow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.boot import BootOf


@dataclass(frozen=True, slots=True)
class Reset:
    """A reset of the target; the following items belong to boot `epoch`."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, and the running thread on its CPU; None when unknown."""

    event: Event
    tid: int | None


Item: TypeAlias = Moment | Gap | Reset


class Walk:
    """Iterates over columns chunk by chunk.

    Attributes:
        names: names at the time of the last item.
        clock: clock of the boot of the last item.
    """

    def __init__(self, boots: BootOf) -> None:
        """Create a walk.

        Args:
            boots: returns a `Boot` for an epoch.
        """
        self._boots = boots
        self._running = RunningThreads()
        self._epoch = -1
        self.names = Names({})
        self.clock = Clock(None)

    def items(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[Item]:
        """Yield the chosen events of the next columns, all gaps, and a reset.

        Args:
            columns: the events.
            chosen: whether to yield each row, one bool per row; None for all.
        """
        if columns.epoch != self._epoch:
            if self._epoch >= 0:
                yield Reset(columns.epoch)
            self._epoch = columns.epoch
            boot = self._boots(columns.epoch)
            self.names, self.clock = boot.names, boot.clock
        running = self._running.column(columns)
        wanted = np.ones(len(columns), bool) if chosen is None else chosen
        # Keep THREAD NAME, because names are also learned from events that are not chosen.
        kept = wanted | (columns.code == THREAD_NAME)
        columns, running, wanted = narrow(columns, kept), running[kept], wanted[kept]
        gaps = sorted(columns.gaps, key=lambda gap: gap.row, reverse=True)
        rows = zip(columns.events(), running.tolist(), wanted.tolist(), strict=True)
        for row, (event, tid, is_wanted) in enumerate(rows):
            while gaps and gaps[-1].row <= row:
                yield gaps.pop()
            if event.cls << 10 | event.event == THREAD_NAME:
                self._learn(event)
            if is_wanted:
                yield Moment(event, None if tid == UNKNOWN else tid)
        yield from reversed(gaps)

    def task(self, tid: int | None) -> str | None:
        """Return the name of a thread, `thread N` without one; None when `tid` is None."""
        if tid is None:
            return None
        return self.names.thread(tid) or nameless(tid)

    def time_ns(self, ticks: int) -> int:
        """Return a time in nanoseconds, rounded down."""
        return self.clock.ns(ticks)

    def _learn(self, event: Event) -> None:
        if event.text and len(event.words) > 1:
            self.names.learn_thread(event.words[1], event.text)

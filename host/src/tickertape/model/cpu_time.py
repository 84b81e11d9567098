"""Who had a CPU when: context switches to time per thread, exactly and without guessing.

Between two context switches the thread of the first one ran; the second one says so again in its
`prev_tid`. Where records are missing, the time from the last record before the gap to the first
one after it belongs to no thread: it counts as unknown. The thread that ran right after a gap is
known by the `prev_tid` of the next switch.

    switch to A        gap                switch B to C
    |-------- A -------|...unknown...|---- B ----|--- C
                  last record    first record
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ticks = NDArray[np.uint64]
    Threads = NDArray[np.uint32]


@dataclass(slots=True)
class CpuTime:
    """One CPU of one boot, fed in order of time.

    Attributes:
        run_ticks: known running time per thread number.
        unknown_ticks: time in which the running thread is unknown.
        switches: context switches seen.
        contradictions: switches whose `prev_tid` is not who was switched to before, with no gap
            between; the time between such two is unknown.
        first, last: time of the first and the last record, None before there was any.
    """

    run_ticks: dict[int, int] = field(default_factory=dict)
    unknown_ticks: int = 0
    switches: int = 0
    contradictions: int = 0
    first: int | None = None
    last: int = 0
    _since: int = 0
    _running: int | None = None
    _after_gap: bool = False

    @property
    def running(self) -> int | None:
        """Who runs now; None when unknown."""
        return None if self._after_gap else self._running

    @property
    def observed_ticks(self) -> int:
        """From the first record to the last, known or not."""
        return 0 if self.first is None else self.last - self.first

    def feed(self, begin: int, end: int, times: Ticks, prev: Threads, following: Threads) -> None:
        """Take a stretch of records without a gap inside.

        Args:
            begin: ticks of the first record of the stretch, of any kind.
            end: ticks of the last one.
            times: ticks of the context switches in it, ascending.
            prev: who ran before each switch.
            following: who ran after it.
        """
        if self.first is None:
            self.first = self._since = begin
        elif self._after_gap:
            self.unknown_ticks += begin - self.last
            self._since = begin
        self._after_gap = False
        self.last = end
        if len(times):
            self._switch(times, prev, following)

    def gap(self) -> None:
        """Records are missing between what was fed and what will be."""
        if self.first is None or self._after_gap:
            return
        self._settle()
        self._running, self._after_gap = None, True

    def finish(self) -> None:
        """Count the time up to the last record; nothing is fed after that."""
        if self.first is not None and not self._after_gap:
            self._settle()
            self._since = self.last

    def _settle(self) -> None:
        """The stretch from the last switch to the last record belongs to who runs."""
        self._add(self._running, self.last - self._since)

    def _add(self, thread: int | None, ticks: int) -> None:
        if thread is None:
            self.unknown_ticks += ticks
        else:
            self.run_ticks[thread] = self.run_ticks.get(thread, 0) + ticks

    def _switch(self, times: Ticks, prev: Threads, following: Threads) -> None:
        self.switches += len(times)
        if self._running is None:
            self._running = int(prev[0])
        # Stretch i ends with switch i; `before` is who ran in it by the switch at its begin.
        before = np.concatenate([[np.uint32(self._running)], following[:-1]])
        starts = np.concatenate([[np.uint64(self._since)], times[:-1]])
        lengths = (times - starts).astype(np.int64)
        agreed = before == prev
        self.contradictions += int(np.count_nonzero(~agreed))
        self.unknown_ticks += int(lengths[~agreed].sum())
        threads, index = np.unique(prev[agreed], return_inverse=True)
        totals = np.zeros(len(threads), np.int64)
        np.add.at(totals, index, lengths[agreed])
        for thread, ticks in zip(threads.tolist(), totals.tolist(), strict=True):
            self._add(thread, ticks)
        self._running, self._since = int(following[-1]), int(times[-1])

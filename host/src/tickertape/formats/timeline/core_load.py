"""Computes the load of each CPU per interval of 10 ms, where it changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.records import I64

WINDOW_NS: Final = 10_000_000
_PERCENT: Final = 100.0


@dataclass(slots=True)
class _Cpu:
    """State of one CPU: changes since the last value, whether it is busy, and its last load."""

    times: list[I64] = field(default_factory=list)
    steps: list[I64] = field(default_factory=list)
    blind: list[tuple[int, int]] = field(default_factory=list)
    running: int = 0
    done_ns: int = 0
    shown: int = -1


class CoreLoad:
    """Computes loads from the times at which CPUs become busy or idle.

    An interval that overlaps a loss has no value.
    """

    def __init__(self) -> None:
        """Create a load without any CPU."""
        self._cpus: dict[int, _Cpu] = {}

    def steps(self, cpu: int, times: I64, steps: I64) -> None:
        """Add times at which the CPU became busy (+1) or idle (-1), in order."""
        one = self._cpus.setdefault(cpu, _Cpu(done_ns=int(times[0]) // WINDOW_NS * WINDOW_NS))
        one.times.append(times)
        one.steps.append(steps)

    def lose(self, cpu: int, begin_ns: int, end_ns: int) -> None:
        """Mark a span of time as unknown for a CPU, because records are missing."""
        if cpu in self._cpus:
            self._cpus[cpu].blind.append((begin_ns, end_ns))

    def take(self, end_ns: int) -> Iterator[tuple[int, I64, NDArray[np.float64]]]:
        """Yield CPU, begins in ns and loads in per cent of the intervals up to `end_ns`.

        An interval with the load of the one before is left out, so that the cost follows the number
        of changes, not the time.
        """
        for cpu, one in self._cpus.items():
            count = (end_ns - one.done_ns) // WINDOW_NS
            if count > 0:
                begins, values = self._values(one, count)
                if len(begins):
                    yield cpu, begins, values

    @staticmethod
    def _values(one: _Cpu, count: int) -> tuple[I64, NDArray[np.float64]]:
        """Return begins and loads of the next `count` intervals."""
        first = one.done_ns
        last = first + count * WINDOW_NS
        times = np.concatenate([np.array([first]), *one.times])
        steps = np.concatenate([np.array([one.running]), *one.steps])
        # Transitions of a gap arrive late, so sort by time.
        order = np.argsort(times, kind="stable")
        times, steps = np.maximum(times[order], first), steps[order]
        running = np.clip(np.cumsum(steps), 0, 1)
        busy = np.append(0, np.cumsum(running[:-1] * np.diff(times)))

        def busy_until(edges: I64) -> I64:
            at = np.searchsorted(times, edges, "right") - 1
            found: I64 = busy[at] + running[at] * (edges - times[at])
            return found

        # The load changes only in an interval with a change or a loss, and after it.
        changed = (times - first) // WINDOW_NS
        blind = [((a - first) // WINDOW_NS, (b - first) // WINDOW_NS) for a, b in one.blind]
        places = np.unique(np.concatenate([changed, changed + 1, [end + 1 for _, end in blind]]))
        places = places[(places >= 0) & (places < count)].astype(np.int64)
        for begin, end in blind:
            places = places[(places < begin) | (places > end)]
        begins = first + places * WINDOW_NS
        spent = busy_until(begins + WINDOW_NS) - busy_until(begins)
        is_new = np.diff(spent, prepend=one.shown) != 0
        one.shown = int(spent[-1]) if len(spent) else one.shown
        later = times >= last
        one.running = int(running[~later][-1]) if (~later).any() else one.running
        one.times, one.steps = [times[later]], [steps[later]]
        one.blind = [span for span in one.blind if span[1] >= last]
        one.done_ns = last
        return begins[is_new], spent[is_new] / WINDOW_NS * _PERCENT


class LoadSteps:
    """Collects the times at which CPUs become busy (+1) or idle (-1)."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._steps: dict[int, list[tuple[int, int]]] = {}

    def change(self, time_ns: int, before: int, now: int) -> None:
        """Record that a process left CPU `before` and entered CPU `now`; -1 for none."""
        if before == now:
            return
        for cpu, step in ((before, -1), (now, 1)):
            if cpu < 0:
                continue
            steps = self._steps.setdefault(cpu, [])
            # A process that replaces another at the same time is not a change.
            last = steps.pop()[1] if steps and steps[-1][0] == time_ns else 0
            steps.append((time_ns, last + step))

    def columns(self) -> tuple[I64, I64, I64]:
        """Return CPUs, times in ns and steps, ordered by CPU; per CPU in the order of changes."""
        rows = [
            (cpu, time_ns, step)
            for cpu, steps in sorted(self._steps.items())
            for time_ns, step in steps
            if step
        ]
        cpus, times, steps = np.array(rows, np.int64).reshape(-1, 3).T
        return cpus, times, steps

"""Attribute CPU time to tasks, interrupts, idle and the kernel: transitions of one boot to ticks.

A task or interrupt owns a CPU while it is RUNNING. Time in an interrupt counts for the interrupt,
not for the task that it interrupts. The time between a task's wait and the switch to the next task
counts for the kernel. See docs/model.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.entities import Kind
from tickertape.model.transitions import Action, State

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

_IDLE: Final = 0
_UNKNOWN: Final = 1
_FIRST_PROCESS: Final = 2
ALWAYS: Final = (0, (1 << 63) - 1)
"""Window without limits."""


@dataclass(frozen=True, slots=True)
class CpuTime:
    """The time of one CPU in one boot, from its first record to its last, in ticks.

    Attributes:
        observed_ticks: total, the sum of the others.
        tasks_ticks: time in tasks.
        interrupts_ticks: time in interrupts.
        idle_ticks: time in the idle thread, without interrupts.
        kernel_ticks: time in the kernel, between two processes.
        unknown_ticks: time with an unknown owner: records are missing, or nothing was recorded.
    """

    observed_ticks: int
    tasks_ticks: int
    interrupts_ticks: int
    idle_ticks: int
    kernel_ticks: int
    unknown_ticks: int


class CpuTimes:
    """Sums CPU time over the events of one boot and the transitions of `SystemModel`.

    An interval counts as its end minus its begin, so the order of transitions does not matter. An
    open interval ends with the last record of its CPU, or of the boot after `close`. Any other
    quantity that never decreases on a CPU can be summed too: pass it to `observe` and `add` in
    place of ticks.
    """

    def __init__(self, entities: Entities, window: tuple[int, int] = ALWAYS) -> None:
        """Start before the first event of a boot.

        Args:
            entities: entities of the model.
            window: first and last tick to count. Pass the events of the whole boot in any case.
        """
        self._entities, self._window = entities, window
        self._known = len(entities)  # number of entities of earlier boots
        self._mentioned: set[int] = set()
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        # By entity: its kind, and its row (process) or column (core) in the arrays below.
        self._kinds = np.zeros(0, np.int64)
        self._places = np.zeros(0, np.int64)
        self._processes: list[int] = []
        self._cores: list[int] = []
        self._ticks = np.zeros((_FIRST_PROCESS, 0), np.int64)
        self._open = np.zeros((_FIRST_PROCESS, 0), np.int64)
        self._seen = np.zeros(0, np.int64)

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        """Add the next events and their transitions."""
        for cpu, (begin, end) in columns.rows_of_cpus.items():
            self.observe(cpu, int(columns.time[begin]), int(columns.time[end]))
        self.add(found)

    def observe(self, cpu: int, begin: int, end: int) -> None:
        """Note the times of the first and the last of the next records of a CPU."""
        self._first.setdefault(cpu, self._clipped(begin))
        self._last[cpu] = max(self._last.get(cpu, 0), self._clipped(end))

    def add(self, found: Transitions) -> None:
        """Add the transitions of the observed records."""
        begun = bool(self._cores)
        self._grow()
        self._add(found, begun=begun)

    def _add(self, found: Transitions, *, begun: bool) -> None:
        """Add transitions to the sums; `begun`: transitions were added before."""
        # The first transitions of a boot are the losses of what the previous boot left open.
        ours = begun | (found.row > 0) | (found.action != Action.LOSE)
        self._mentioned.update(np.flatnonzero(np.bincount(found.entity[ours])).tolist())
        kinds, places = self._kinds[found.entity], self._places[found.entity]
        is_core = ours & (kinds == Kind.CORE)
        columns_of = np.where(is_core, places, self._places[found.source])
        is_process = ours & ((kinds == Kind.TASK) | (kinds == Kind.INTERRUPT))
        is_process &= (found.source >= 0) & (self._kinds[found.source] == Kind.CORE)
        idle, unknown = np.full_like(places, _IDLE), np.full_like(places, _UNKNOWN)
        time = np.clip(found.time.astype(np.int64), *self._window)
        for rows, chosen, state in (
            (places, is_process, State.RUNNING),
            (idle, is_core, State.FREE),
            (unknown, is_core, State.UNKNOWN),
        ):
            before, after = found.before == state, found.after == state
            for edge, step in ((after & ~before, 1), (before & ~after, -1)):
                at = np.flatnonzero(chosen & edge)
                cells = rows[at] * len(self._cores) + columns_of[at]
                np.add.at(self._open.reshape(-1), cells, step)
                np.subtract.at(self._ticks.reshape(-1), cells, step * time[at])
                # Another CPU may end an interval after the last record of the core itself.
                np.maximum.at(self._seen, columns_of[at], time[at])

    def by_entity(self) -> dict[int, int]:
        """Return the ticks of each task and interrupt of this boot."""
        ticks = self._until_now().sum(axis=1)[_FIRST_PROCESS:].tolist()
        every = zip(self._processes, ticks, strict=True)
        mine = self._mentioned
        return {entity: one for entity, one in every if entity >= self._known or entity in mine}

    def by_cpu(self) -> dict[int, CpuTime]:
        """Return the time of each CPU, by number."""
        is_task = self._kinds[self._processes] == Kind.TASK
        ticks = dict(zip(self._numbers(), self._until_now().T, strict=True))
        ends = dict(zip(self._numbers(), self._ends().tolist(), strict=True))
        nothing = np.zeros(_FIRST_PROCESS + len(self._processes), np.int64)
        found = {}
        for cpu in sorted(self._first):
            mine = ticks.get(cpu, nothing)
            ran = mine[_FIRST_PROCESS:]
            observed = ends.get(cpu, self._last[cpu]) - self._first[cpu]
            # A core starts as UNKNOWN, without a transition.
            parts = (ran[is_task].sum(), ran[~is_task].sum(), mine[_IDLE])
            unknown = int(mine[_UNKNOWN]) + observed
            tasks, interrupts, idle = map(int, parts)
            kernel = observed - tasks - interrupts - idle - unknown
            found[cpu] = CpuTime(observed, tasks, interrupts, idle, kernel, unknown)
        return found

    def close(self) -> None:
        """Extend the time of each CPU to the first and the last record of any CPU.

        A CPU is unknown before its first record. After its last one it stays in its state: that
        state is unknown if later records may be missing (`Gap.tail`).
        """
        ends = [*self._last.values(), *self._ends().tolist()]
        begin, end = min(self._first.values(), default=0), max(ends, default=0)
        self._first = dict.fromkeys(self._first, begin)
        self._last = dict.fromkeys(self._last, end)

    def _until_now(self) -> I64:
        """Return the sums with open intervals: one row per owner, one column per core."""
        return self._ticks + self._open * self._ends()

    def _ends(self) -> I64:
        """Return the last observed time of each core."""
        last = [self._last.get(cpu, 0) for cpu in self._numbers()]
        return np.maximum(self._seen, np.array(last, np.int64))

    def _numbers(self) -> list[int]:
        return [self._entities[core].number for core in self._cores]

    def _clipped(self, time: int) -> int:
        first, last = self._window
        return min(max(time, first), last)

    def _grow(self) -> None:
        """Add rows and columns for new entities."""
        new = list(range(len(self._kinds), len(self._entities)))
        places = []
        for entity in new:
            kind = self._entities[entity].kind
            if kind is Kind.CORE:
                places.append(len(self._cores))
                self._cores.append(entity)
            elif kind in {Kind.TASK, Kind.INTERRUPT}:
                places.append(_FIRST_PROCESS + len(self._processes))
                self._processes.append(entity)
            else:
                places.append(0)
        kinds = [self._entities[one].kind for one in new]
        self._kinds = np.append(self._kinds, kinds).astype(np.int64)
        self._places = np.append(self._places, places).astype(np.int64)
        wanted = _FIRST_PROCESS + len(self._processes), len(self._cores)
        if wanted != self._ticks.shape:
            more = [(0, size - now) for size, now in zip(wanted, self._ticks.shape, strict=True)]
            self._ticks, self._open = np.pad(self._ticks, more), np.pad(self._open, more)
            self._seen = np.pad(self._seen, more[1])

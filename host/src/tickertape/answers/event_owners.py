"""Count events by their owner: the pass for CPU time, applied to events instead of ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tickertape.model.compiled_cpu_time import cpu_times
from tickertape.model.entities import Kind
from tickertape.model.transitions import Action, State, of_table
from tickertape.protocol.wire import CPU_MASK

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions


class EventOwners:
    """Counts events by the task or interrupt that had the CPU when they were recorded.

    The time stamp of an event lies in the middle of its recording. The previous and the next owner
    therefore record a part each of an event that changes the owner of the CPU. `shared` counts such
    an event for both owners, `alone` for neither.
    """

    def __init__(self, entities: Entities) -> None:
        """Begin before the first event of a boot."""
        self._entities = entities
        self._cpus = np.zeros(0, np.int64)  # by entity: the CPU of a core, else -1
        self._is_process = np.zeros(0, bool)
        self.alone = _Sums(entities)
        self.shared = _Sums(entities), _Sums(entities)

    def feed(self, columns: EventColumns, found: Transitions, *numbers: I64) -> None:
        """Take the next events and their transitions.

        Args:
            columns: the events.
            found: their transitions.
            numbers: for `alone` and each of `shared`: the number to add for each event.
        """
        self._learn()
        found, cpus = self._changes(found)
        is_process = self._is_process[found.entity]
        ends = found.before == np.where(is_process, State.RUNNING, State.UNKNOWN)
        # A loss ends before the event of its row. A state that this event ends was then unknown.
        lost, place = found.action == Action.LOSE, found.row * (CPU_MASK + 1) + cpus
        early = lost | (is_process & np.isin(place, place[lost & ~is_process]))
        self.alone.feed(columns, numbers[0], found, cpus, found.row + ~ends)
        for one, number in zip(self.shared, numbers[1:], strict=True):
            one.feed(columns, number, found, cpus, found.row + (ends & ~early))

    def _learn(self) -> None:
        new = [self._entities[one] for one in range(len(self._cpus), len(self._entities))]
        cpus = [one.number if one.kind is Kind.CORE else -1 for one in new]
        kinds = [one.kind in {Kind.TASK, Kind.INTERRUPT} for one in new]
        self._cpus = np.append(self._cpus, np.array(cpus, np.int64))
        self._is_process = np.append(self._is_process, np.array(kinds, bool))

    def _changes(self, found: Transitions) -> tuple[Transitions, I64]:
        """Return the transitions that change the owner of a CPU, and the CPU of each.

        A process gets or loses the CPU, or the state of the core becomes known or unknown.
        """
        entity, before, after = map(np.ascontiguousarray, (found.entity, found.before, found.after))
        process = (before == State.RUNNING) != (after == State.RUNNING)
        core = (before == State.UNKNOWN) != (after == State.UNKNOWN)
        chosen = (
            np.flatnonzero(process & self._is_process[entity]),
            np.flatnonzero(core & (self._cpus[entity] >= 0)),
        )
        at, owners = np.concatenate(chosen), (found.source[chosen[0]], entity[chosen[1]])
        cpus = self._cpus[np.concatenate(owners)]
        # One event may end an instance and begin the next one on the same CPU: no change.
        is_same = found.action[at[:-1]] != Action.LOSE
        for column in (found.row[at], entity[at], cpus):
            is_same &= column[1:] == column[:-1]
        is_edge = np.ones(len(at) + 1, bool)
        is_edge[1:-1] = ~is_same
        edges = np.flatnonzero(is_edge)
        odd = edges[:-1][np.diff(edges) % 2 == 1]
        return of_table(found.packed()[at[odd]]), cpus[odd]


class _Sums:
    """Sums of a number per event: `CpuTimes` with running sums per CPU in place of times."""

    def __init__(self, entities: Entities) -> None:
        self._times = cpu_times(entities)
        self._so_far: dict[int, int] = {}

    def feed(
        self, columns: EventColumns, numbers: I64, found: Transitions, cpus: I64, places: I64
    ) -> None:
        table = found.packed()
        table["time"] = 0
        for cpu in {*self._so_far, *columns.rows_of_cpus}:
            before = self._so_far.get(cpu, 0)
            sums = before + np.cumsum(np.append(0, np.where(columns.cpu == cpu, numbers, 0)))
            chosen = np.flatnonzero(cpus == cpu)
            # A loss after the last event has no event of its own.
            table["time"][chosen] = sums[np.minimum(places[chosen], len(columns))]
            self._so_far[cpu] = int(sums[-1])
            self._times.observe(cpu, before, self._so_far[cpu])
        self._times.add(of_table(table))

    @property
    def by_entity(self) -> dict[int, int]:
        """Sum over the events of each task and interrupt of this boot."""
        return self._times.by_entity()

    @property
    def unknown(self) -> int:
        """Sum over the events with an unknown owner."""
        return sum(one.unknown_ticks for one in self._times.by_cpu().values())

"""Who had the CPU at each event, by the model: the task or interrupt that recorded it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.entities import Kind
from tickertape.model.transitions import Action, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions


class Contexts:
    """Follows the transitions of one boot.

    The time of an event lies in the middle of recording it. Where it changes who has the CPU, it is
    recorded partly in the context before and partly in the one after.
    """

    NO_PROCESS: Final = -1
    """The kernel or the idle thread has the CPU."""
    UNKNOWN: Final = -2
    """Nothing is known: records are missing, or nothing was recorded."""

    def __init__(self, entities: Entities) -> None:
        """Begin before the first event of a boot: no CPU is known."""
        self._entities = entities
        self._is_process = np.zeros(0, bool)
        self._cores = np.zeros(0, np.int64)  # by entity: the CPU of a core, else -1
        self._owners: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def columns(
        self, columns: EventColumns, found: Transitions
    ) -> Iterator[tuple[NDArray[np.intp], I64, I64]]:
        """Yield the rows of each CPU, and who had it before and after each of them.

        Owners are indices of entities, NO_PROCESS or UNKNOWN.
        """
        self._learn()
        owners, known = self._changes(found)
        for cpu in columns.rows_of_cpus:
            rows = np.flatnonzero(columns.cpu == cpu)
            before, after = _at(rows, owners, cpu, self._owners.get(cpu, self.NO_PROCESS))
            was, is_ = _at(rows, known, cpu, self._known.get(cpu, 0))
            yield (
                rows,
                np.where(was, before, self.UNKNOWN),
                np.where(is_, after, self.UNKNOWN),
            )
        _keep(self._owners, owners)
        _keep(self._known, known)

    def _learn(self) -> None:
        new = [self._entities[one] for one in range(len(self._cores), len(self._entities))]
        kinds = [one.kind in {Kind.TASK, Kind.INTERRUPT} for one in new]
        cores = [one.number if one.kind is Kind.CORE else -1 for one in new]
        self._is_process = np.append(self._is_process, np.array(kinds, bool))
        self._cores = np.append(self._cores, np.array(cores, np.int64))

    def _changes(self, found: Transitions) -> tuple[I64, I64]:
        """Return who has which CPU from where on, and whether that is known.

        Returns:
            Two tables with the columns place, CPU, value, in order of places. A change that an
            event in row r makes is at 2r + 1, one that is over before it, as a gap, at 2r.
        """
        if not len(self._cores):
            return np.zeros((0, 3), np.int64), np.zeros((0, 3), np.int64)
        place = 2 * found.row + (found.action != Action.LOSE)
        source = np.where(found.source >= 0, self._cores[found.source], -1)
        core = self._cores[found.entity]
        begins = (found.after == State.RUNNING) & (found.before != State.RUNNING)
        ends = (found.before == State.RUNNING) & (found.after != State.RUNNING)
        at = np.flatnonzero(self._is_process[found.entity] & (source >= 0) & (begins | ends))
        value = np.where(begins[at], found.entity[at], self.NO_PROCESS)
        # The end of one that is no longer the owner.
        late = np.zeros(len(at), bool)
        late[1:] = ends[at[1:]] & (value[:-1] >= 0) & (value[:-1] != found.entity[at[1:]])
        late[1:] &= (place[at[1:]] == place[at[:-1]]) & (source[at[1:]] == source[at[:-1]])
        at, value = at[~late], value[~late]
        owners = np.stack([place[at], source[at], value], axis=1).astype(np.int64)
        is_unknown = found.after == State.UNKNOWN
        at = np.flatnonzero((core >= 0) & (is_unknown != (found.before == State.UNKNOWN)))
        known = np.stack([place[at], core[at], ~is_unknown[at]], axis=1).astype(np.int64)
        return _in_order(owners), _in_order(known)


def _in_order(table: I64) -> I64:
    return table[np.argsort(table[:, 0], kind="stable")]


def _at(rows: NDArray[np.intp], table: I64, cpu: int, begin: int) -> tuple[I64, I64]:
    """Return the value of a CPU before and after each row."""
    mine = table[table[:, 1] == cpu]
    values = np.append(begin, mine[:, 2])
    return (
        values[np.searchsorted(mine[:, 0], 2 * rows, "right")],
        values[np.searchsorted(mine[:, 0], 2 * rows + 1, "right")],
    )


def _keep(last: dict[int, int], table: I64) -> None:
    for cpu in np.unique(table[:, 1]).tolist():
        last[cpu] = int(table[table[:, 1] == cpu][-1, 2])

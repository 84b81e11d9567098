"""Instances, compiled; `instances` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from tickertape._native.engine import engine
from tickertape._native.interface import LIVES_CPUS, NO_TICKS
from tickertape._native.lives import Lives, copied
from tickertape.answers.instances import Instances
from tickertape.answers.table import Table, joined

if TYPE_CHECKING:
    from ctypes import CDLL

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions


class InstanceTables(Protocol):
    """Interface of the Python and the compiled engine."""

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        """Take the next events."""
        ...

    def finish(self) -> None:
        """End the open instances; the last record of the boot was fed."""
        ...

    @property
    def waiting(self) -> int:
        """Number of instances and intervals that ended since the last table was taken."""
        ...

    def taken_table(self) -> Table:
        """Return the instances and intervals that ended since the last call, and forget them."""
        ...

    def lent_table(self) -> Table:
        """Return the table of `taken_table`, valid until the next call of any method."""
        ...

    def open_table(self) -> Table:
        """Return the instances that have not ended, as known so far; change nothing.

        Each one ends at the last record. Its current wait is not part of its blockings.
        """
        ...


def instances_of(entities: Entities, epoch: int) -> InstanceTables:
    """Return a follower of a boot's instances, compiled if this process has the compiled engine."""
    compiled = engine()
    if compiled is None:
        return Instances(entities, epoch)
    return CompiledInstances(compiled, entities)


class CompiledInstances:
    """Compiled `Instances` with the same tables."""

    def __init__(self, compiled: CDLL, entities: Entities) -> None:
        """Begin before the first event of a boot."""
        self._lives = Lives(compiled)
        self._entities = entities
        self._kinds = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)
        self._kept: list[Table] = []  # taken from the compiled part, not yet by a caller
        self._base = 0

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        """Take the next events."""
        last = np.full(LIVES_CPUS, NO_TICKS, np.int64)
        for cpu, (_, row) in columns.rows_of_cpus.items():
            last[cpu] = columns.time[row]
        self._lives.feed(found.packed(), self._base, self._grown(), last)
        self._base += len(columns)

    def finish(self) -> None:
        """End the open instances; the last record of the boot was fed."""
        self._lives.finish(self._grown())

    @property
    def waiting(self) -> int:
        """Number of instances and intervals that ended since the last table was taken."""
        kept = sum(len(one.rows) + len(one.intervals) for one in self._kept)
        return kept + self._lives.waiting

    def taken_table(self) -> Table:
        """Return the instances and intervals that ended since the last call, and forget them."""
        self._keep()
        found, self._kept = self._kept, []
        return joined(found)

    def lent_table(self) -> Table:
        """Return the table of `taken_table`, valid until the next call of any method."""
        return self.taken_table() if self._kept else Table(*self._lives.taken())

    def open_table(self) -> Table:
        """Return the instances that have not ended; see `InstanceTables`."""
        self._keep()
        return Table(*self._lives.open(self._grown()))

    def _keep(self) -> None:
        self._kept.append(Table(*copied(self._lives.taken())))

    def _grown(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        new = [self._entities[one] for one in range(len(self._kinds), len(self._entities))]
        if new:
            self._kinds = np.append(self._kinds, [one.kind for one in new])
            self._numbers = np.append(self._numbers, [one.number for one in new])
        return self._kinds, self._numbers

"""Situations, compiled; `situations` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tickertape._native.engine import engine
from tickertape._native.situations import SituationFinder
from tickertape.answers.situation_table import SituationTable, noted_in
from tickertape.answers.situations import NO_LIMIT, Situations

if TYPE_CHECKING:
    from ctypes import CDLL

    from numpy.typing import NDArray

    from tickertape._native.situations import Found
    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions


def situations_of(entities: Entities, limit_ticks: int = NO_LIMIT) -> Situations:
    """Return a finder of a boot's situations, compiled if this process has the compiled engine.

    Args:
        entities: entities of the model, which adds new ones.
        limit_ticks: see `Situations`; `NO_LIMIT` at most is used.
    """
    compiled, limit_ticks = engine(), min(limit_ticks, NO_LIMIT)
    if compiled is None:
        return Situations(entities, limit_ticks)
    return CompiledSituations(compiled, entities, limit_ticks)


class CompiledSituations(Situations):
    """Compiled `Situations` with the same tables."""

    def __init__(self, compiled: CDLL, entities: Entities, limit_ticks: int) -> None:
        """Begin before the first event of a boot."""
        super().__init__(entities, limit_ticks)
        self._finder = SituationFinder(compiled, limit_ticks)
        self._kinds = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)
        self._tables: list[SituationTable] = []

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        """See the base class."""
        noted = noted_in(columns)
        self._add(self._finder.feed(found.packed(), noted, self._grown()))
        if len(columns):
            self._last = int(columns.time[-1])

    def finish(self) -> None:
        """See the base class."""
        self._add(self._finder.finish(self._last, self._grown()))

    def open_table(self) -> SituationTable:
        """See the base class."""
        return SituationTable(*self._finder.open(self._last, self._grown()))

    def taken_table(self) -> SituationTable:
        """See the base class."""
        tables, self._tables = self._tables, []
        if not tables:
            return SituationTable.empty()
        if len(tables) == 1:
            return tables[0]
        rows = [one.rows.copy() for one in tables]
        shares = np.concatenate([one.shares for one in tables])
        before = 0
        for row, table in zip(rows, tables, strict=True):
            row["first_share"] += before
            before += len(table.shares)
        return SituationTable(np.concatenate(rows), shares)

    def _add(self, found: Found) -> None:
        self._tables.append(SituationTable(*found))

    def _grown(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return kind and number of each entity; the number of a task may change."""
        self._kinds = np.array([one.kind for one in self._entities], np.int64)
        self._numbers = np.array([one.number for one in self._entities], np.int64)
        return self._kinds, self._numbers

"""Statistics of one boot, compiled; `gathering` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native import gathering as compiled_part
from tickertape._native.engine import engine
from tickertape._native.interface import NO_TICKS, Figure
from tickertape.answers.gathering import ACTIVATING, Gathering
from tickertape.answers.limits import OBJECTS, Spread
from tickertape.answers.sample import Sample
from tickertape.model.transitions import Action

if TYPE_CHECKING:
    from ctypes import CDLL

    from tickertape.answers.reading import Part

_COUNTS: Final = (
    *("activations", "uncertain", "preemptions", "interruptions", "nesting"),
    *("preemptions_partly", "interruptions_partly"),
)


def gathering_of(window: tuple[int, int]) -> Gathering:
    """Return a `Gathering` for a boot, compiled if this process has the compiled engine."""
    compiled = engine()
    return Gathering(window) if compiled is None else CompiledGathering(compiled, window)


class CompiledGathering(Gathering):
    """Compiled `Gathering` with the same figures as its base class."""

    def __init__(self, compiled: CDLL, window: tuple[int, int]) -> None:
        """See the base class."""
        super().__init__(window)
        self._sums = compiled_part.Gathering(compiled, window, len(Action))
        self._kinds = np.zeros(0, np.int64)

    def _take_uses(self, part: Part) -> None:
        if part.transitions is None:
            return
        new = range(len(self._kinds), len(part.entities))
        if new:
            self._kinds = np.append(self._kinds, [part.entities[one].kind for one in new])
        holes = self.observed.holes(OBJECTS)
        self._sums.take_uses(part.transitions.packed(), self._kinds, holes)

    def _take_table(self, part: Part) -> None:
        table = part.ended.lent_table()
        since = [one.begin for one in self.observed.unknown() if one.hides_events]
        known = compiled_part.Known(
            self.observed.span, min(since, default=None), self.observed.holes(ACTIVATING)
        )
        self._sums.take_tables(table.rows, table.intervals, len(part.entities), known)

    def _collect(self) -> None:
        """Copy the sums of the compiled part into `processes` and `uses`."""
        for entity, row in enumerate(self._sums.gathered):
            found = self.processes[entity]
            for name in _COUNTS:
                setattr(found, name, int(row[name]))
            found.activated = Spread(
                _ticks(row["first_time"]), int(row["last_time"]), int(row["period_hidden"])
            )
            found.high, found.latency_high = int(row["high"]), int(row["latency_high"])
            found.doubted, found.waited = _ticks(row["doubted"]), _ticks(row["waited"])
            found.ends = bool(row["ends"])
            if row["last_number"] >= 0:
                found.last = int(row["last_number"]), int(row["last_time"])
            found.response = self._sample(entity, Figure.RESPONSE)
            found.execution = self._sample(entity, Figure.EXECUTION)
            found.latency = self._sample(entity, Figure.LATENCY)
            found.life = self._sample(entity, Figure.LIFE)
            found.period = self._sample(entity, Figure.PERIOD)
            self._collect_uses(entity)
        for one in self._sums.waits().tolist():
            event, ticks, entity, object_, owner, _ = one
            self.processes[entity].blockings[object_, event, owner] += ticks
        super()._collect()

    def _collect_uses(self, entity: int) -> None:
        holds, waits = self._sample(entity, Figure.HOLD), self._sample(entity, Figure.WAIT)
        self.uses.add_counts(entity, self._sums.actions[entity].tolist())
        row = self._sums.gathered[entity]
        first = _ticks(row["use_first"])
        if first is not None:
            used = Spread(first, int(row["use_last"]), int(row["hold_hidden"]))
            self.uses.of(entity).used = used
        if holds.count:
            self.uses.of(entity).holds = holds
        if waits.count:
            self.uses.of(entity).waits = waits

    def _sample(self, entity: int, figure: Figure) -> Sample:
        found = self._sums.values(entity, figure)
        if found is None:
            return Sample()
        limits = found.minimum, found.maximum
        return Sample.of(
            found.count,
            found.total,
            limits,
            found.worst,
            values=found.values,
            buckets=found.counts,
        )


def _ticks(value: int) -> int | None:
    return None if value == NO_TICKS else int(value)

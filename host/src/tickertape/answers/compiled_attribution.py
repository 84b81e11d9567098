"""Attribution, compiled; `attribution` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.attribution import Attributor
from tickertape._native.engine import engine
from tickertape._native.interface import CauseNumber
from tickertape.answers import attribution as reference
from tickertape.answers.attribution import Attribution, Cause, Segment, Step, wait_name
from tickertape.model.transitions import NO_ENTITY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ctypes import CDLL

    from numpy.typing import NDArray

    from tickertape._native.attribution import Paths
    from tickertape.answers.attribution import Path, Window
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

_STEPS: Final = {
    CauseNumber.INACTIVE: reference.INACTIVE,
    CauseNumber.CREATED: reference.CREATED,
}


def attribution_of(entities: Entities, windows: Sequence[Window]) -> Attribution:
    """Return an attribution of a boot, compiled if this process has the compiled engine."""
    compiled = engine()
    if compiled is None:
        return Attribution(entities, windows)
    return CompiledAttribution(compiled, entities, windows)


class CompiledAttribution(Attribution):
    """Compiled `Attribution` with the same ticks; the windows have them after `finish`."""

    def __init__(self, compiled: CDLL, entities: Entities, windows: Sequence[Window]) -> None:
        """Begin before the first transition of a boot."""
        super().__init__(entities, windows)
        places = [(one.entity, one.instance, one.begin, one.end) for one in windows]
        self._attributor = Attributor(compiled, reference.SEGMENTS, places)

    def feed(self, found: Transitions) -> None:
        """See the base class."""
        self._attributor.feed(found.packed(), *self._known())

    def finish(self, end: int) -> None:
        """See the base class."""
        found, ticks = self._attributor.finish(end, *self._known())
        paths = self._paths(found)
        for window, mine in zip(self._windows, ticks, strict=True):
            for path, total in enumerate(mine.totals.tolist()):
                if total:
                    window.totals[paths[path]] += total
            for begin, last, path in mine.segments.tolist():
                window.add(Segment(begin, last, paths[path], frozenset()))

    def _known(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the kind of each entity, and which drain the recorder."""
        kinds = np.array([one.kind for one in self._entities], np.int64)
        tracers = [one.name in reference.TRACERS for one in self._entities]
        return kinds, np.array(tracers, np.uint8)

    def _paths(self, found: Paths) -> list[Path]:
        steps = found.steps.tolist()
        return [
            self._path(steps[first : first + count]) for first, _, count, _ in found.paths.tolist()
        ]

    def _path(self, steps: list[tuple[int, int, int, int]]) -> Path:
        found: list[Step] = []
        names: set[str] = set()
        for number, by, on, wait in steps:
            if number == CauseNumber.AND:
                names.add(self._entities[by].name)
                found[-1] = found[-1]._replace(by=" and ".join(sorted(names)))
                continue
            name = "" if by == NO_ENTITY else self._entities[by].name
            names = {name}
            cause = CauseNumber(number)
            if cause in _STEPS:
                found.append(_STEPS[cause])
                continue
            wanted = "" if on == NO_ENTITY else self._entities[on].name
            if cause is CauseNumber.WAITED and on == NO_ENTITY:
                wanted = wait_name(wait)
            found.append(Step(Cause[cause.name], name, wanted))
        return tuple(found)

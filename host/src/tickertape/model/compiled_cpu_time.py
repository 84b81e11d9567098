"""Compiled version of `CpuTimes`; `cpu_time` is the reference and the fallback."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING

import numpy as np

from tickertape._native.engine import address, engine
from tickertape._native.interface import CpuTimesJob
from tickertape.model.cpu_time import ALWAYS, CpuTimes

if TYPE_CHECKING:
    from ctypes import CDLL

    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions


def cpu_times(entities: Entities, window: tuple[int, int] = ALWAYS) -> CpuTimes:
    """Return the `CpuTimes` of this process's engine; see `CpuTimes` for the arguments."""
    compiled = engine()
    if compiled is None:
        return CpuTimes(entities, window)
    return CompiledCpuTimes(compiled, entities, window)


class CompiledCpuTimes(CpuTimes):
    """Returns the same times as its base class."""

    def __init__(
        self, compiled: CDLL, entities: Entities, window: tuple[int, int] = ALWAYS
    ) -> None:
        """See the base class."""
        super().__init__(entities, window)
        self._library = compiled

    def _add(self, found: Transitions, *, begun: bool) -> None:
        table = found.packed()
        mentioned = np.zeros(len(self._kinds), np.uint8)
        job = CpuTimesJob(count=len(table), entity_count=len(self._kinds), begun=begun)
        job.first, job.last = self._window
        job.rows, job.cores = self._ticks.shape
        for name, array in {
            "transitions": table,
            "kind": self._kinds,
            "place": self._places,
            "ticks": self._ticks,
            "open": self._open,
            "seen": self._seen,
            "mentioned": mentioned,
        }.items():
            setattr(job, name, address(array))
        if self._library.tt_cpu_times_add(byref(job)):
            raise ValueError("a transition is of an unknown entity")
        self._mentioned.update(np.flatnonzero(mentioned).tolist())

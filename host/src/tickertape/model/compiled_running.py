"""Which thread ran at each event, compiled; `model.running` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.running import running_column
from tickertape.model.kernel import CONTEXT_SWITCH
from tickertape.model.running import UNKNOWN, RunningThreads

if TYPE_CHECKING:
    from ctypes import CDLL

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns


class CompiledRunningThreads(RunningThreads):
    """Gives the same columns as its base class."""

    def __init__(self, compiled: CDLL | None = None) -> None:
        """Begin without a known thread.

        Args:
            compiled: another compiled part than that of this installation.
        """
        super().__init__()
        self._compiled = compiled

    def _found(self, columns: EventColumns) -> NDArray[np.int64]:
        if not len(columns):
            return super()._found(columns)
        ring = int(columns.stream[0]), int(columns.cpu[0])
        rings = {(gap.stream, gap.cpu) for gap in columns.gaps} | {ring}
        if len(rings) > 1 or not (columns.stream == ring[0]).all():
            return super()._found(columns)
        found = running_column(
            columns.header,
            columns.data0,
            columns.data1,
            sorted(gap.row for gap in columns.gaps),
            switch_code=CONTEXT_SWITCH,
            running=self._running.get((columns.epoch, *ring), UNKNOWN),
            compiled=self._compiled,
        )
        if found is None:
            return super()._found(columns)
        threads, self._running[columns.epoch, *ring] = found
        return threads

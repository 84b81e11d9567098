"""Compiled computation of the running thread at each event of one CPU."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING

import numpy as np

from tickertape._native.engine import address, engine
from tickertape._native.interface import MANY_CPUS, RunningJob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def running_column(  # noqa: PLR0913 - one call
    header: NDArray[np.uint32],
    data0: NDArray[np.uint32],
    data1: NDArray[np.uint32],
    gaps: Sequence[int],
    breaks: Sequence[int],
    *,
    switch_code: int,
    running: int,
) -> tuple[NDArray[np.int64], int] | None:
    """Return the running thread at each event of one stream.

    Args:
        header: u32, one row per event, in order of time.
        data0: u32, the first word of each event.
        data1: u32, the second word of each event.
        gaps: rows before which records are missing, ascending.
        breaks: rows before which recording was interrupted, ascending.
        switch_code: class << 10 | event of a context switch.
        running: thread before the first row; -1 if unknown, -2 if unknown since a break.

    Returns:
        The thread of each row, and the thread after the last row. None if the events are of several
        CPUs, or without a compiled part.
    """
    compiled = engine()
    if compiled is None:
        return None
    columns = [np.ascontiguousarray(column) for column in (header, data0, data1)]
    losses = sorted([(row, 0) for row in gaps] + [(row, 1) for row in breaks])
    places = np.array([row << 1 | is_break for row, is_break in losses], np.int64)
    out = np.empty(len(header), np.int64)
    pointers = [*map(address, columns), address(places)]
    job = RunningJob(*pointers, len(header), len(places), switch_code, running, address(out))
    last = int(compiled.tt_running_column(byref(job)))
    return None if last == MANY_CPUS else (out, last)

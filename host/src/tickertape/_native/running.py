"""Which thread ran at each event of one CPU, compiled. See running.h."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, byref, c_int64, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.library import address, library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MANY_CPUS: Final = -2


class _Job(Structure):
    """`tt_running_job_t`."""

    _fields_ = (
        ("header", c_void_p),
        ("data0", c_void_p),
        ("data1", c_void_p),
        ("gaps", c_void_p),
        ("count", c_uint64),
        ("gap_count", c_uint64),
        ("switch_code", c_uint32),
        ("running", c_int64),
        ("out", c_void_p),
    )


@cache
def _compiled() -> CDLL | None:
    return None if (found := library()) is None else declared(found)


def declared(compiled: CDLL) -> CDLL:
    """Tell ctypes the types of the function used here."""
    compiled.tt_running_column.argtypes = [POINTER(_Job)]
    compiled.tt_running_column.restype = c_int64
    return compiled


def running_column(  # noqa: PLR0913 - one call
    header: NDArray[np.uint32],
    data0: NDArray[np.uint32],
    data1: NDArray[np.uint32],
    gaps: Sequence[int],
    *,
    switch_code: int,
    running: int,
    compiled: CDLL | None = None,
) -> tuple[NDArray[np.int64], int] | None:
    """Tell who ran at each event of one stream.

    Args:
        header: u32, one row an event, in order of time.
        data0: u32, the first word of each.
        data1: u32, the second.
        gaps: rows before which records are missing, ascending.
        switch_code: class << 10 | event of a context switch.
        running: who runs before the first row; -1 for unknown.
        compiled: another compiled part than that of this installation.

    Returns:
        The thread of each row, and who runs behind the last; None when the events are of several
        CPUs, or when there is no compiled part.
    """
    compiled = compiled or _compiled()
    if compiled is None:
        return None
    columns = [np.ascontiguousarray(column) for column in (header, data0, data1)]
    places = np.array(gaps, np.int64)
    out = np.empty(len(header), np.int64)
    pointers = [*map(address, columns), address(places)]
    job = _Job(*pointers, len(header), len(places), switch_code, running, address(out))
    last = int(compiled.tt_running_column(byref(job)))
    return None if last == _MANY_CPUS else (out, last)

"""Events of tracks as Perfetto's packets, by the compiled part. See packets.h."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, byref, c_int, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.library import address, library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MOST_BYTES: Final = 64
_COLUMNS: Final = {
    "time_ns": np.int64,
    "phase": np.uint8,
    "track": np.int64,
    "word": np.int64,
    "flow": np.int64,
}


class _Job(Structure):
    """`tt_packet_job_t`."""

    _fields_ = (
        ("count", c_uint64),
        *((name, c_void_p) for name in _COLUMNS),
        ("out", c_void_p),
        ("written", c_uint64),
    )


def encoded(
    columns: Sequence[NDArray[Any]], compiled: CDLL | None = None
) -> NDArray[np.uint8] | None:
    """Encode events of tracks.

    Args:
        columns: those of `TrackEvents`, in this order; no number but that of a flow is negative.
        compiled: another compiled part than that of this installation.

    Returns:
        The packets, one behind the other; None when there is no compiled part.
    """
    compiled = compiled or library()
    if compiled is None:
        return None
    kinds = zip(columns, _COLUMNS.values(), strict=True)
    arrays = [np.ascontiguousarray(array, kind) for array, kind in kinds]
    count = len(arrays[0])
    if any(len(array) != count for array in arrays):
        raise ValueError("these columns do not fit together")
    out = np.empty(_MOST_BYTES * count, np.uint8)
    job = _Job(count, *map(address, arrays), address(out))
    compiled.tt_packets_fill.argtypes = [POINTER(_Job)]
    compiled.tt_packets_fill.restype = c_int
    if compiled.tt_packets_fill(byref(job)):
        raise ValueError("there is no such phase")
    return out[: job.written]

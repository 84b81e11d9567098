"""Encode events of tracks as Perfetto packets, with the compiled part."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.engine import address, engine
from tickertape._native.interface import PACKET_MOST_BYTES, PacketJob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_COLUMNS: Final = {
    "time_ns": np.int64,
    "phase": np.uint8,
    "track": np.int64,
    "word": np.int64,
    "flow": np.int64,
}


def encoded(columns: Sequence[NDArray[Any]]) -> NDArray[np.uint8] | None:
    """Encode events of tracks.

    Args:
        columns: the columns of `TrackEvents`, in this order; only `flow` may be negative.

    Returns:
        The packets, concatenated; None without a compiled part.
    """
    compiled = engine()
    if compiled is None:
        return None
    kinds = zip(columns, _COLUMNS.values(), strict=True)
    arrays = [np.ascontiguousarray(array, kind) for array, kind in kinds]
    count = len(arrays[0])
    if any(len(array) != count for array in arrays):
        raise ValueError("these columns do not fit together")
    out = np.empty(PACKET_MOST_BYTES * count, np.uint8)
    job = PacketJob(count, *map(address, arrays), address(out))
    if compiled.tt_packets_fill(byref(job)):
        raise ValueError("there is no such phase")
    return out[: job.written]

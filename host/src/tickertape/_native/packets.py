"""Messages of one form, filled in by the compiled part. See packets.h."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, byref, c_int, c_uint64, c_void_p
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.library import address, library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SPARE_BYTES: Final = 112


class _Place(Structure):
    """`tt_packet_place_t`."""

    _fields_ = (("values", c_void_p), ("begin", c_uint64), ("groups", c_uint64))


class _Job(Structure):
    """`tt_packet_job_t`."""

    _fields_ = (
        ("message", c_void_p),
        ("size", c_uint64),
        ("count", c_uint64),
        ("places", POINTER(_Place)),
        ("place_count", c_uint64),
        ("kinds", c_void_p),
        ("kind_bytes", c_void_p),
        ("kind_count", c_uint64),
        ("kind_at", c_uint64),
        ("out", c_void_p),
    )


def filled(
    message: NDArray[np.uint8],
    places: Sequence[tuple[int, int, NDArray[np.int64]]],
    kinds: NDArray[np.uint8],
    kind_bytes: NDArray[np.uint8],
    kind_at: int,
    compiled: CDLL | None = None,
) -> NDArray[np.uint8] | None:
    """Fill numbers and a byte into copies of a message.

    Args:
        message: what every row begins as.
        places: (first byte, groups of seven bits, a number for each row), in any order.
        kinds: for each row an index into `kind_bytes`.
        kind_bytes: what goes to `kind_at`.
        kind_at: where that is.
        compiled: another compiled part than that of this installation.

    Returns:
        All rows, one behind the other; None when there is no compiled part, or when it has no room
        for such a message.
    """
    compiled = compiled or library()
    if compiled is None:
        return None
    columns = [
        np.ascontiguousarray(array)
        for array in (message, kinds, kind_bytes, *(values for _, _, values in places))
    ]
    rows = len(kinds)
    if any(len(one) != rows for one in columns[3:]) or (rows and kinds.max() >= len(kind_bytes)):
        raise ValueError("these columns do not fit together")
    filled_in = [
        _Place(address(column), begin, groups)
        for column, (begin, groups, _) in zip(columns[3:], places, strict=True)
    ]
    filled_in.sort(key=lambda place: int(place.begin))
    out = np.empty(rows * len(message) + _SPARE_BYTES, np.uint8)
    job = _Job(
        message=address(columns[0]),
        size=len(message),
        count=rows,
        places=(_Place * len(filled_in))(*filled_in),
        place_count=len(filled_in),
        kinds=address(columns[1]),
        kind_bytes=address(columns[2]),
        kind_count=len(kind_bytes),
        kind_at=kind_at,
        out=address(out),
    )
    compiled.tt_packets_fill.argtypes = [POINTER(_Job)]
    compiled.tt_packets_fill.restype = c_int
    return None if compiled.tt_packets_fill(byref(job)) else out[: rows * len(message)]

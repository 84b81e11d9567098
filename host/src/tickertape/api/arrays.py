"""Event columns as one numpy structured array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import Structured

ARRAY_DTYPE: Final[np.dtype[np.void]] = np.dtype(
    [
        ("time", "u8"),  # ticks
        ("ordinal", "u8"),
        ("data0", "u4"),
        ("data1", "u4"),
        ("payload_bytes", "u4"),  # 0 for events of one record
        ("event", "u2"),
        ("epoch", "u2"),
        ("cls", "u1"),
        ("cpu", "u1"),
        ("stream", "u1"),
        ("domain", "u1"),
        ("truncated", "?"),  # the payload was cut when it was recorded
        ("host", "?"),  # emitted by a host process
    ],
    align=True,
)
"""One row per event, 40 bytes; the byte order is that of this machine."""


def structured(columns: EventColumns) -> Structured:
    """Copy columns into a structured array of `ARRAY_DTYPE`."""
    rows = np.empty(len(columns), ARRAY_DTYPE)
    for name in ARRAY_DTYPE.names or ():
        rows[name] = getattr(columns, name)
    return rows

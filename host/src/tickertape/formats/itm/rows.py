"""Converts events of the hardware's trace unit to buffers of a ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.hardware_time import LOST
from tickertape.protocol.wire import ByteOrder, record_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.formats.timed_ring import TimedRing
    from tickertape.model.hardware_time import Row

_LOW_WORD: Final = 0xFFFF_FFFF


def bodies_of(
    ring: TimedRing, rows: Sequence[Row], order: ByteOrder = ByteOrder.LITTLE
) -> list[bytes]:
    """Return the buffers for events, with a loss of unknown size at each row `LOST`."""
    found: list[bytes] = []
    begin = 0
    places = [place for place, row in enumerate(rows) if row[1] == LOST]
    for end in (*places, len(rows)):
        part = rows[begin:end]
        records = np.zeros(len(part), record_dtype(order))
        for column, name in enumerate(("time", "header", "data0", "data1")):
            values = [row[column] & _LOW_WORD for row in part]
            records[name] = np.array(values, np.uint32)
        found += ring.buffers(records, np.array([row[0] for row in part], np.uint64))
        if end < len(rows):
            ring.lose()
        begin = end + 1
    return found

"""Select the events of one stream, with the accesses to variables that the trace unit recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import CLASS_SHIFT

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

HARDWARE_STREAM: Final = 255
"""Number of the stream with the trace unit's events; a target has streams 0 to 7."""


def of_stream(columns: EventColumns, stream: int) -> EventColumns:
    """Return the rows and gaps of one stream.

    Reads and writes of variables in the trace unit's stream become rows of this stream, because no
    software event reports the same access. Gaps of the trace unit's stream are left out, because
    they hide no software event.
    """
    mine = columns.stream == stream
    if mine.all() and all(gap.stream == stream for gap in columns.gaps):
        return columns
    is_signal = columns.code >> CLASS_SHIFT == EventClass.SIGNAL
    mine |= (columns.stream == HARDWARE_STREAM) & is_signal
    rows = np.flatnonzero(mine)
    gaps = tuple(
        replace(gap, row=int(np.searchsorted(rows, gap.row)))
        for gap in columns.gaps
        if gap.stream == stream
    )
    found = columns.take(rows)
    return replace(found, gaps=gaps, stream=np.full_like(found.stream, stream))

"""Find the places where a stream records less than before: after a stop or a deselection.

Receipts count the records lost in a gap. No receipt counts the events between STOP and START, or
events that a command deselects.

| event | states are unknown |
|---|---|
| TRACER STOP of this stream | from it on |
| TRACER START of this stream | from the record before it, so that stray records after STOP prove nothing |
| TRACER COMMAND that deselects or filters events, TRACER FILTER | from it on: the record does not contain which events |

Later events show the states again, one by one.
"""  # noqa: E501 - a table

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, TracerEvent
from tickertape.protocol.wire import Command

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

_FIRST: Final = np.uint16(event_code(EventClass.TRACER, 0))
_CODES: Final = np.uint16(1 << 10)
_OF_STREAM: Final = frozenset({TracerEvent.START, TracerEvent.STOP})
_DESELECTING: Final = frozenset(
    {Command.DEL_ALL, Command.DEL_CLASS, Command.DEL_EVENT, Command.THREAD_FILTER}
)


class Break(NamedTuple):
    """A place in a stream after which the states of all its CPUs are unknown.

    Attributes:
        row: the row after the break; the number of rows if the break follows the last row.
        stream: stream number.
        ticks: time up to which the records are complete; None if no row precedes the break.
    """

    row: int
    stream: int
    ticks: int | None


def breaks_in(columns: EventColumns) -> list[Break]:
    """Return the breaks, in order."""
    found = []
    for row in np.flatnonzero(columns.code - _FIRST < _CODES).tolist():
        event, first, status = (
            int(columns.code[row]) - int(_FIRST),
            int(columns.data0[row]),
            int(columns.data1[row]),
        )
        stream = int(columns.stream[row])
        if event in _OF_STREAM and first != stream:
            continue
        if event == TracerEvent.START:
            found.append(Break(row, stream, int(columns.time[row - 1]) if row else None))
        elif event in {TracerEvent.STOP, TracerEvent.FILTER} or (
            event == TracerEvent.COMMAND and first in _DESELECTING and not status
        ):
            found.append(Break(row + 1, stream, int(columns.time[row])))
    return found

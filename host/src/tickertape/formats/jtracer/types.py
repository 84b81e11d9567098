"""The bytes of a file of JTracer: its begin, and its records.

A record is a number of 32 bits, how many bytes follow; then `HEAD`, and the fields of its type. All
numbers are big-endian. Source: writers and reader of TrcUtils, which refuses a record of the wrong
size as well.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from construct import Int32ub, Struct

from tickertape.protocol.layout import Layout

JTRACER_HEAD: Final = b"version 1.2\0"
"""Begin of a file as we write it; a reader takes other versions, too."""


class JtracerType(IntEnum):
    """The types of records."""

    ARRIVAL = 0
    SCHEDULE = 1
    DESCHEDULE = 2
    END = 3
    POSTPONE = 4
    DEADLINE = 5
    WAIT = 6
    SIGNAL = 7
    IDLE = 8
    NAME = 9
    MISS = 10


SIZE: Final = Layout(Struct("bytes" / Int32ub))
HEAD: Final = Layout(Struct("type" / Int32ub, "time_us" / Int32ub, "task" / Int32ub))
NOTHING: Final = Layout(Struct())
_CPU: Final = Layout(Struct("cpu" / Int32ub))
_RESOURCE: Final = Layout(Struct("resource" / Int32ub, "name_bytes" / Int32ub))
FIELDS: Final[dict[int, Layout]] = {
    JtracerType.ARRIVAL: NOTHING,
    JtracerType.SCHEDULE: _CPU,
    JtracerType.DESCHEDULE: _CPU,
    JtracerType.END: _CPU,
    JtracerType.POSTPONE: Layout(Struct("old_deadline" / Int32ub, "new_deadline" / Int32ub)),
    JtracerType.DEADLINE: Layout(Struct("deadline" / Int32ub)),
    JtracerType.WAIT: _RESOURCE,
    JtracerType.SIGNAL: _RESOURCE,
    JtracerType.IDLE: NOTHING,
    JtracerType.NAME: Layout(Struct("name_bytes" / Int32ub)),
    JtracerType.MISS: NOTHING,
}
"""The fields of each type; `name_bytes` bytes of a name follow those that have them."""

ON_CPU: Final = frozenset(kind for kind, fields in FIELDS.items() if fields is _CPU)
"""Types with a CPU; files before version 1.2 do not have it."""

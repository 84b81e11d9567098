"""Layout of a JTracer file: its header and its records.

A record is its size in bytes without the size itself (32 bits), then `HEAD`, then the fields of its
type. All numbers are big-endian. Source: writers and reader of TrcUtils; that reader also refuses
records of the wrong size.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from construct import Int32ub, Struct

from tickertape.protocol.layout import Layout

JTRACER_HEAD: Final = b"version 1.2\0"
"""Header of an exported file; the reader accepts other versions as well."""


class JtracerType(IntEnum):
    """Type of a record."""

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
"""Fields of each type; a name of `name_bytes` bytes follows where this field exists."""

ON_CPU: Final = frozenset(kind for kind, fields in FIELDS.items() if fields is _CPU)
"""Types with a CPU field, which files before version 1.2 do not have."""

"""What a file of JTracer is made of: its begin, and the types of its records."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

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

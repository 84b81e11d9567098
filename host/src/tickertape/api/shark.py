"""The analyzer functions of the S.Ha.R.K. tracer (its `util.c`), for files of that tracer.

from tickertape.api.shark import event_name, read_trace

def show(event):
    print(event.time_us, event_name(event.event), event.task)
    return 0

read_trace("fix1", show)

And the reader of the files that JTracer shows: `read_jtracer("T.jtracer")` yields its records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tickertape.formats.jtracer.file import JtracerRecord, read_jtracer
from tickertape.formats.jtracer.types import JtracerType
from tickertape.formats.record_file import RecordFile
from tickertape.formats.shark.events import CLASS_NAMES, SEM, SYSTEM
from tickertape.formats.shark.events import event_class as class_number
from tickertape.formats.shark.events import event_name as name_of
from tickertape.formats.shark.file import detect_layout
from tickertape.formats.shark.layout import LAYOUTS, columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = [
    "JtracerRecord",
    "JtracerType",
    "SharkEvent",
    "event_class",
    "event_name",
    "read_jtracer",
    "read_trace",
]


@dataclass(frozen=True, slots=True)
class SharkEvent:
    """One record of a file.

    Attributes:
        time_us: microseconds, modulo 2^32.
        event: number of the event.
        info: its four data bytes, as a little-endian number.
    """

    time_us: int
    event: int
    info: int

    @property
    def task(self) -> int | None:
        """Number of the task that the event contains; None without one."""
        return self.info & 0xFFFF if class_number(self.event) in {SYSTEM, SEM} else None

    @property
    def sem(self) -> int | None:
        """Number of the semaphore that the event contains; None without one."""
        return self.info >> 16 if class_number(self.event) == SEM else None


def read_trace(
    path: Path | str, callback: Callable[[SharkEvent], int], *, layout: str | None = None
) -> int:
    """Call a function for each event of a file, until it returns something other than 0.

    Args:
        path: the file.
        callback: called with each event.
        layout: one of `LAYOUTS`; None to detect it.

    Returns:
        Number of calls.

    Raises:
        TapeMissing: the file does not exist or may not be read.
        ForeignFile: the file is not a trace of that tracer.
    """
    dtype = LAYOUTS[layout or detect_layout(path)]
    count = 0
    with RecordFile(path, dtype.itemsize) as file:
        for block in file.blocks():
            columns = columns_of(np.frombuffer(block, dtype))
            for time, number, word in zip(
                columns.time_us.tolist(),
                columns.number.tolist(),
                columns.word.tolist(),
                strict=True,
            ):
                count += 1
                if callback(SharkEvent(time, number, word)):
                    return count
    return count


def event_class(event: int, added: Mapping[str, int] | None = None) -> str | None:
    """Return the class of an event: TRACER, SYSTEM, USER, LL or SEM; None without a class.

    Args:
        event: number of the event.
        added: names of the classes that the application added, with the first event of each, as
            in TRC_EXTRA_CLASSES.
    """
    more = sorted((added or {}).items(), key=lambda one: one[1])
    number = class_number(event, [first for _, first in more])
    return None if number is None else (*CLASS_NAMES, *(name for name, _ in more))[number]


def event_name(event: int) -> str:
    """Return the name of an event, such as `TRC_SCHEDULE`."""
    return name_of(event)

"""Converts events to record batches of Apache Arrow, for tables in memory and for Parquet.

pyarrow is part of the extra `arrow`; it is imported when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.decode.payloads import ranges
from tickertape.formats.extras import load
from tickertape.model.compiled_running import running_threads
from tickertape.model.running import UNKNOWN
from tickertape.protocol.event_type import CODE_COUNT
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.decode.ticks import Clock
    from tickertape.protocol.event_type import EventType

    Arrow = Any  # pyarrow has no types

_NULLABLE: Final = frozenset({"payload", "tid"})
_NUMBERS: Final = ("time", "stream", "cpu", "ordinal", "domain", "data0", "data1")


def pyarrow(module: str = "pyarrow") -> Arrow:
    """Import pyarrow, or one of its modules.

    Raises:
        UsageError: pyarrow is not installed.
    """
    return load(module, extra="arrow", what="tables")


def event_schema(arrow: Arrow) -> Arrow:
    """Return the schema of a table of events. Append new columns, so that old positions hold."""
    names = arrow.dictionary(arrow.int32(), arrow.string())
    types = {
        "epoch": arrow.uint16(),
        "time_ns": arrow.int64(),
        "time": arrow.uint64(),
        "stream": arrow.uint8(),
        "cpu": arrow.uint8(),
        "ordinal": arrow.uint64(),
        "domain": arrow.uint8(),
        "data0": arrow.uint32(),
        "data1": arrow.uint32(),
        "class": names,
        "event": names,
        "payload": arrow.binary(),
        "tid": arrow.uint32(),
    }
    # Columns declared without nulls are written twice as fast.
    return arrow.schema([arrow.field(*one, nullable=one[0] in _NULLABLE) for one in types.items()])


class EventBatches:
    """Converts events to batches of `event_schema`, chunk by chunk."""

    def __init__(self, clock_of: Callable[[int], Clock]) -> None:
        """Import pyarrow and create the schema.

        Args:
            clock_of: returns the clock of a boot, given its epoch.

        Raises:
            UsageError: pyarrow is not installed.
        """
        self._arrow = pyarrow()
        self._clock_of = clock_of
        self._running = running_threads()
        self._known = np.zeros(CODE_COUNT, np.bool_)
        self._classes = _Words(lambda what: what.class_name)
        self._events = _Words(lambda what: what.name)
        self.schema = event_schema(self._arrow)

    def batch(self, part: EventColumns) -> Arrow:
        """Return a chunk of events as a record batch."""
        arrow = self._arrow
        self._learn(part)
        running = self._running.column(part)
        columns = {
            "epoch": np.full(len(part), part.epoch, np.uint16),
            "time_ns": self._clock_of(part.epoch).ns_column(part.time),
            **{name: getattr(part, name) for name in _NUMBERS},
            "class": self._classes.column(arrow, part),
            "event": self._events.column(arrow, part),
            "payload": _payloads(arrow, part),
            "tid": _tids(arrow, running),
        }
        return arrow.record_batch(
            [arrow.array(columns[field.name]) for field in self.schema], schema=self.schema
        )

    def _learn(self, part: EventColumns) -> None:
        if self._known.take(part.code).all():
            return
        for code in np.unique(part.code).tolist():
            if not self._known[code]:
                self._known[code] = True
                what = event_type(code >> CLASS_SHIFT, code & EVENT_MASK)
                self._classes.learn(code, what)
                self._events.learn(code, what)


class _Words:
    """A growing dictionary of names; several codes may share a name."""

    def __init__(self, name_of: Callable[[EventType], str]) -> None:
        self._name_of = name_of
        self._places: dict[str, int] = {}
        self._place_of_code = np.zeros(CODE_COUNT, np.int32)
        self._dictionary: Arrow = None

    def learn(self, code: int, what: EventType) -> None:
        name = self._name_of(what)
        self._place_of_code[code] = self._places.setdefault(name, len(self._places))
        self._dictionary = None

    def column(self, arrow: Arrow, part: EventColumns) -> Arrow:
        if self._dictionary is None:
            self._dictionary = arrow.array(list(self._places), arrow.string())
        places = self._place_of_code.take(part.code)
        return arrow.DictionaryArray.from_arrays(arrow.array(places), self._dictionary)


def _tids(arrow: Arrow, running: I64) -> Arrow:
    """Return the running thread of each event; null when unknown."""
    unknown = running == UNKNOWN
    return arrow.array(running.astype(np.uint32), mask=unknown if unknown.any() else None)


def _payloads(arrow: Arrow, part: EventColumns) -> Arrow:
    """Return the payloads; null for simple events."""
    has = part.payload_offset >= 0
    if not has.any():
        return arrow.nulls(len(part), arrow.binary())
    sizes = np.where(has, part.payload_bytes, 0).astype(np.int64)
    offsets = np.zeros(len(part) + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    rows = np.flatnonzero(has)
    places, _ = ranges(part.payload_offset[rows].astype(np.intp), sizes[rows])
    buffers = [
        arrow.py_buffer(np.packbits(has, bitorder="little")),
        arrow.py_buffer(offsets),
        arrow.py_buffer(part.payload.take(places)),
    ]
    return arrow.Array.from_buffers(arrow.binary(), len(part), buffers)

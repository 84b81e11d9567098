"""POSIX Trace for Python: this process traced by streams, streams of targets, logs.

    from tickertape import posix_trace

    event = posix_trace.event_type("door opened")
    with posix_trace.create() as stream:
        stream.start()
        posix_trace.trace(event, b"front")
        print(stream.get_next(0))

A view of libposixtrace (`make posix`), which does the work: the same streams, event types, logs and
errors as in C, shared with C code of this process and with its children (docs/posix.md). An error
number becomes a `TraceError` whose `number` it is. Threads may use everything here at the same
time; waiting releases the interpreter.
"""

from tickertape.posix_trace.library import SYSTEM_EVENTS, UNNAMED_USER_EVENT, SystemEvent
from tickertape.posix_trace.streams import Log, Stream, create, event_type, open_log, trace
from tickertape.posix_trace.values import (
    Attributes,
    Event,
    FilterChange,
    FullPolicy,
    Inheritance,
    Status,
    Truncation,
)

__all__ = [
    "SYSTEM_EVENTS",
    "UNNAMED_USER_EVENT",
    "Attributes",
    "Event",
    "FilterChange",
    "FullPolicy",
    "Inheritance",
    "Log",
    "Status",
    "Stream",
    "SystemEvent",
    "Truncation",
    "create",
    "event_type",
    "open_log",
    "trace",
]

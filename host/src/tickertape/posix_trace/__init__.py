"""POSIX Trace for Python: streams of this process, streams of targets, logs.

    from tickertape import posix_trace

    event = posix_trace.event_type("door opened")
    with posix_trace.create() as stream:
        stream.start()
        posix_trace.trace(event, b"front")
        print(stream.get_next(0))

The package calls libposixtrace (`make posix`): streams, event types, logs and errors are the same
as in C, and shared with C code of this process and with its children (docs/posix.md). An error
number is raised as a `TraceError` with this `number`. All functions are thread-safe; waiting
releases the GIL.
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

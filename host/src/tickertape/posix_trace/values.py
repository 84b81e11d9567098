"""The arguments and results of streams and logs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class FullPolicy(IntEnum):
    """What happens when a stream or a log is full; FLUSH is for streams, APPEND for logs."""

    LOOP = 0
    UNTIL_FULL = 1
    FLUSH = 2
    APPEND = 3


class Inheritance(IntEnum):
    """Whether a child of the traced process is traced as well."""

    CLOSE_FOR_CHILD = 0
    INHERITED = 1


class Truncation(IntEnum):
    """Whether the data of an event are whole."""

    NOT_TRUNCATED = 0
    TRUNCATED_RECORD = 1
    TRUNCATED_READ = 2


class FilterChange(IntEnum):
    """How a set of event types changes a filter."""

    SET = 1
    ADD = 2
    SUB = 3


@dataclass(frozen=True)
class Attributes:
    """Attributes of a stream; None stands for the default.

    Attributes:
        name: up to 31 bytes; of a stream that a broker publishes, to attach to it.
        stream_full_policy: LOOP by default, FLUSH with a log.
        log_full_policy: LOOP by default.
        inheritance: CLOSE_FOR_CHILD by default.
        stream_min_size: bytes of events that it keeps at least.
        max_data_size: bytes of data in an event at most; more is cut.
        log_max_size: bytes of its log at most, but for APPEND.
        creation_time_ns: since 1970, for a stream of a target since its start; given by a stream.
        clock_resolution_ns: of time stamps; given by a stream.
        generation_version: who made it; given by a stream.
    """

    name: str = ""
    stream_full_policy: FullPolicy | None = None
    log_full_policy: FullPolicy | None = None
    inheritance: Inheritance | None = None
    stream_min_size: int | None = None
    max_data_size: int | None = None
    log_max_size: int | None = None
    creation_time_ns: int = 0
    clock_resolution_ns: int = 0
    generation_version: str = ""


@dataclass(frozen=True)
class Event:
    """An event that was read.

    Attributes:
        type: its event type, a SystemEvent or a number of `event_type`.
        pid: the process that traced it, in a firmware 1 and its domain; 0 for system events.
        thread: pthread_t of the thread, in a firmware its number; 0 where there is none.
        address: who called posix_trace_event(); 0 where unknown.
        timestamp_ns: since 1970, for a stream of a target since its start.
        truncation: whether the data are whole.
        data: as they were traced.
    """

    type: int
    pid: int
    thread: int
    address: int
    timestamp_ns: int
    truncation: Truncation
    data: bytes


@dataclass(frozen=True)
class Status:
    """Status of a stream and its log. Reading it resets overruns and the flush error.

    Attributes:
        running: it records.
        full: it can take no more, or takes it only by giving up older events.
        overrun: events were lost.
        flushing: its events are being brought to the log.
        flush_error: error number of the first flush that failed, 0 for none.
        log_overrun: the log has lost events.
        log_full: the log can take no more, or takes it only by giving up older events.
    """

    running: bool
    full: bool
    overrun: bool
    flushing: bool
    flush_error: int
    log_overrun: bool
    log_full: bool

"""Arguments and results of streams and logs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class FullPolicy(IntEnum):
    """Policy of a full stream or log; FLUSH only for streams, APPEND only for logs."""

    LOOP = 0
    UNTIL_FULL = 1
    FLUSH = 2
    APPEND = 3


class Inheritance(IntEnum):
    """Whether children of the traced process are also traced."""

    CLOSE_FOR_CHILD = 0
    INHERITED = 1


class Truncation(IntEnum):
    """Whether the data of an event were truncated, when recorded or when read."""

    NOT_TRUNCATED = 0
    TRUNCATED_RECORD = 1
    TRUNCATED_READ = 2


class FilterChange(IntEnum):
    """Operation of a set of event types on a filter."""

    SET = 1
    ADD = 2
    SUB = 3


@dataclass(frozen=True)
class Attributes:
    """Attributes of a stream; None stands for the default.

    Attributes:
        name: name of the stream, up to 31 bytes; to attach, the name that a broker publishes.
        stream_full_policy: policy of the full stream; default LOOP, with a log FLUSH.
        log_full_policy: policy of the full log; default LOOP.
        inheritance: inheritance; default CLOSE_FOR_CHILD.
        stream_min_size: minimum capacity for events, bytes.
        max_data_size: maximum data of an event, bytes; longer data are truncated.
        log_max_size: maximum size of the log, bytes; not for APPEND.
        creation_time_ns: since 1970, for a stream of a target since its start; result only.
        clock_resolution_ns: resolution of time stamps; result only.
        generation_version: program that created the stream; result only.
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
    """An event read from a stream or log.

    Attributes:
        type: event type, a SystemEvent or a result of `event_type`.
        pid: process of the event, in a firmware 1 plus the domain; 0 for system events.
        thread: pthread_t of the thread, in a firmware its number; 0 without a thread.
        address: address of the call of posix_trace_event(); 0 when unknown.
        timestamp_ns: since 1970, for a stream of a target since its start.
        truncation: whether the data were truncated.
        data: data of the event.
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
        running: whether the stream records.
        full: whether the stream is full: it refuses events, or overwrites older ones.
        overrun: whether the stream lost events.
        flushing: whether a flush to the log is in progress.
        flush_error: error number of the first failed flush; 0 for none.
        log_overrun: whether the log lost events.
        log_full: whether the log is full: it refuses events, or overwrites older ones.
    """

    running: bool
    full: bool
    overrun: bool
    flushing: bool
    flush_error: int
    log_overrun: bool
    log_full: bool

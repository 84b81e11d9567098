"""Streams, logs and event types."""

from __future__ import annotations

import ctypes
import errno
import threading
import time
from ctypes import byref, c_int, c_size_t, create_string_buffer
from typing import TYPE_CHECKING, Final, Self

from tickertape.posix_trace.library import (
    EVENT_NAME_BYTES,
    AttributeObject,
    EventInfo,
    EventSet,
    StatusInfo,
    Timespec,
    call,
    call_for_number,
    error_of,
    library,
)
from tickertape.posix_trace.values import (
    Attributes,
    Event,
    FilterChange,
    FullPolicy,
    Inheritance,
    Status,
    Truncation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DATA_BYTES: Final = 65536
_NS: Final = 1_000_000_000
_own = threading.local()


def event_type(name: str) -> int:
    """Return the number of the event type called `name`; create the type for a new name.

    Raises:
        TraceError: ENAMETOOLONG: the name is longer than 31 bytes.
    """
    event = c_int()
    call("eventid_open", name.encode(), byref(event))
    return event.value


def trace(event: int, data: bytes = b"") -> None:
    """Record an event in every stream that traces this process, if there is any."""
    library().posix_trace_event(event, data, len(data))


def _place_for_data() -> ctypes.Array[ctypes.c_char]:
    """Return the calling thread's buffer for the data of an event."""
    try:
        place: ctypes.Array[ctypes.c_char] = _own.place
    except AttributeError:
        place = _own.place = create_string_buffer(_DATA_BYTES)
    return place


class _Readable:
    """Base of streams and logs."""

    def __init__(self, trid: int) -> None:
        self._trid = trid

    @property
    def attributes(self) -> Attributes:
        """Attributes of the stream or log.

        Raises:
            TraceError: EINVAL: the stream or log has ended. All methods raise this.
        """
        found = AttributeObject()
        call("get_attr", self._trid, byref(found))
        return Attributes(
            name=found.name.decode(errors="replace"),
            stream_full_policy=FullPolicy(found.stream_full_policy),
            log_full_policy=FullPolicy(found.log_full_policy),
            inheritance=Inheritance(found.inheritance),
            stream_min_size=found.stream_min_size,
            max_data_size=found.max_data_size,
            log_max_size=found.log_max_size,
            creation_time_ns=found.creation_time.ns,
            clock_resolution_ns=found.clock_resolution.ns,
            generation_version=found.generation_version.decode(),
        )

    def status(self) -> Status:
        """Return the status; for a stream this resets overruns and the flush error."""
        found = StatusInfo()
        call("get_status", self._trid, byref(found))
        return Status(
            running=found.posix_stream_status == 1,
            full=found.posix_stream_full_status == 1,
            overrun=found.posix_stream_overrun_status == 1,
            flushing=found.posix_stream_flush_status == 1,
            flush_error=found.posix_stream_flush_error,
            log_overrun=found.posix_log_overrun_status == 1,
            log_full=found.posix_log_full_status == 1,
        )

    def name_of(self, event: int) -> str:
        """Return the name of an event type; raise TraceError with EINVAL if unknown."""
        name = create_string_buffer(EVENT_NAME_BYTES + 1)
        call("eventid_get_name", self._trid, event, name)
        return name.value.decode(errors="replace")

    def event_types(self) -> dict[int, str]:
        """Return the names of all event types, by number."""
        event, unavailable = c_int(), c_int()
        types: dict[int, str] = {}
        call("eventtypelist_rewind", self._trid)
        while True:
            call("eventtypelist_getnext_id", self._trid, byref(event), byref(unavailable))
            if unavailable.value:
                return types
            types[event.value] = self.name_of(event.value)

    def _read(self, function: str, *more: object) -> tuple[int, Event | None]:
        info, count, unavailable = EventInfo(), c_size_t(), c_int()
        data = _place_for_data()
        number = call_for_number(
            function,
            self._trid,
            byref(info),
            data,
            _DATA_BYTES,
            byref(count),
            byref(unavailable),
            *more,
        )
        if number != 0 or unavailable.value:
            return number, None
        return 0, Event(
            type=info.posix_event_id,
            pid=info.posix_pid,
            thread=info.posix_thread_id,
            address=info.posix_prog_address or 0,
            timestamp_ns=info.posix_timestamp.ns,
            truncation=Truncation(info.posix_truncation_status),
            data=ctypes.string_at(data, count.value),
        )


class Stream(_Readable):
    """An active stream. As a context manager, it is shut down on exit."""

    def __enter__(self) -> Self:
        """Return the stream."""
        return self

    def __exit__(self, *_: object) -> None:
        """Shut down the stream, unless it has ended."""
        number = call_for_number("shutdown", self._trid)
        if number not in {0, errno.EINVAL}:
            raise error_of("shutdown", number)

    def start(self) -> None:
        """Start recording; no effect if the stream is running."""
        call("start", self._trid)

    def stop(self) -> None:
        """Stop recording; no effect if the stream is not running."""
        call("stop", self._trid)

    def clear(self) -> None:
        """Discard all events, including those in the log."""
        call("clear", self._trid)

    def flush(self) -> None:
        """Write the events to the log; raise TraceError with EINVAL if the stream has none."""
        call("flush", self._trid)

    def shutdown(self) -> None:
        """End the stream and its log; a stream of a target continues on the target."""
        call("shutdown", self._trid)

    @property
    def filter(self) -> frozenset[int]:
        """Event types that the stream does not record."""
        found = EventSet()
        call("get_filter", self._trid, byref(found))
        return frozenset(i for i in range(64) if found.bits[i // 32] >> (i % 32) & 1)

    def set_filter(self, events: Iterable[int], change: FilterChange = FilterChange.SET) -> None:
        """Set the filter to these event types, add them to it, or remove them from it."""
        changed = EventSet()
        for event in events:
            changed.bits[event // 32] |= 1 << event % 32
        call("set_filter", self._trid, byref(changed), change)

    def get_next(self, timeout_s: float | None = None) -> Event | None:
        """Read the oldest unread event. A signal during the wait is handled; the wait continues.

        Args:
            timeout_s: longest wait in seconds; None without limit, 0 without a wait.

        Returns:
            The event; None if there was none in that time.

        Raises:
            TraceError: EINVAL: the stream has ended, possibly during the wait.
        """
        function = "getnext_event"
        more: tuple[object, ...] = ()
        until = Timespec()
        if timeout_s == 0:
            function = "trygetnext_event"
        elif timeout_s is not None:
            until_ns = time.time_ns() + int(timeout_s * _NS)
            until.tv_sec, until.tv_nsec = divmod(until_ns, _NS)
            function, more = "timedgetnext_event", (byref(until),)
        number = errno.EINTR
        while number == errno.EINTR:
            number, event = self._read(function, *more)
        if number not in {0, errno.ETIMEDOUT}:
            raise error_of(function, number)
        return event


class Log(_Readable):
    """A properly closed log, open for reading from its begin. A context manager closes it."""

    def __enter__(self) -> Self:
        """Return the log."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the log, without its file."""
        call_for_number("close", self._trid)

    def close(self) -> None:
        """Close the log; its file remains open."""
        call("close", self._trid)

    def rewind(self) -> None:
        """Continue reading at the first event."""
        call("rewind", self._trid)

    def __iter__(self) -> Iterator[Event]:
        """Yield the events from the reading position to the end."""
        while True:
            number, event = self._read("getnext_event")
            if number != 0:
                raise error_of("getnext_event", number)
            if event is None:
                return
            yield event


def create(attributes: Attributes | None = None, *, pid: int = 0, log: int | None = None) -> Stream:
    """Create a stream, or attach to a stream of a target whose name a broker publishes.

    Args:
        attributes: attributes of the stream; None for the defaults.
        pid: process to trace; 0 for this one.
        log: descriptor of a regular file that is open for writing; it becomes a tape.

    Raises:
        TraceError: EAGAIN: there are eight streams already; EINVAL: invalid attribute; ENOMEM: too
            large; ESRCH, EPERM: no such process, or no access to it; EBADF, ENOSPC: log.
    """
    made = _object_of(attributes or Attributes())
    trid = c_int()
    if log is None:
        call("create", pid, byref(made), byref(trid))
    else:
        call("create_withlog", pid, byref(made), log, byref(trid))
    return Stream(trid.value)


def open_log(descriptor: int) -> Log:
    """Open a log for reading; raise TraceError with EINVAL for other or unclosed files."""
    trid = c_int()
    call("open", descriptor, byref(trid))
    return Log(trid.value)


def _object_of(attributes: Attributes) -> AttributeObject:
    made = AttributeObject()
    call("attr_init", byref(made))
    call("attr_setname", byref(made), attributes.name.encode())
    for name, value in (
        ("streamfullpolicy", attributes.stream_full_policy),
        ("logfullpolicy", attributes.log_full_policy),
        ("inherited", attributes.inheritance),
        ("streamsize", attributes.stream_min_size),
        ("maxdatasize", attributes.max_data_size),
        ("logsize", attributes.log_max_size),
    ):
        if value is not None:
            call(f"attr_set{name}", byref(made), value)
    return made

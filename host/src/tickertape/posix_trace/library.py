"""Binding of libposixtrace with ctypes: structures, numbers, and calls that raise errors."""

from __future__ import annotations

import ctypes
import errno
import os
from ctypes import POINTER, Structure, c_bool, c_char, c_int, c_long, c_size_t, c_uint32, c_ulong
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final

from tickertape.errors import TraceError

ENVIRONMENT: Final = "TICKERTAPE_LIBPOSIXTRACE"
"""Environment variable with the path of the library; default: build folder, then the system."""

NAME_BYTES: Final = 32
EVENT_NAME_BYTES: Final = 31
UNNAMED_USER_EVENT: Final = 32
"""Event type that stands for all event types beyond the limit."""

_BUILT: Final = Path(__file__).parents[4] / "build/posix/libposixtrace.so"


class SystemEvent(IntEnum):
    """Predefined event types of the standard, and from 9 on those of RTL-POSIX-Trace."""

    ERROR = 1
    START = 2
    STOP = 3
    FILTER = 4
    OVERFLOW = 5
    RESUME = 6
    FLUSH_START = 7
    FLUSH_STOP = 8
    CONTEXT_SWITCH = 9
    TASK_STATE = 10
    KERNEL_OVERHEAD = 11
    SYSTEM_CALL = 12
    MUTEX_LOCK = 13
    MUTEX_UNLOCK = 14
    COND_WAIT = 15
    COND_BROADCAST = 16


SYSTEM_EVENTS: Final = frozenset(SystemEvent)
"""All system events. The set of process-independent events (WOPID) is empty."""


class Timespec(Structure):
    """`struct timespec`."""

    _fields_ = (("tv_sec", c_long), ("tv_nsec", c_long))

    @property
    def ns(self) -> int:
        """The whole time in nanoseconds."""
        return int(self.tv_sec) * 1_000_000_000 + int(self.tv_nsec)


class EventSet(Structure):
    """`trace_event_set_t`: one bit per event type."""

    _fields_ = (("bits", c_uint32 * 2),)


class AttributeObject(Structure):
    """`trace_attr_t`."""

    _fields_ = (
        ("valid", c_uint32),
        ("stream_full_policy", c_int),
        ("log_full_policy", c_int),
        ("inheritance", c_int),
        ("stream_min_size", c_size_t),
        ("max_data_size", c_size_t),
        ("log_max_size", c_size_t),
        ("creation_time", Timespec),
        ("clock_resolution", Timespec),
        ("stream_full_policy_set", c_bool),
        ("name", c_char * NAME_BYTES),
        ("generation_version", c_char * NAME_BYTES),
    )


class EventInfo(Structure):
    """`struct posix_trace_event_info`."""

    _fields_ = (
        ("posix_event_id", c_int),
        ("posix_pid", c_int),
        ("posix_prog_address", ctypes.c_void_p),
        ("posix_truncation_status", c_int),
        ("posix_timestamp", Timespec),
        ("posix_thread_id", c_ulong),
    )


class StatusInfo(Structure):
    """`struct posix_trace_status_info`."""

    _fields_ = tuple(
        (name, c_int)
        for name in (
            "posix_stream_status",
            "posix_stream_full_status",
            "posix_stream_overrun_status",
            "posix_stream_flush_status",
            "posix_stream_flush_error",
            "posix_log_overrun_status",
            "posix_log_full_status",
        )
    )


_READ: Final = (
    c_int,
    POINTER(EventInfo),
    ctypes.c_void_p,
    c_size_t,
    POINTER(c_size_t),
    POINTER(c_int),
)

# Types of the arguments, by function name without posix_trace_.
_ARGUMENTS: Final[dict[str, tuple[type[ctypes._CData], ...]]] = {
    "attr_init": (POINTER(AttributeObject),),
    "attr_setinherited": (POINTER(AttributeObject), c_int),
    "attr_setlogfullpolicy": (POINTER(AttributeObject), c_int),
    "attr_setlogsize": (POINTER(AttributeObject), c_size_t),
    "attr_setmaxdatasize": (POINTER(AttributeObject), c_size_t),
    "attr_setname": (POINTER(AttributeObject), ctypes.c_char_p),
    "attr_setstreamfullpolicy": (POINTER(AttributeObject), c_int),
    "attr_setstreamsize": (POINTER(AttributeObject), c_size_t),
    "clear": (c_int,),
    "close": (c_int,),
    "create": (c_int, POINTER(AttributeObject), POINTER(c_int)),
    "create_withlog": (c_int, POINTER(AttributeObject), c_int, POINTER(c_int)),
    "event": (c_int, ctypes.c_char_p, c_size_t),
    "eventid_get_name": (c_int, c_int, ctypes.c_char_p),
    "eventid_open": (ctypes.c_char_p, POINTER(c_int)),
    "eventtypelist_getnext_id": (c_int, POINTER(c_int), POINTER(c_int)),
    "eventtypelist_rewind": (c_int,),
    "flush": (c_int,),
    "get_attr": (c_int, POINTER(AttributeObject)),
    "get_filter": (c_int, POINTER(EventSet)),
    "get_status": (c_int, POINTER(StatusInfo)),
    "getnext_event": _READ,
    "open": (c_int, POINTER(c_int)),
    "rewind": (c_int,),
    "set_filter": (c_int, POINTER(EventSet), c_int),
    "shutdown": (c_int,),
    "start": (c_int,),
    "stop": (c_int,),
    "timedgetnext_event": (*_READ, POINTER(Timespec)),
    "trygetnext_event": _READ,
}


@cache
def library() -> ctypes.CDLL:
    """Load the library: from `ENVIRONMENT`, else the result of `make posix`, else the system's.

    Raises:
        TraceError: no library can be loaded.
    """
    given = os.environ.get(ENVIRONMENT)
    places = [given] if given else [str(_BUILT), "libposixtrace.so"]
    for place in places:
        try:
            loaded = ctypes.CDLL(place)
        except OSError:
            continue
        for name, arguments in _ARGUMENTS.items():
            function = getattr(loaded, f"posix_trace_{name}")
            function.argtypes = arguments
            function.restype = None if name == "event" else c_int
        return loaded
    raise TraceError(
        f"libposixtrace cannot be loaded ({', '.join(places)})",
        f"build it with `make posix`, or set {ENVIRONMENT} to its path",
    )


def call_for_number(name: str, *arguments: object) -> int:
    """Call posix_trace_`name`; return its error number, 0 for success."""
    return int(getattr(library(), f"posix_trace_{name}")(*arguments))


def call(name: str, *arguments: object) -> None:
    """Call posix_trace_`name`.

    Raises:
        TraceError: the function returned an error number, which is the `number` of the error.
    """
    number = call_for_number(name, *arguments)
    if number != 0:
        raise error_of(name, number)


def error_of(name: str, number: int) -> TraceError:
    """Return the error for an error number of a function."""
    error = TraceError(
        f"posix_trace_{name}: {os.strerror(number)} ({errno.errorcode.get(number, number)})",
        "see trace.h for the arguments of the function",
    )
    error.number = number
    return error

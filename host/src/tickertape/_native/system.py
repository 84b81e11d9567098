"""The model of the kernel, compiled. See system.h."""

from __future__ import annotations

from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
)
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from tickertape._native.library import address, library

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

TRANSITION: Final = np.dtype(
    [
        ("row", np.int64),
        ("time", np.uint64),
        ("value", np.int64),
        ("entity", np.int32),
        ("instance", np.uint32),
        ("source", np.int32),
        ("source_instance", np.uint32),
        ("object", np.int32),
        ("cpu", np.uint8),
        ("action", np.uint8),
        ("before", np.uint8),
        ("after", np.uint8),
    ]
)
"""`tt_transition_t`."""

_FIRST_ROOM: Final = 1024
_GO_ON_STOPPED: Final = -1
_BY_TWO: Final = CFUNCTYPE(c_int64, c_uint32, c_uint32)
_BY_ONE: Final = CFUNCTYPE(c_int64, c_uint32)
_BY_ROW: Final = CFUNCTYPE(c_int64, c_uint64, c_uint32)


class NameSaid(IntFlag):
    """What an event said about the name of a thread."""

    SAID = 1
    FIRST = 2
    THE_SAME = 4


class Machine(IntEnum):
    """State machines."""

    PROCESS = 0
    RUNNABLE = 1


class _Status(IntEnum):
    DONE = 0
    FULL = 1
    STOPPED = 2
    NO_MEMORY = 3


class Services(Protocol):
    """What the model asks for; see `tt_system_services_t`."""

    def entity(self, kind: int, number: int) -> int:
        """Give the index of an entity."""
        ...

    def task(self, tid: int, is_free: Callable[[int], bool]) -> int:
        """Give the index of the task of a new thread."""
        ...

    def limit(self, address: int) -> int:
        """Tell the limit of a semaphore, 0 for not known."""
        ...

    def name(self, row: int, tid: int) -> NameSaid | int:
        """Take the name that an event says, if it does."""
        ...

    def rename(self, entity: int, tid: int) -> int:
        """Call a task as its thread is called now."""
        ...


class _Services(Structure):
    """`tt_system_services_t`."""

    _fields_ = (
        ("entity", _BY_TWO),
        ("task", _BY_ONE),
        ("limit", _BY_ONE),
        ("name", _BY_ROW),
        ("rename", _BY_TWO),
    )


class _Job(Structure):
    """`tt_system_job_t`."""

    _fields_ = (
        ("header", c_void_p),
        ("time", c_void_p),
        ("data0", c_void_p),
        ("data1", c_void_p),
        ("count", c_uint64),
        ("row", c_uint64),
        ("end_row", c_uint64),
        ("out", c_void_p),
        ("room", c_uint64),
        ("written", c_uint64),
    )


class CompiledSystem:
    """The state of a system, and the columns that are fed to it."""

    def __init__(self, compiled: CDLL, services: Services, handlers: Mapping[int, str]) -> None:
        """Begin with nothing known.

        Args:
            compiled: the compiled part.
            services: is asked for names and limits.
            handlers: name of the handler of each event, by class << 10 | event.

        Raises:
            LookupError: the compiled part has no such handler.
        """
        self._library = _declared(compiled)
        self._errors: list[BaseException] = []
        self._services = self._answering(services, self._errors)
        self._handle: int | None = self._library.tt_system_new(byref(self._services))
        if self._handle is None:
            raise MemoryError
        self._of_new_tasks.append(self._handle)
        for code, name in handlers.items():
            if self._library.tt_system_handle(self._handle, code, name.encode()):
                raise LookupError(name)
        self._job = _Job()
        self._arrays: list[NDArray[Any]] = []
        self._out = np.empty(0, TRANSITION)
        self._room = _FIRST_ROOM

    def __del__(self) -> None:
        """Free what it knows."""
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._library.tt_system_free(handle)

    def allow(self, machine: Machine, before: int, action: int, after: int) -> None:
        """Say that an action leads from one state to another."""
        if self._library.tt_system_allow(self._handle, machine, before, action, after):
            raise LookupError(before, action, after)

    def load(
        self,
        header: NDArray[np.uint32],
        time: NDArray[np.uint64],
        data0: NDArray[np.uint32],
        data1: NDArray[np.uint32],
    ) -> None:
        """Take the next columns, as in `EventColumns`; nothing is looked at yet."""
        self._arrays = [
            np.ascontiguousarray(array, kind)
            for array, kind in (
                (header, np.uint32),
                (time, np.uint64),
                (data0, np.uint32),
                (data1, np.uint32),
            )
        ]
        job = self._job
        job.header, job.time, job.data0, job.data1 = map(address, self._arrays)
        job.count, job.row, job.written = len(header), 0, 0
        self._out = np.empty(max(self._room, _FIRST_ROOM), TRANSITION)
        job.out, job.room = address(self._out), len(self._out)

    def begin_boot(self, *, whole: bool) -> None:
        """Begin a boot; `whole` when its first event is there."""
        self._library.tt_system_begin_boot(self._handle, whole)

    def reset(self) -> None:
        """The target was reset."""
        self._call(self._library.tt_system_reset)

    def lose(self, row: int, cpu: int, ticks: int | None) -> None:
        """Take the rows before `row`, where records of a CPU are missing since `ticks`."""
        self.feed(row)
        self._job.row = row
        self._call(self._library.tt_system_lose, cpu, ticks is not None, ticks or 0)

    def feed(self, end_row: int) -> None:
        """Take the rows before `end_row` that were not taken yet."""
        self._job.end_row = end_row
        self._call(self._library.tt_system_feed)

    def taken(self) -> NDArray[np.void]:
        """Give the transitions since `load`."""
        written = int(self._job.written)
        # So much room the next columns will need as well, as a rule.
        self._room = max(self._room, written + written // 8)
        found, self._out = self._out[:written], np.empty(0, TRANSITION)
        self._arrays = []
        return found

    def _call(self, function: Callable[..., int], *arguments: int) -> None:
        while True:
            status = _Status(function(self._handle, byref(self._job), *arguments))
            if self._errors:
                raise self._errors.pop()
            if status is _Status.DONE:
                return
            if status is not _Status.FULL:
                raise MemoryError
            self._grow()

    def _grow(self) -> None:
        written = int(self._job.written)
        more = np.empty(2 * len(self._out), TRANSITION)
        more[:written] = self._out[:written]
        self._out = more
        self._job.out, self._job.room = address(more), len(more)

    def _answering(self, services: Services, errors: list[BaseException]) -> _Services:
        """Make functions that C can call; what they raise is kept, and stops the call."""
        # Not `self`: a function that holds it would keep this object alive.
        is_free, handles = self._library.tt_system_is_free, list[int]()
        self._of_new_tasks = handles

        def guarded(function: Callable[..., int]) -> Callable[..., int]:
            def answer(*arguments: int) -> int:
                try:
                    return int(function(*arguments))
                except BaseException as error:  # noqa: BLE001 - raised again by the call around it
                    errors.append(error)
                    return _GO_ON_STOPPED

            return answer

        def task(tid: int) -> int:
            return services.task(tid, lambda entity: bool(is_free(handles[0], entity)))

        return _Services(
            _BY_TWO(guarded(services.entity)),
            _BY_ONE(guarded(task)),
            _BY_ONE(guarded(services.limit)),
            _BY_ROW(guarded(services.name)),
            _BY_TWO(guarded(services.rename)),
        )


def compiled_system(
    services: Services, handlers: Mapping[int, str], compiled: CDLL | None = None
) -> CompiledSystem | None:
    """Make a model; None when there is no compiled part.

    Args:
        services: is asked for names and limits.
        handlers: name of the handler of each event, by class << 10 | event.
        compiled: another compiled part than that of this installation.
    """
    compiled = compiled or library()
    return None if compiled is None else CompiledSystem(compiled, services, handlers)


def _declared(compiled: CDLL) -> CDLL:
    """Tell ctypes the types of the functions used here."""
    compiled.tt_system_new.argtypes = [POINTER(_Services)]
    compiled.tt_system_new.restype = c_void_p
    compiled.tt_system_free.argtypes = [c_void_p]
    compiled.tt_system_free.restype = None
    compiled.tt_system_handle.argtypes = [c_void_p, c_uint32, c_char_p]
    compiled.tt_system_handle.restype = c_int
    compiled.tt_system_allow.argtypes = [c_void_p, *[c_uint32] * 4]
    compiled.tt_system_allow.restype = c_int
    compiled.tt_system_begin_boot.argtypes = [c_void_p, c_uint32]
    compiled.tt_system_begin_boot.restype = None
    compiled.tt_system_lose.argtypes = [c_void_p, POINTER(_Job), c_uint32, c_uint32, c_uint64]
    compiled.tt_system_lose.restype = c_int
    for function in (compiled.tt_system_feed, compiled.tt_system_reset):
        function.argtypes = [c_void_p, POINTER(_Job)]
        function.restype = c_int
    compiled.tt_system_is_free.argtypes = [c_void_p, c_uint32]
    compiled.tt_system_is_free.restype = c_int
    return compiled

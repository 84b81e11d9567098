"""Compiled model of the system; see `model.system`."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import TRANSITION, SystemJob, SystemServices, SystemStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from ctypes import CDLL

    from numpy.typing import NDArray

    from tickertape._native.interface import Machine, NameSaid

_FIRST_ROOM: Final = 1024
_STOP: Final = -1


class Services(Protocol):
    """Callbacks of the compiled model."""

    def entity(self, kind: int, number: int) -> int:
        """Return the index of an entity."""
        ...

    def task(self, tid: int, is_free: Callable[[int], bool]) -> int:
        """Return the index of the task of a new thread."""
        ...

    def limit(self, address: int) -> int:
        """Return the limit of a semaphore; 0 if unknown."""
        ...

    def forget(self, tid: int) -> int:
        """Forget the name of a thread that has ended."""
        ...

    def name(self, row: int, tid: int) -> NameSaid | int:
        """Store the thread name in the event at `row`; return whether it has one, and is new."""
        ...

    def rename(self, entity: int, tid: int) -> int:
        """Set the name of a task to the current name of its thread."""
        ...


class CompiledSystem(Handle):
    """State of the compiled model, and the columns being processed."""

    def __init__(self, compiled: CDLL, services: Services, handlers: Mapping[int, str]) -> None:
        """Start with nothing known.

        Args:
            compiled: the compiled part.
            services: callbacks for entities, names and limits.
            handlers: name of the handler of each event type, by class << 10 | event.

        Raises:
            LookupError: the compiled part does not have a handler.
        """
        self._errors: list[BaseException] = []
        self._handles: list[int | None] = []
        self._services = _answering(services, self._errors, compiled, self._handles)
        super().__init__(compiled, "system", byref(self._services))
        self._handles.append(self._handle)
        for code, name in handlers.items():
            if self._library.tt_system_handle(self._handle, code, name.encode()):
                raise LookupError(name)
        self._job = SystemJob()
        self._arrays: list[NDArray[Any]] = []
        self._out = np.empty(0, TRANSITION)
        self._room = _FIRST_ROOM

    def prove(self, code: int, word: int) -> None:
        """Mark an event type that only the running thread causes; see `EVIDENCE`."""
        if self._library.tt_system_evidence(self._handle, code, word):
            raise LookupError(code, word)

    def allow(self, machine: Machine, before: int, action: int, after: int) -> None:
        """Add an entry to a state machine."""
        if self._library.tt_system_allow(self._handle, machine, before, action, after):
            raise LookupError(before, action, after)

    def load(
        self,
        header: NDArray[np.uint32],
        time: NDArray[np.uint64],
        data0: NDArray[np.uint32],
        data1: NDArray[np.uint32],
    ) -> None:
        """Set the next columns, as in `EventColumns`, without processing them."""
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
        """Start a boot; `whole`: no record is missing since its start."""
        self._library.tt_system_begin_boot(self._handle, whole)

    def reset(self) -> None:
        """Note a reset of the target."""
        self._call(self._library.tt_system_reset)

    def lose(self, row: int, cpu: int, ticks: int | None) -> None:
        """Process the rows before `row`; then note missing records of a CPU since `ticks`."""
        self.feed(row)
        self._job.row = row
        self._call(self._library.tt_system_lose, cpu, ticks is not None, ticks or 0)

    def feed(self, end_row: int) -> None:
        """Process the remaining rows before `end_row`."""
        self._job.end_row = end_row
        self._call(self._library.tt_system_feed)

    def taken(self) -> NDArray[np.void]:
        """Return the transitions since `load`."""
        written = int(self._job.written)
        # The next columns will usually need as much room.
        self._room = max(self._room, written + written // 8)
        found, self._out = self._out[:written], np.empty(0, TRANSITION)
        self._arrays = []
        return found

    def _call(self, function: Callable[..., int], *arguments: int) -> None:
        while True:
            status = SystemStatus(function(self._handle, byref(self._job), *arguments))
            if self._errors:
                raise self._errors.pop()
            if status is SystemStatus.DONE:
                return
            if status is not SystemStatus.FULL:
                raise MemoryError
            self._grow()

    def _grow(self) -> None:
        written = int(self._job.written)
        more = np.empty(2 * len(self._out), TRANSITION)
        more[:written] = self._out[:written]
        self._out = more
        self._job.out, self._job.room = address(more), len(more)


def _answering(
    services: Services, errors: list[BaseException], compiled: CDLL, handles: list[int | None]
) -> SystemServices:
    """Return callbacks that C can call; an exception is stored in `errors` and stops the call.

    The callbacks do not refer to the `CompiledSystem`, because that would keep it alive.
    """

    def guarded(function: Callable[..., int]) -> Callable[..., int]:
        def answer(*arguments: int) -> int:
            try:
                return int(function(*arguments))
            except BaseException as error:  # noqa: BLE001 - raised again by the call around it
                errors.append(error)
                return _STOP

        return answer

    def task(tid: int) -> int:
        is_free = compiled.tt_system_is_free
        return services.task(tid, lambda entity: bool(is_free(handles[0], entity)))

    answers: dict[str, Callable[..., int]] = {
        "entity": services.entity,
        "task": task,
        "limit": services.limit,
        "forget": services.forget,
        "name": services.name,
        "rename": services.rename,
    }
    kinds: dict[str, Any] = dict(SystemServices._fields_)
    return SystemServices(*(kinds[name](guarded(answer)) for name, answer in answers.items()))

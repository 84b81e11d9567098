"""The model of the kernel, compiled."""

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
    """What the model asks for."""

    def entity(self, kind: int, number: int) -> int:
        """Return the index of an entity."""
        ...

    def task(self, tid: int, is_free: Callable[[int], bool]) -> int:
        """Return the index of the task of a new thread."""
        ...

    def limit(self, address: int) -> int:
        """Return the limit of a semaphore, 0 for unknown."""
        ...

    def name(self, row: int, tid: int) -> NameSaid | int:
        """Take the name of an event, if it has one."""
        ...

    def rename(self, entity: int, tid: int) -> int:
        """Call a task as its thread is called now."""
        ...


class CompiledSystem(Handle):
    """The state of a system, and the columns that are fed to it."""

    def __init__(self, compiled: CDLL, services: Services, handlers: Mapping[int, str]) -> None:
        """Begin with nothing known.

        Args:
            compiled: the compiled part.
            services: provides names and limits.
            handlers: name of the handler of each event, by class << 10 | event.

        Raises:
            LookupError: the compiled part has no such handler.
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

    def allow(self, machine: Machine, before: int, action: int, after: int) -> None:
        """Add a state transition of an action."""
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
        """Return the transitions since `load`."""
        written = int(self._job.written)
        # So much room the next columns will need as well, as a rule.
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
    """Make functions that C can call; what they raise is kept, and stops the call.

    They do not refer to the `CompiledSystem`, which they would keep alive.
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
        "name": services.name,
        "rename": services.rename,
    }
    kinds: dict[str, Any] = dict(SystemServices._fields_)
    return SystemServices(*(kinds[name](guarded(answer)) for name, answer in answers.items()))

"""Translates kernel events to the system events of RTL-POSIX-Trace (section 3), as text.

firmware/facades/posix/system.c does the same translation on the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.model.codes import thread_id
from tickertape.protocol.events import EventClass
from tickertape.protocol.lookup import find_event

if TYPE_CHECKING:
    from tickertape.decode.events import Event
    from tickertape.printing.walk import Walk

KNOWN_CLASSES: Final = [
    EventClass.KERCALL,
    EventClass.THREAD,
    EventClass.SYNC,
    EventClass.SCHED,
    EventClass.TRACER,
]
_CALL_LIMIT: Final = 128  # lower numbers of KERCALL are call entries
_LAST_STATE: Final = 20  # of class THREAD
_READY: Final = frozenset({1, 2})  # RUNNING, READY
_DEAD: Final = 0
_FILTER_WORDS: Final = 6  # of the wide form


def code(class_: str, name: str) -> int:
    """Return class << 10 | event of an event type in the dictionary."""
    found = find_event(class_, name)
    assert found is not None  # noqa: S101 - events.yaml has it
    return found.class_number << 10 | found.number


SWITCH: Final = code("SCHED", "CONTEXT_SWITCH")
OVERHEAD_BEGIN: Final = code("SCHED", "OVERHEAD_BEGIN")
OVERHEAD_END: Final = code("SCHED", "OVERHEAD_END")
PRIORITY: Final = code("SCHED", "PRIORITY")
ACTIVATION: Final = code("SCHED", "ACTIVATION")
COMPLETION: Final = code("SCHED", "COMPLETION")
DEADLINE_MISS: Final = code("SCHED", "DEADLINE_MISS")
GRANTED: Final = code("SYNC", "MUTEX_LOCK_GRANTED")
DENIED: Final = code("SYNC", "MUTEX_LOCK_DENIED")
TRIED: Final = code("SYNC", "MUTEX_TRY_REFUSED")
UNLOCK: Final = code("SYNC", "MUTEX_UNLOCK")
COND_WAIT: Final = code("SYNC", "COND_WAIT")
COND_SIGNAL: Final = code("SYNC", "COND_SIGNAL")
COND_BROADCAST: Final = code("SYNC", "COND_BROADCAST")
START: Final = code("TRACER", "START")
STOP: Final = code("TRACER", "STOP")
FILTER: Final = code("TRACER", "FILTER")
ERROR: Final = code("TRACER", "ERROR")
_FLUSHES: Final = {
    code("TRACER", "FLUSH_START"): "posix_trace_flush_start",
    code("TRACER", "FLUSH_STOP"): "posix_trace_flush_stop",
}

_LOCKS: Final = {GRANTED: "granted", DENIED: "denied", TRIED: "tried"}
_CONDITIONS: Final = {COND_WAIT: "wait", COND_SIGNAL: "signal", COND_BROADCAST: "broadcast"}


class SystemEvents:
    """Translates events in order; tracks traced priorities and mutexes."""

    def __init__(self) -> None:
        """Create a translator without known priorities and mutexes."""
        self._priorities: dict[int, int] = {}
        self._mutexes: dict[int, int] = {}  # mutex of the last wait, by condition

    def forget(self) -> None:
        """Forget priorities and mutexes of conditions, because records are missing."""
        self._priorities.clear()
        self._mutexes.clear()

    def translate(self, event: Event, tid: int | None, walk: Walk) -> str | None:
        """Return an event as one line without its time; None if it has no system event.

        Args:
            event: event of any class.
            tid: the running thread; None when unknown.
            walk: provides the names.
        """
        kind = event.cls << 10 | event.event
        first, second = (*event.words, 0, 0)[:2]
        if kind == PRIORITY:
            self._priorities[first] = second
            return None
        if event.cls == EventClass.TRACER:
            return _tracer(kind, event.words)
        if event.cls == EventClass.KERCALL:
            return self._call(event, tid, walk)
        if event.cls == EventClass.SYNC:
            return self._sync(kind, (first, second), tid, walk)
        return self._task(event, kind, (first, second), walk)

    def _task(self, event: Event, kind: int, words: tuple[int, int], walk: Walk) -> str | None:
        first, second = words
        match kind:
            case _ if kind == SWITCH:
                return f"posix_trace_context_switch {self._state(second, 'ready', walk)}"
            case _ if kind == ACTIVATION:
                return f"posix_trace_task_state {self._state(first, 'released', walk)}"
            case _ if kind == COMPLETION:
                return f"posix_trace_task_state {self._state(first, 'ended', walk)}"
            case _ if kind in {OVERHEAD_BEGIN, OVERHEAD_END}:
                what = "start" if kind == OVERHEAD_BEGIN else "end"
                return (
                    f"posix_trace_kernel_overhead type={what} task={_task(second, walk)} "
                    f"is_linux={int(second == 0)}"
                )
        if event.cls == EventClass.THREAD and event.event <= _LAST_STATE:
            state = "suspended"
            if event.event == _DEAD:
                state = "ended"
            elif event.event in _READY:
                state = "ready"
            return f"posix_trace_task_state {self._state(second, state, walk)}"
        return None

    def _sync(self, kind: int, words: tuple[int, int], tid: int | None, walk: Walk) -> str | None:
        first, second = words
        if kind in _LOCKS:
            task = second if kind == GRANTED else tid
            return (
                f"posix_trace_mutex_lock op={_LOCKS[kind]} mutex={thing(first, walk)} "
                f"task={_task(task, walk)}"
            )
        if kind == UNLOCK:
            return f"posix_trace_mutex_unlock mutex={thing(first, walk)} task={_task(second, walk)}"
        if kind in _CONDITIONS:
            if kind == COND_WAIT and second:  # 0: the kernel hook does not know the mutex
                self._mutexes[first] = second
            name = "posix_trace_cond_wait" if kind == COND_WAIT else "posix_trace_cond_broadcast"
            mutex = thing(self._mutexes[first], walk) if first in self._mutexes else "?"
            who, condition = _task(tid, walk), thing(first, walk)
            return f"{name} op={_CONDITIONS[kind]} task={who} cond={condition} mutex={mutex}"
        return None

    def _state(self, tid: int, state: str, walk: Walk) -> str:
        priority = self._priorities.get(tid, "?")
        return f"task={_task(tid, walk)} priority={priority} state={state} is_linux={int(tid == 0)}"

    def _call(self, event: Event, tid: int | None, walk: Walk) -> str | None:
        if event.event >= _CALL_LIMIT:
            return None
        name = event.type.name.removesuffix("_ENTER").lower()
        return (
            f"posix_trace_system_call syscall={event.event}:{name} task={_task(tid, walk)} "
            f"is_linux={int(tid == 0)}"
        )


def _tracer(kind: int, words: tuple[int, ...]) -> str | None:
    if kind == START:  # the wide form has the filter; the START of the recorder has none
        return f"posix_trace_start{_set(' filter', words[2:4])}"
    if kind == FILTER and len(words) >= _FILTER_WORDS:
        return f"posix_trace_filter{_set(' old', words[2:4])}{_set(' new', words[4:6])}"
    first, second = (*words, 0, 0)[:2]
    if kind == STOP:
        return f"posix_trace_stop auto={second}"
    if kind == ERROR:
        return f"posix_trace_error error={_signed(first)}"
    return _FLUSHES.get(kind)


def _set(name: str, words: tuple[int, ...]) -> str:
    """Format a set of event types as a mask: bit i for the type with number i."""
    return f"{name}=0x{words[0] | words[1] << 32:016x}" if len(words) > 1 else ""


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _task(tid: int | None, walk: Walk) -> str:
    if tid is None:
        return "?"
    name = walk.names.thread(tid)
    number = thread_id(tid)
    return number if name in {None, number} else f"{number}:{name}"


def thing(address: int, walk: Walk) -> str:
    """Return the name of a kernel object, or its address when it has no name."""
    return walk.names.object(address) or f"0x{address:08x}"

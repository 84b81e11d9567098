"""Maps Zephyr's CTF events to events of a tape; see docs/zephyr-ctf.md."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    EventClass,
    IntEvent,
    KercallCall,
    KercallKind,
    SchedEvent,
    SyncEvent,
    ThreadEvent,
)
from tickertape.protocol.wire import STRUCT_SHIFT, RecordStruct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.formats.zephyr_ctf.tsdl import EventClass as CtfClass

    Value = int | bytes

Record = tuple[int, int, int]
"""Header and two words of a record."""

ZEPHYR_CLASS: Final = 16
"""Class of events without a counterpart in tickertape; the event number is Zephyr's."""

_WORD: Final = 0xFFFF_FFFF
_NUMBERS: Final = 1024
_SHORT_WORDS: Final = 2
_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
_RUNNING: Final = event_code(EventClass.THREAD, ThreadEvent.RUNNING)
_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_GRANTED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_GRANTED)
_UNLOCK: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)
_BLOCKED: Final = event_code(EventClass.SYNC, SyncEvent.SEM_WAIT_BLOCKED)

# Events about a thread: word 0 is its domain, word 1 the thread.
_THREADS: Final[Mapping[str, int]] = {
    "thread_create": ThreadEvent.CREATE,
    "thread_abort": ThreadEvent.DESTROY,
    "thread_suspend": ThreadEvent.STOPPED,
    "thread_ready": ThreadEvent.READY,
}
# State of a thread that is pended directly after one of these events; by default a condition.
_WAITS: Final[Mapping[str, int]] = {
    "mutex_lock_blocking": ThreadEvent.MUTEX,
    "semaphore_take_blocking": ThreadEvent.SEM,
}
_CALLS: Final[Mapping[str, tuple[int, int]]] = {
    "semaphore_give_enter": (KercallCall.SYNC_SEM_POST, KercallKind.ENTER),
    "semaphore_give_exit": (KercallCall.SYNC_SEM_POST, KercallKind.EXIT),
    "semaphore_take_enter": (KercallCall.SYNC_SEM_WAIT, KercallKind.ENTER),
    "semaphore_take_exit": (KercallCall.SYNC_SEM_WAIT, KercallKind.EXIT),
    "mutex_lock_enter": (KercallCall.SYNC_MUTEX_LOCK, KercallKind.ENTER),
    "mutex_lock_exit": (KercallCall.SYNC_MUTEX_LOCK, KercallKind.EXIT),
    "mutex_unlock_enter": (KercallCall.SYNC_MUTEX_UNLOCK, KercallKind.ENTER),
    "mutex_unlock_exit": (KercallCall.SYNC_MUTEX_UNLOCK, KercallKind.EXIT),
}
_ISRS: Final[Mapping[str, tuple[int, int]]] = {
    "isr_enter": (IntEvent.ENTRY, 0),
    "isr_exit": (IntEvent.EXIT, 0),
    "isr_exit_to_scheduler": (IntEvent.EXIT, 1),
}


class ZephyrKernel:
    """Converts events of one CPU to records, in order.

    Attributes:
        kept: number of events that became records of `ZEPHYR_CLASS`.
    """

    def __init__(self) -> None:
        """Create a converter without known threads."""
        self._names: dict[int, bytes] = {}
        self._running: int | None = None
        self._left: int | None = None
        self._wait = ThreadEvent.CONDVAR
        self._locks: dict[int, int] = {}
        self.kept = 0

    def records(self, what: CtfClass, values: Mapping[str, Value], raw: bytes) -> Iterator[Record]:
        """Yield the records of one event.

        Args:
            what: type of the event.
            values: values of the fields, by name.
            raw: bytes of the fields in the file.
        """
        name = what.name
        tid = self._thread(values)
        if tid is not None:
            yield from self._named(tid, values)
        if name == "thread_switched_out":
            self._left, self._running = tid, None
        elif name == "thread_switched_in" and tid is not None:
            yield from self._switch(tid)
        elif name == "thread_pending" and tid is not None:
            yield _simple(event_code(EventClass.THREAD, self._wait), 0, tid)
        elif name in _THREADS and tid is not None:
            yield _simple(event_code(EventClass.THREAD, _THREADS[name]), 0, tid)
        elif name in _ISRS:
            number, detail = _ISRS[name]
            yield _simple(event_code(EventClass.INT, number), 0, detail)
        elif name in _CALLS and isinstance(values.get("id"), int):
            yield from self._call(name, values)
        elif name != "thread_name_set":
            self.kept += 1
            yield from _raw(what, values, raw)
        self._wait = ThreadEvent(_WAITS.get(name, ThreadEvent.CONDVAR))

    def _thread(self, values: Mapping[str, Value]) -> int | None:
        tid, name = values.get("thread_id"), values.get("name", b"")
        if not isinstance(tid, int):
            return None
        # Zephyr reserves this name for its idle threads; on a tape the idle thread has number 0.
        known = _text(name) or self._names.get(tid, b"")
        return 0 if known == b"idle" or known.startswith(b"idle ") else tid

    def _named(self, tid: int, values: Mapping[str, Value]) -> Iterator[Record]:
        name = _text(values.get("name", b""))
        if name and name != b"unknown" and self._names.get(tid) != name:
            self._names[tid] = name
            yield from _combine(_NAME, struct.pack("<II", 0, tid) + name)

    def _switch(self, tid: int) -> Iterator[Record]:
        before, self._left, self._running = self._left, None, tid
        if before is None:
            # The previous thread is unknown: write a state instead of a switch.
            yield _simple(_RUNNING, 0, tid)
        elif before != tid:
            yield _simple(_SWITCH, before, tid)

    def _call(self, name: str, values: Mapping[str, Value]) -> Iterator[Record]:
        call, kind = _CALLS[name]
        object_, result = int(values["id"]), int(values.get("ret", 0))
        code = event_code(EventClass.KERCALL, call + kind)
        if kind == KercallKind.ENTER:
            yield _simple(code, object_, int(values.get("timeout", 0)))
            return
        if call == KercallCall.SYNC_MUTEX_LOCK and not result and self._running is not None:
            # The owner may lock a mutex several times; it is free after as many unlocks.
            self._locks[object_] = self._locks.get(object_, 0) + 1
            if self._locks[object_] == 1:
                yield _simple(_GRANTED, object_, self._running)
        elif call == KercallCall.SYNC_MUTEX_UNLOCK and object_ in self._locks:
            self._locks[object_] -= 1
            if not self._locks[object_]:
                del self._locks[object_]
                yield _simple(_UNLOCK, object_, self._running or 0)
        yield _simple(code, result, object_)


def _simple(code: int, data0: int, data1: int) -> Record:
    return code, data0 & _WORD, data1 & _WORD


def _combine(code: int, payload: bytes) -> Iterator[Record]:
    """Yield the records of an event with a payload (protocol/SPEC.md)."""
    count = len(payload)
    words = list(struct.unpack(f"<{-(-count // 4)}I", payload + bytes(-count % 4)))
    words += [0] * (1 - len(words) % 2)
    words.append(count)
    if len(words) == _SHORT_WORDS:
        words = [words[0], 0, 0, words[1]]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    for place, (data0, data1) in enumerate(pairs):
        kind = RecordStruct.CONTINUE
        if place == 0:
            kind = RecordStruct.BEGIN
        elif place == len(pairs) - 1:
            kind = RecordStruct.END
        yield kind << STRUCT_SHIFT | code, data0, data1


def _raw(what: CtfClass, values: Mapping[str, Value], raw: bytes) -> Iterator[Record]:
    """Yield an event unchanged: as two words if its fields fit, else as all its bytes."""
    code = event_code(ZEPHYR_CLASS, what.id % _NUMBERS)
    numbers = [value for value in values.values() if isinstance(value, int)]
    if len(numbers) == len(values) <= _SHORT_WORDS and what.fields.form.size <= 4 * len(values):
        yield _simple(code, *([*numbers, 0, 0])[:_SHORT_WORDS])
    else:
        yield from _combine(code, raw)


def _text(value: Value) -> bytes:
    return value.partition(b"\0")[0] if isinstance(value, bytes) else b""

"""Maps Zephyr's CTF events to events of a tape; see docs/zephyr-ctf.md.

Each CPU has a state machine. It does not believe that events pair up: Zephyr drops events when its
buffer is full, and some ports never record some of them. An event that contradicts the state is
counted, and what is unknown because of it is bounded by a loss of unknown size:

| state | event | what it means |
|---|---|---|
| a thread is in | another is switched in | the switch out is missing; the CPU switches now |
| a thread was switched out | another is switched out | a switch in is missing; loss |
| a thread is in | another is switched out | two events are missing; loss |
| interrupts are open | a switch, an event of a thread | they end now; some ports record no exit |
| no interrupt is open | an exit | left out |
| a thread is in on a CPU | it is switched in on another | a switch out is missing there; loss |

A stream without any switch out, or without any switch in, is a dialect and has no losses by that.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from dataclasses import dataclass, field
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
from tickertape.protocol.wire import CPU_SHIFT, STRUCT_SHIFT, RecordStruct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.formats.zephyr_ctf.stream import Event, Value
    from tickertape.formats.zephyr_ctf.tsdl import EventClass as CtfClass
    from tickertape.formats.zephyr_ctf.tsdl import Metadata

Row = tuple[int, int, int, int]
"""Header and two words of a record, and its time in ticks."""

ZEPHYR_CLASS: Final = 16
"""Class of events without a counterpart in tickertape; the event number is Zephyr's."""

LOST: Final = -1
"""Header of a row that marks a loss of unknown size instead of a record."""

_WORD: Final = 0xFFFF_FFFF
_NUMBERS: Final = 1024
_SHORT_WORDS: Final = 2
_MOST_URGENT: Final = 127
_CPU_FIELDS: Final = ("cpu_id", "core_id", "cpu")
_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
_RUNNING: Final = event_code(EventClass.THREAD, ThreadEvent.RUNNING)
_DEAD: Final = event_code(EventClass.THREAD, ThreadEvent.DEAD)
_SLEEPS: Final = event_code(EventClass.THREAD, ThreadEvent.NANOSLEEP)
_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_PRIORITY: Final = event_code(EventClass.SCHED, SchedEvent.PRIORITY)
_INHERIT: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_INHERIT)
_RESTORE: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_RESTORE)
_GRANTED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_GRANTED)
_UNLOCK: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)
_ENTRY: Final = event_code(EventClass.INT, IntEvent.ENTRY)
_EXIT: Final = event_code(EventClass.INT, IntEvent.EXIT)
# Zephyr calls its idle threads so; any other thread may have a name that begins with the word.
_IDLE: Final = re.compile(rb"idle(?: \d+)?")
_SLEEP_ENTER: Final = re.compile(r"(?:k_|thread_)*[mu]?sleep_enter")
_SLEEP_EXIT: Final = re.compile(r"(?:k_|thread_)*[mu]?sleep_exit")

# Events about a thread: word 0 is its domain, word 1 the thread.
_THREADS: Final[Mapping[str, int]] = {
    "thread_create": ThreadEvent.CREATE,
    "thread_abort": ThreadEvent.DESTROY,
    "thread_suspend": ThreadEvent.STOPPED,
    "thread_ready": ThreadEvent.READY,
}
# State of a thread that is pended directly after one of these events; by default a condition.
_WAITS: Final[Mapping[str, ThreadEvent]] = {
    "mutex_lock_blocking": ThreadEvent.MUTEX,
    "semaphore_take_blocking": ThreadEvent.SEM,
    "thread_join_blocking": ThreadEvent.JOIN,
}
_CALLS: Final[Mapping[str, tuple[KercallCall, KercallKind]]] = {
    "semaphore_give_enter": (KercallCall.SYNC_SEM_POST, KercallKind.ENTER),
    "semaphore_give_exit": (KercallCall.SYNC_SEM_POST, KercallKind.EXIT),
    "semaphore_take_enter": (KercallCall.SYNC_SEM_WAIT, KercallKind.ENTER),
    "semaphore_take_exit": (KercallCall.SYNC_SEM_WAIT, KercallKind.EXIT),
    "mutex_lock_enter": (KercallCall.SYNC_MUTEX_LOCK, KercallKind.ENTER),
    "mutex_lock_exit": (KercallCall.SYNC_MUTEX_LOCK, KercallKind.EXIT),
    "mutex_unlock_enter": (KercallCall.SYNC_MUTEX_UNLOCK, KercallKind.ENTER),
    "mutex_unlock_exit": (KercallCall.SYNC_MUTEX_UNLOCK, KercallKind.EXIT),
}


@dataclass(frozen=True, slots=True)
class Survey:
    """What the begin of a stream shows about its dialect.

    Attributes:
        has_in: threads are switched in.
        has_out: threads are switched out.
        cpus: number of CPUs.
    """

    has_in: bool
    has_out: bool
    cpus: int


class _Places:
    """Places of the fields that matter, in the values of an event of one type."""

    def __init__(self, facts: Metadata, what: CtfClass) -> None:
        names = [*facts.header.names, *what.fields.names]
        first = len(facts.header.names)

        def place(name: str) -> int | None:
            return names.index(name, first) if name in names[first:] else None

        self.fields = first
        self.thread, self.name = place("thread_id"), place("name")
        self.prio, self.object = place("prio"), place("id")
        self.ret, self.timeout = place("ret"), place("timeout")
        in_all = (names.index(name) for name in _CPU_FIELDS if name in names)
        self.cpu = next(in_all, None)
        self.is_thread_context = what.name in {"idle", "thread_pending"} or bool(
            what.name.endswith("_blocking") or _SLEEP_ENTER.fullmatch(what.name)
        )


@dataclass(slots=True)
class _Cpu:
    """State of a CPU.

    Attributes:
        rows: its records that are not written yet.
        running: the thread that is in; None if unknown.
        left: the thread that was switched out last, until another is switched in.
        left_at: number of rows and time at that switch.
        depth: number of open interrupts.
        wait: state of the thread that is pended next.
    """

    rows: list[Row] = field(default_factory=list)
    running: int | None = None
    left: int | None = None
    left_at: tuple[int, int] | None = None
    depth: int = 0
    wait: ThreadEvent = ThreadEvent.CONDVAR


class ZephyrKernel:
    """Converts the events of a stream to records, in order.

    Attributes:
        cpus: state of each CPU, with the records that are not written yet.
        kept: number of events that became records of `ZEPHYR_CLASS`.
        contradictions: number of events that contradict the state, by description.
        unplaced: number of events of unknown CPU that would need one.
    """

    def __init__(self, facts: Metadata, survey: Survey) -> None:
        """Create a converter without known threads."""
        self.cpus: dict[int, _Cpu] = {}
        self.kept = self.unplaced = 0
        self.contradictions: Counter[str] = Counter()
        self._survey = survey
        self._places = {what: _Places(facts, what) for what in facts.events.values()}
        self._names: dict[int, bytes] = {}
        self._priorities: dict[int, int] = {}
        self._locks: dict[int, int] = {}
        self._sleeping: set[int] = set()
        self._now = 0
        self._head = 0

    def take(self, event: Event) -> None:
        """Convert the next event."""
        what, values = event.what, event.values
        places = self._places[what]
        number = event.cpu
        if number is None and places.cpu is not None:
            number = int(values[places.cpu])
        is_placed = number is not None or self._survey.cpus == 1
        cpu = self._cpu(number or 0)
        self._now, self._head = event.time, (number or 0) << CPU_SHIFT
        tid = self._thread(places, values)
        if tid is not None:
            self._named(cpu, tid, places, values)
        name = what.name
        if places.is_thread_context and is_placed:
            self._end_interrupts(cpu)
        wait, cpu.wait = cpu.wait, _WAITS.get(name, ThreadEvent.CONDVAR)
        if tid is not None and self._of_thread(cpu, name, tid, wait, places, values):
            return
        if name in {"isr_enter", "isr_exit", "isr_exit_to_scheduler"} and is_placed:
            self._interrupt(cpu, name)
        elif name in _CALLS and places.object is not None and is_placed:
            self._call(cpu, name, int(values[places.object]), places, values)
        elif name != "thread_name_set":
            self.unplaced += not is_placed and (name in _CALLS or name.startswith("isr_"))
            self._sleep(cpu, name, places, values)
            self.kept += 1
            self._raw(cpu, event, places)

    def lose(self, number: int | None) -> None:
        """Note that events of a CPU, or of all, are missing: their state is unknown."""
        numbers = [number] if number is not None else list(self.cpus) or [0]
        for one in numbers:
            self._lose(self._cpu(one))

    def _cpu(self, number: int) -> _Cpu:
        return self.cpus.setdefault(number, _Cpu())

    def _lose(self, cpu: _Cpu) -> None:
        cpu.rows.append((LOST, 0, 0, 0))
        cpu.running = cpu.left = cpu.left_at = None
        cpu.depth = 0
        cpu.wait = ThreadEvent.CONDVAR
        self._locks.clear()
        self._sleeping.clear()

    def _add(self, cpu: _Cpu, code: int, data0: int, data1: int) -> None:
        cpu.rows.append((self._head | code, data0 & _WORD, data1 & _WORD, self._now))

    def _thread(self, places: _Places, values: tuple[Value, ...]) -> int | None:
        if places.thread is None:
            return None
        tid = int(values[places.thread])
        name = _text(values[places.name]) if places.name is not None else b""
        # On a tape the idle thread has number 0.
        return 0 if _IDLE.fullmatch(name or self._names.get(tid, b"")) else tid

    def _named(self, cpu: _Cpu, tid: int, places: _Places, values: tuple[Value, ...]) -> None:
        name = _text(values[places.name]) if places.name is not None else b""
        if tid == 0 and name and places.thread is not None:
            self._names[int(values[places.thread])] = name
            name = b"idle"
        if name and name != b"unknown" and self._names.get(tid) != name:
            self._names[tid] = name
            self._combine(cpu, _NAME, struct.pack("<II", 0, tid) + name)

    def _of_thread(
        self,
        cpu: _Cpu,
        name: str,
        tid: int,
        wait: ThreadEvent,
        places: _Places,
        values: tuple[Value, ...],
    ) -> bool:
        """Convert an event about a thread; return whether it is one."""
        if name == "thread_switched_out":
            self._switched_out(cpu, tid)
        elif name == "thread_switched_in":
            if places.prio is not None:
                self._priority(cpu, _PRIORITY, tid, int(values[places.prio]))
            self._switched_in(cpu, tid)
        elif name == "thread_pending":
            self._add(cpu, event_code(EventClass.THREAD, wait), 0, tid)
        elif name == "thread_abort":
            self._add(cpu, _DEAD, 0, tid)
            self._add(cpu, event_code(EventClass.THREAD, ThreadEvent.DESTROY), 0, tid)
            self._names.pop(tid, None)
            self._priorities.pop(tid, None)
        elif name in _THREADS:
            self._add(cpu, event_code(EventClass.THREAD, _THREADS[name]), 0, tid)
        elif name == "thread_priority_set" and places.prio is not None:
            is_inherited = wait is ThreadEvent.MUTEX
            cpu.wait = wait
            code = _INHERIT if is_inherited else _PRIORITY
            self._priority(cpu, code, tid, int(values[places.prio]))
        else:
            return False
        return True

    def _priority(self, cpu: _Cpu, code: int, tid: int, prio: int) -> None:
        """Note a priority: Zephyr's lower numbers are more urgent, a tape's higher ones."""
        urgency = _MOST_URGENT - prio
        if code == _INHERIT or self._priorities.get(tid) != urgency:
            if code == _PRIORITY:
                self._priorities[tid] = urgency
            self._add(cpu, code, tid, urgency)

    def _switched_in(self, cpu: _Cpu, tid: int) -> None:
        self._end_interrupts(cpu)
        before, cpu.left, cpu.left_at = cpu.left, None, None
        if tid:
            self._leave_other_cpu(cpu, tid)
        if before is None and cpu.running is not None:
            before = cpu.running
            if self._survey.has_out:
                self.contradictions["a thread is switched in while one is in"] += 1
                self._mark(cpu)
        cpu.running = tid
        if before is None:
            # The previous thread is unknown: write a state instead of a switch.
            self._add(cpu, _RUNNING, 0, tid)
        elif before != tid:
            self._add(cpu, _SWITCH, before, tid)

    def _switched_out(self, cpu: _Cpu, tid: int) -> None:
        self._end_interrupts(cpu)
        if cpu.left is not None:
            if self._survey.has_in:
                self.contradictions["a thread is switched out while none is in"] += 1
                self._mark(cpu)
                self._add(cpu, _RUNNING, 0, tid)
            elif cpu.left_at is not None and cpu.left != tid:
                # Without switches in, a thread runs from the previous switch out to its own.
                place, then = cpu.left_at
                cpu.rows.insert(place, (self._head | _SWITCH, cpu.left, tid, then))
        elif cpu.running is not None and cpu.running != tid:
            self.contradictions["a thread is switched out that is not in"] += 1
            self._mark(cpu)
            self._add(cpu, _RUNNING, 0, tid)
        if tid in self._sleeping:
            self._sleeping.discard(tid)
            self._add(cpu, _SLEEPS, 0, tid)
        cpu.left, cpu.running = tid, None
        cpu.left_at = len(cpu.rows), self._now

    def _mark(self, cpu: _Cpu) -> None:
        """Mark a loss without forgetting the state."""
        cpu.rows.append((LOST, 0, 0, 0))

    def _leave_other_cpu(self, cpu: _Cpu, tid: int) -> None:
        for other in self.cpus.values():
            if other is not cpu and other.running == tid:
                self.contradictions["a thread is switched in on a second CPU"] += 1
                self._mark(other)
                other.running = None

    def _interrupt(self, cpu: _Cpu, name: str) -> None:
        if name == "isr_enter":
            cpu.depth += 1
            self._add(cpu, _ENTRY, 0, 0)
        elif cpu.depth:
            cpu.depth -= 1
            self._add(cpu, _EXIT, 0, name == "isr_exit_to_scheduler")
        else:
            self.contradictions["an interrupt ends that did not begin"] += 1

    def _end_interrupts(self, cpu: _Cpu) -> None:
        """End the open interrupts: a thread runs, or the CPU switches."""
        if cpu.depth:
            self.contradictions["an interrupt has no end"] += cpu.depth
        while cpu.depth:
            cpu.depth -= 1
            self._add(cpu, _EXIT, 0, 0)

    def _sleep(self, cpu: _Cpu, name: str, places: _Places, values: tuple[Value, ...]) -> None:
        """Note that the running thread begins or ends to sleep; it sleeps from its switch out."""
        if cpu.running is None:
            return
        if _SLEEP_ENTER.fullmatch(name) and (places.timeout is None or int(values[places.timeout])):
            self._sleeping.add(cpu.running)
        elif _SLEEP_EXIT.fullmatch(name):
            self._sleeping.discard(cpu.running)

    def _call(
        self, cpu: _Cpu, name: str, object_: int, places: _Places, values: tuple[Value, ...]
    ) -> None:
        call, kind = _CALLS[name]
        code = event_code(EventClass.KERCALL, call + kind)
        if kind == KercallKind.ENTER:
            timeout = 0 if places.timeout is None else int(values[places.timeout])
            self._add(cpu, code, object_, timeout)
            return
        result = 0 if places.ret is None else int(values[places.ret])
        if call == KercallCall.SYNC_MUTEX_LOCK and not result and cpu.running is not None:
            # The owner may lock a mutex several times; it is free after as many unlocks.
            self._locks[object_] = self._locks.get(object_, 0) + 1
            if self._locks[object_] == 1:
                self._add(cpu, _GRANTED, object_, cpu.running)
        elif call == KercallCall.SYNC_MUTEX_UNLOCK and object_ in self._locks:
            self._locks[object_] -= 1
            if not self._locks[object_]:
                del self._locks[object_]
                self._add(cpu, _UNLOCK, object_, cpu.running or 0)
        self._add(cpu, code, result, object_)

    def _raw(self, cpu: _Cpu, event: Event, places: _Places) -> None:
        """Add an event unchanged: as two words if its fields fit, else as all its bytes."""
        what = event.what
        code = event_code(ZEPHYR_CLASS, what.id % _NUMBERS)
        fields = event.values[places.fields :]
        is_short = len(fields) <= _SHORT_WORDS and what.fields.form.size <= 4 * len(fields)
        numbers = [value for value in fields if isinstance(value, int)]
        if is_short and len(numbers) == len(fields):
            data0, data1 = ([*numbers, 0, 0])[:_SHORT_WORDS]
            self._add(cpu, code, data0, data1)
        else:
            self._combine(cpu, code, event.raw)

    def _combine(self, cpu: _Cpu, code: int, payload: bytes) -> None:
        for header, data0, data1 in _combined(code, payload):
            self._add(cpu, header, data0, data1)


def _combined(code: int, payload: bytes) -> Iterator[tuple[int, int, int]]:
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


def _text(value: Value) -> bytes:
    return value.partition(b"\0")[0] if isinstance(value, bytes) else b""

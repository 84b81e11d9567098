"""Events of a system trace as events of a kernel: who has a core becomes switches and interrupts.

One line of a file reports a preempted task, another one the task that starts. Lines of equal time
are one context switch, or an interrupt that comes and goes. So the events of one moment are written
when the moment is over, or when an event occurs on that core.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    EventClass,
    IntEvent,
    IrqstateEvent,
    KercallCall,
    RunnableEvent,
    SchedEvent,
    SignalEvent,
    SyncEvent,
    ThreadEvent,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.formats.btf.lines import BtfEvent
    from tickertape.formats.btf.survey import Survey

_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_ACTIVATION: Final = event_code(EventClass.SCHED, SchedEvent.ACTIVATION)
_COMPLETION: Final = event_code(EventClass.SCHED, SchedEvent.COMPLETION)
_STIMULUS: Final = event_code(EventClass.SCHED, SchedEvent.STIMULUS)
_READY: Final = event_code(EventClass.THREAD, ThreadEvent.READY)
_SLEEPS: Final = event_code(EventClass.THREAD, ThreadEvent.NANOSLEEP)
_WAITS_EVENT: Final = event_code(EventClass.THREAD, ThreadEvent.SIGWAITINFO)
_WAITS_MUTEX: Final = event_code(EventClass.THREAD, ThreadEvent.MUTEX)
_WAITS_SEM: Final = event_code(EventClass.THREAD, ThreadEvent.SEM)
_ENTRY: Final = event_code(EventClass.INT, IntEvent.ENTRY)
_EXIT: Final = event_code(EventClass.INT, IntEvent.EXIT)
_GRANTED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_GRANTED)
_DENIED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_DENIED)
_UNLOCK: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)
_PERMIT: Final = event_code(EventClass.SYNC, SyncEvent.SEM_WAIT_GRANTED)
_NO_PERMIT: Final = event_code(EventClass.SYNC, SyncEvent.SEM_WAIT_BLOCKED)
_POST: Final = event_code(EventClass.SYNC, SyncEvent.SEM_SIGNAL)
_SPIN_LOCK: Final = event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_LOCK)
_SPIN_UNLOCK: Final = event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_UNLOCK)
_TIMEOUT: Final = event_code(EventClass.SYNC, SyncEvent.WAIT_TIMEOUT)
_YIELD: Final = event_code(EventClass.KERCALL, KercallCall.SCHED_YIELD)
_YIELD_EXIT: Final = _YIELD + 128
_RUNNABLE: Final = {
    "start": event_code(EventClass.RUNNABLE, RunnableEvent.BEGIN),
    "terminate": event_code(EventClass.RUNNABLE, RunnableEvent.END),
    "suspend": event_code(EventClass.RUNNABLE, RunnableEvent.SUSPEND),
    "resume": event_code(EventClass.RUNNABLE, RunnableEvent.RESUME),
}
_EVENT: Final = {
    "wait_event": event_code(EventClass.SYNC, SyncEvent.FLAGS_WAIT),
    "set_event": event_code(EventClass.SYNC, SyncEvent.FLAGS_SET),
    "clear_event": event_code(EventClass.SYNC, SyncEvent.FLAGS_CLEAR),
}
_SIGNAL: Final = {
    "read": event_code(EventClass.SIGNAL, SignalEvent.READ),
    "write": event_code(EventClass.SIGNAL, SignalEvent.WRITE),
}
_TAKES_CORE: Final = frozenset({"start", "resume", "poll_parking"})
_NOT_KEPT: Final = frozenset({"poll", "run"})
_EMPTY_STATES: Final = frozenset({"lock", "lock_used", "full", "overfull"})
_WORD: Final = 1 << 32
_HALF: Final = 1 << 31
_MOST_NOTES: Final = 100
# A refused try is indistinguishable from a request without a result in the file.
_IN_VAIN: Final = "requests for a semaphore without an answer"

Row = tuple[int, int, int, int, int]


@dataclass(slots=True)
class _Core:
    """One core.

    Attributes:
        bottom: the thread that was switched to last, on the tape; 0 idle.
        interrupts: those that were entered and not left, on the tape.
        thread: who has the core, by the file, as far as it is a task; 0 for none.
        changed: time at which a process left the core, None when the tape contains it.
    """

    bottom: int = 0
    interrupts: list[int] = field(default_factory=list)
    thread: int = 0
    changed: int | None = None


@dataclass(slots=True)
class _Semaphore:
    """What is known of a semaphore: permits that are left, who has or wants it."""

    left: int = 0
    owner: int = 0
    is_released: bool = False
    handed: int = 0  # permits granted to waiters that have not reported it yet


class Converter:
    """Takes the events of a file.

    Attributes:
        rows: what they became: time, CPU, class << 10 | event, two words. The consumer
            puts an empty list there.
        left_out: what could not be kept, and how often.
        notes: texts of the file for people.
    """

    def __init__(self, survey: Survey) -> None:
        """Begin with nothing known."""
        self.rows: list[Row] = []
        self.left_out: Counter[str] = Counter()
        self.notes: list[str] = []
        self._survey = survey
        self._takers: dict[str, Callable[[BtfEvent], None]] = {
            "T": self._task,
            "I": self._interrupt,
            "R": self._runnable,
            "STI": self._stimulus,
            "SEM": self._semaphore,
            "EVENT": self._os_event,
            "SIG": self._signal,
            "SCHED": self._scheduler,
            "SIM": self._simulation,
            "SYS": self._simulation,
        }
        self._asked: dict[str, str] = {}  # semaphores, by who has asked for them last
        self.forget()
        self._time = 0

    def forget(self) -> None:
        """What was known does not hold any more: records are missing, or the file has ended."""
        self.left_out[_IN_VAIN] += len(self._asked)
        self._cores: dict[int, _Core] = {}
        self._cpu_of: dict[str, int] = {}
        self._reasons: dict[str, int] = {}
        self._asked.clear()
        self._waits_for: dict[str, str] = {}  # likewise, and waits
        self._semaphores: dict[str, _Semaphore] = {}

    def take(self, event: BtfEvent) -> None:
        """Take the next event."""
        if event.time != self._time:
            self.finish()
            self._time = event.time
        self._source, type_, self._target = self._survey.resolved(event)
        taker = self._takers.get(type_)
        known = self._survey.types.get(self._target, type_)
        if taker is None or (known != type_ and type_ not in {"SIM", "SYS"}):
            self.left_out[f"events of type {type_[:20]}"] += 1
            return
        taker(event)

    def finish(self) -> None:
        """End of a time stamp: write the switches of each core."""
        for cpu, core in self._cores.items():
            if core.changed is not None:
                self._settle(cpu, core)

    def _settle(self, cpu: int, core: _Core) -> None:
        """Write a switch to the thread on a core, unless interrupts are on top of it."""
        if core.interrupts:
            return
        if core.bottom != core.thread:
            time = self._time if core.changed is None else core.changed
            self.rows.append((time, cpu, _SWITCH, core.bottom, core.thread))
            core.bottom = core.thread
        core.changed = None

    def _say(self, cpu: int, code: int, word0: int, word1: int) -> None:
        self.rows.append((self._time, cpu, code, word0 % _WORD, word1 % _WORD))

    def _core(self, event: BtfEvent) -> tuple[int, _Core]:
        """Return the core that an event of a process is about."""
        cpu = self._survey.cores.get(self._source)
        if cpu is None:
            cpu = self._cpu_of.get(self._target, self._cpu_of.get(self._source, 0))
        if event.event in _TAKES_CORE or self._target not in self._cpu_of:
            self._cpu_of[self._target] = cpu
        return cpu, self._cores.setdefault(cpu, _Core())

    def _cpu(self) -> int:
        """Return the CPU of who does something."""
        return self._cpu_of.get(self._source, 0)

    def _number(self) -> int:
        return self._survey.numbers[self._target]

    def _task(self, event: BtfEvent) -> None:
        tid = self._number()
        if event.event == "activate":
            cpu = self._cpu_of.get(self._target, 0)
            self._say(cpu, _ACTIVATION, tid, (event.instance or 0) + 1)
            self._say(cpu, _READY, 0, tid)
            return
        if event.event in _NOT_KEPT or event.event.endswith(("migration", "exceeded")):
            self.left_out[f"{event.event} of a task"] += 1
            return
        cpu, core = self._core(event)
        if event.event in _TAKES_CORE:
            core.thread = tid
            self._settle(cpu, core)
        elif event.event in {"release", "release_parking"}:
            self._check_gave_up(cpu, tid)
            self._say(cpu, _READY, 0, tid)
        elif event.event in {"preempt", "park", "wait", "terminate"}:
            self._leave(event, cpu, core, tid)
        else:
            self.left_out[f"{event.event[:20]} of a task"] += 1

    def _check_gave_up(self, cpu: int, tid: int) -> None:
        """A task waits no longer: because it got what it waited for, or without it."""
        wanted = self._waits_for.get(self._target)
        if wanted is None:
            return
        one = self._semaphores[wanted]
        if one.handed:
            one.handed -= 1  # it reports this itself when it runs
            return
        del self._waits_for[self._target]
        self._say(cpu, _TIMEOUT, self._survey.numbers[wanted], tid)

    def _leave(self, event: BtfEvent, cpu: int, core: _Core, tid: int) -> None:
        if event.event == "wait":
            self._say(cpu, self._reasons.pop(self._target, _SLEEPS), 0, tid)
        elif event.event == "terminate":
            self._say(cpu, _COMPLETION, tid, (event.instance or 0) + 1)
            self._say(cpu, _SLEEPS, 0, tid)
        if core.thread == tid:
            core.thread = 0
        core.changed = self._time

    def _interrupt(self, event: BtfEvent) -> None:
        irq = self._number()
        if event.event in {"activate", "preempt", "resume"}:
            return  # implied by its entry, and by that of the interrupting one
        cpu, core = self._core(event)
        if event.event == "start":
            self._say(cpu, _ENTRY, irq, 0)
            core.interrupts.append(irq)
        elif event.event == "terminate":
            self._say(cpu, _EXIT, irq, 0)
            if irq in core.interrupts:
                del core.interrupts[core.interrupts.index(irq) :]
            core.changed = self._time
        else:
            self.left_out[f"{event.event[:20]} of an interrupt"] += 1

    def _runnable(self, event: BtfEvent) -> None:
        code = _RUNNABLE.get(event.event)
        if code is None:
            self.left_out[f"{event.event[:20]} of a runnable"] += 1
            return
        self._say(self._cpu(), code, self._number(), event.instance or 0)

    def _stimulus(self, event: BtfEvent) -> None:
        # The activation contains its cause.
        if self._target not in self._survey.activating:
            self._say(self._cpu(), _STIMULUS, self._number(), event.instance or 0)

    def _os_event(self, event: BtfEvent) -> None:
        code = _EVENT.get(event.event)
        if code is None:
            self.left_out[f"{event.event[:20]} of an event"] += 1
            return
        if event.event == "wait_event":
            self._reasons[self._source] = _WAITS_EVENT
        self._say(self._cpu(), code, self._number(), 1)

    def _signal(self, event: BtfEvent) -> None:
        code = _SIGNAL.get(event.event)
        try:
            value = int(event.note or "x")
        except ValueError:
            value = _WORD
        if code is None or not -_HALF <= value < _WORD:
            self.left_out["signals without a value of 32 bits"] += 1
            return
        self._say(self._cpu(), code, self._number(), value)

    def _scheduler(self, event: BtfEvent) -> None:
        if event.event == "schedulepoint":
            self._say(self._cpu(), _YIELD, 0, 0)
            self._say(self._cpu(), _YIELD_EXIT, 0, 0)

    def _simulation(self, event: BtfEvent) -> None:
        if event.note and len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{event.event} of {self._source}: {event.note}")

    def _semaphore(self, event: BtfEvent) -> None:
        one = self._semaphores.setdefault(self._target, _Semaphore())
        if event.event == "requestsemaphore":
            self.left_out[_IN_VAIN] += self._source in self._asked
            self._asked[self._source] = self._target
        elif event.event == "assigned":
            self._reasons.pop(self._source, None)
            self._waits_for.pop(self._source, None)
            self._asked.pop(self._source, None)
        elif event.event == "waiting":
            if self._asked.pop(self._source, None) != self._target:
                self.left_out["waiting for a semaphore without a request"] += 1
                return
            self._waits_for[self._source] = self._target
        if self._target in self._survey.spinning:
            code = {"assigned": _SPIN_LOCK, "released": _SPIN_UNLOCK}.get(event.event)
            if code is not None:
                self._say(self._cpu(), code, self._number(), 0)
            return
        take = self._counted if self._target in self._survey.counting else self._mutex
        take(event, one, self._survey.numbers.get(self._source, 0))

    def _mutex(self, event: BtfEvent, one: _Semaphore, process: int) -> None:
        if event.event == "assigned":
            self._say(self._cpu(), _GRANTED, self._number(), process)
            one.owner = process
        elif event.event == "waiting":
            self._say(self._cpu(), _DENIED, self._number(), one.owner)
            self._reasons[self._source] = _WAITS_MUTEX
        elif event.event == "released":
            self._say(self._cpu(), _UNLOCK, self._number(), process)
            one.owner = 0

    def _counted(self, event: BtfEvent, one: _Semaphore, process: int) -> None:
        if event.event == "assigned":
            self._say(self._cpu(), _PERMIT, self._number(), one.left)
        elif event.event == "waiting":
            self._say(self._cpu(), _NO_PERMIT, self._number(), process)
            self._reasons[self._source] = _WAITS_SEM
        elif event.event == "released":
            one.is_released = True
            self._releaser = self._cpu()
        elif self._source == self._target and event.event != "queued":
            limit = self._survey.limits.get(self._target)
            count = int(event.note) if event.note and event.note.isdecimal() else None
            if event.event in _EMPTY_STATES:
                one.left = 0
            elif limit is None or count is None:
                # How many are left is unknown: one more than before, or one less, but some.
                one.left = max(one.left + (1 if one.is_released else -1), 1)
            else:
                one.left = max(limit - count, 1)
            if one.is_released:
                self._say(self._releaser, _POST, self._number(), one.left)
                one.handed += one.left == 0
                one.is_released = False

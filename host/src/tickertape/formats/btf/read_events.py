"""Converts events of a system trace to kernel events; changes of a core's owner become switches.

A file reports the preempted task and the starting task on separate lines. On a tape, such lines of
equal time are one context switch, or the entry or exit of an interrupt. The converter therefore
writes the switch of a core at the end of the time stamp, or before the next event on this core.

A thread on a tape executes one instance after another. An instance that overlaps an earlier
instance of its task becomes another thread.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.formats.btf.read_locks import WORD, Locks
from tickertape.formats.btf.read_parts import Activations, Core, Trigger
from tickertape.formats.btf.survey import slot_name
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    EventClass,
    IntEvent,
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
_REFUSAL: Final = event_code(EventClass.SCHED, SchedEvent.REFUSAL)
_COMPLETION: Final = event_code(EventClass.SCHED, SchedEvent.COMPLETION)
_STIMULUS: Final = event_code(EventClass.SCHED, SchedEvent.STIMULUS)
_TIMER: Final = event_code(EventClass.SCHED, SchedEvent.TIMER)
_RUNNING: Final = event_code(EventClass.THREAD, ThreadEvent.RUNNING)
_READY: Final = event_code(EventClass.THREAD, ThreadEvent.READY)
_SLEEPS: Final = event_code(EventClass.THREAD, ThreadEvent.NANOSLEEP)
_WAITS_EVENT: Final = event_code(EventClass.THREAD, ThreadEvent.SIGWAITINFO)
_REQUEST: Final = event_code(EventClass.INT, IntEvent.REQUEST)
_ENTRY: Final = event_code(EventClass.INT, IntEvent.ENTRY)
_EXIT: Final = event_code(EventClass.INT, IntEvent.EXIT)
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
_LEAVES_CORE: Final = frozenset({"preempt", "park", "wait", "terminate"})
_IMPLIED: Final = frozenset({"preempt", "resume", "park", "poll_parking"})
_HALF: Final = 1 << 31
_MOST_NOTES: Final = 100
# Events to report as left out; switches, activations and completions contain the others.

Key = tuple[str, int | None]


class Converter(Locks):
    """Converts the events of a file.

    Attributes:
        notes: remarks in the file, at most 100.
    """

    def __init__(self, survey: Survey) -> None:
        """Create a converter for the entities of a survey, without known states."""
        super().__init__(survey)
        self.notes: list[str] = []
        self._first = min(survey.cores.values(), default=0)  # for an unknown CPU
        numbers, is_irq = survey.numbers, {name for name, it in survey.types.items() if it == "I"}
        self._name_of = {numbers[name]: name for name in numbers.keys() - is_irq}  # of threads
        self._irq_name_of = {numbers[name]: name for name in is_irq}
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
        self.forget()

    def forget(self, *, is_loss: bool = False) -> None:
        """Forget all states: records are missing, the target was reset, or the file has ended."""
        self.forget_locks(is_loss=is_loss)
        self._cores: dict[int, Core] = {}
        self._cpu_of: dict[str, int] = {}  # CPU, by thread or interrupt
        self._moved: dict[str, tuple[int, int]] = {}  # time and CPU a thread left without an event
        self._alive: Counter[str] = Counter()  # number of activated instances that have not ended
        self._activations: dict[str, Activations] = {}  # by thread
        self._asking: dict[str, None] = {}  # interrupts activated at this time and not started
        self._unparked: dict[str, int] = {}  # time at which parked interrupts stopped polling
        self._requested: set[str] = set()  # interrupts whose request is on the tape
        self._triggers: dict[str, Trigger] = {}  # last trigger, by stimulus
        self._schedules = 0  # schedule events at this time without a switch

    def forget_cpu(self, cpu: int) -> None:
        """Forget the states of one CPU and its processes, because records of it are missing."""
        self._cores.pop(cpu, None)
        self._requested.clear()
        for process in [one for one, last in self._cpu_of.items() if last == cpu]:
            del self._cpu_of[process]
            self._alive.pop(process, None)
            self.forget_process(process)

    def take(self, event: BtfEvent) -> None:
        """Convert the next event."""
        if event.time != self._time:
            self.finish()
            self._time = event.time
        self._instance = event.source_instance or 0
        self._source, type_, self._target = self._survey.resolved(event)
        self._actor = self._thread_of(self._source, event.source_instance)
        taker = self._takers.get(type_)
        known = self._survey.types.get(self._target, type_)
        if taker is None or (known != type_ and type_ not in {"SIM", "SYS"}):
            self.left_out[f"events of type {type_[:20]}"] += 1
            return
        taker(event)

    def finish(self) -> None:
        """Write requests of interrupts and the switches of each core at the end of a time stamp."""
        for name in self._asking:
            self._request(name)
        self._asking.clear()
        self.finish_locks()
        for cpu, core in self._cores.items():
            if core.changed is not None:
                self._settle(cpu, core)
        if self._schedules:
            self.left_out["schedule without a switch"] += self._schedules
        self._schedules = 0
        self.moment.end()

    def _thread_of(self, name: str, instance: int | None) -> str:
        """Return the key of the thread that executes an instance of a task."""
        slot = self._survey.slots.get((name, instance)) if self._survey.slots else None
        return name if slot is None else slot_name(name, slot)

    def _settle(self, cpu: int, core: Core) -> None:
        """Write a switch to the thread on a core, unless interrupts are on top of it."""
        if core.interrupts:
            return
        if core.has_ended and core.bottom == core.thread:
            self._switch(cpu, core, 0)  # the thread left the core and has it again
        if core.bottom != core.thread:
            self._switch(cpu, core, core.thread)
        core.changed, core.has_ended = None, False

    def _quit(self, cpu: int, tid: int) -> None:
        """Write that a core loses its thread to another core; interrupts do not return to it."""
        core = self._cores[cpu]
        if core.interrupts and core.bottom == tid:
            core.changed = self._time
            self._switch(cpu, core, 0)
        elif core.changed is not None:
            self._settle(cpu, core)

    def _switch(self, cpu: int, core: Core, following: int) -> None:
        time = self._time if core.changed is None else core.changed
        names = [self._name_of[tid] for tid in (core.bottom, following) if tid]
        place = self.moment.place(cpu, names)
        self.rows.append((time, place, cpu, _SWITCH, core.bottom, following))
        core.bottom, core.is_seen = following, True
        self._schedules = max(0, self._schedules - 1)

    def _core(self, event: BtfEvent, thread: str) -> tuple[int, Core]:
        """Return number and state of the core to which an event of a process applies."""
        cpu = self._survey.cores.get(self._source)
        if cpu is None:
            cpu = self._cpu_of.get(thread, self._cpu_of.get(self._source, self._first))
        if event.event in _TAKES_CORE or thread not in self._cpu_of:
            self._cpu_of[thread] = cpu
        return cpu, self._cores.setdefault(cpu, Core())

    def _cpu(self) -> int:
        """Return the CPU of the source of the current event."""
        cpu = self._cpu_of.get(self._actor)
        if cpu is None and self._actor in self._survey.starts:
            return self._appear()
        return self._survey.cores.get(self._source, self._first) if cpu is None else cpu

    def _appear(self) -> int:
        """Put a process that ran at the begin of the trace on its core; return the CPU."""
        name = self._actor
        cpu = self._survey.cores.get(self._survey.starts[name], 0)
        self._cpu_of[name] = cpu
        core = self._cores.setdefault(cpu, Core())
        if self._survey.types.get(name) == "T" and not (core.is_seen or core.thread):
            core.bottom = core.thread = self._survey.numbers[name]
            core.is_seen = True
            place = self.moment.place(cpu, (name,))
            self.rows.append((self._time, place, cpu, _RUNNING, 0, core.thread))
        return cpu

    def _numbers(self, thread: str) -> Activations:
        return self._activations.setdefault(thread, Activations())

    def _is_on_core(self, process: str) -> bool:
        core = self._cores.get(self._cpu_of.get(process, -1))
        tid = self._survey.numbers.get(process, 0)
        type_ = self._survey.types.get(process, "T")
        if core is not None and type_ == "I":
            return core.interrupts[-1:] in ([], [tid])
        return core is None or type_ != "T" or core.thread == tid

    def _number(self) -> int:
        return self._survey.numbers[self._target]

    def _task(self, event: BtfEvent) -> None:
        thread = self._thread_of(self._target, event.instance)
        tid = self._survey.numbers[thread]
        if event.event in {"activate", "mtalimitexceeded"}:
            self._activate(event, thread, tid)
            return
        if event.event.endswith("migration"):
            self.left_out[f"{event.event} of a task"] += 1
            return
        last = self._cpu_of.get(thread)
        cpu, core = self._core(event, thread)
        if last is not None and last != cpu and self._cores[last].thread == tid:
            if self._moved.get(thread) == (self._time, cpu):
                return  # `_correct` already removed it from this core at this time
            cpu, core = self._correct(event, thread, last, cpu)
        if event.event in _TAKES_CORE:
            self._take_core(cpu, core, thread, last)
        elif event.event == "poll":
            self._poll(cpu, thread)
        elif event.event in {"run", "release_parking"}:
            self._stop_polling(event, cpu, core, thread)
        elif event.event == "release":
            self._check_gave_up(cpu, thread)
            self._say(cpu, _READY, 0, tid)
        elif event.event in _LEAVES_CORE:
            self._leave(event, cpu, core, thread)
        else:
            self.left_out[f"{event.event[:20]} of a task"] += 1

    def _correct(self, event: BtfEvent, thread: str, last: int, cpu: int) -> tuple[int, Core]:
        """Resolve an event of a task that has not left another core; return the event's core.

        If the event takes a core, the task first leaves core `last`. If the event leaves a core,
        that core is `last`.
        """
        self.left_out["events of a task on another core than it is on"] += 1
        if event.event in _TAKES_CORE:
            self._cores[last].thread, self._cores[last].changed = 0, self._time
            self._moved[thread] = self._time, last
        elif event.event in _LEAVES_CORE:
            cpu = last
        return cpu, self._cores[cpu]

    def _take_core(self, cpu: int, core: Core, thread: str, last: int | None) -> None:
        tid = self._survey.numbers[thread]
        if last is not None and last != cpu:
            self._quit(last, tid)
        if core.thread not in {0, tid}:
            self.left_out["tasks on a core that another one has: that one leaves it"] += 1
        self._alive[thread] = max(1, self._alive[thread])
        core.thread = tid
        self._settle(cpu, core)
        self._report_permit(cpu, thread)

    def _stop_polling(self, event: BtfEvent, cpu: int, core: Core, thread: str) -> None:
        if core.changed is not None and event.event == "release_parking":
            self._settle(cpu, core)  # the task was parked at this time
        self._end_poll(cpu, thread)

    def _activate(self, event: BtfEvent, thread: str, tid: int) -> None:
        """Write an activation of a task, or its refusal if the task has too many."""
        cpu, numbers = self._cause(self._cpu_of.get(thread, self._first)), self._numbers(thread)
        if event.event == "mtalimitexceeded":
            self._say(cpu, _REFUSAL, tid, numbers.last)
            return
        self._alive[thread] += 1
        self._say(cpu, _ACTIVATION, tid, numbers.begin(event.instance or 0))
        self._say(cpu, _READY, 0, tid)

    def _leave(self, event: BtfEvent, cpu: int, core: Core, thread: str) -> None:
        tid = self._survey.numbers[thread]
        if event.event == "wait":
            self._say(cpu, self._reasons.pop(thread, _SLEEPS), 0, tid)
        elif event.event == "terminate":
            self._say(cpu, _COMPLETION, tid, self._numbers(thread).end(event.instance or 0))
            self._alive[thread] = max(0, self._alive[thread] - 1)
            if not self._alive[thread]:  # else the next instance begins when it gets the core
                self._say(cpu, _SLEEPS, 0, tid)
        if core.thread == tid:
            core.thread = 0
        core.changed = self._time
        core.has_ended |= event.event in {"terminate", "wait"}

    def _interrupt(self, event: BtfEvent) -> None:
        irq = self._number()
        if event.event == "activate" or event.event in _IMPLIED:
            if event.event == "activate":
                self._asking[self._target] = None
            return  # the tape implies it by entries and exits of interrupts
        cpu, core = self._core(event, self._target)
        if event.event == "start":
            self._asking.pop(self._target, None)
            self._requested.discard(self._target)
            if core.has_ended:
                self._settle(cpu, core)
            self._say(cpu, _ENTRY, irq, 0)
            core.interrupts.append(irq)
        elif event.event == "terminate":
            self._end_interrupt(cpu, core, irq)
        elif event.event == "release_parking":
            self._unparked[self._target] = self._time
        elif event.event == "poll":
            self._poll(cpu, self._target)
        elif event.event == "run":
            self._end_poll(cpu, self._target)
        else:
            self.left_out[f"{event.event[:20]} of an interrupt"] += 1

    def _end_interrupt(self, cpu: int, core: Core, irq: int) -> None:
        if self._target in self._runs:
            self._run(self._target, self._runs.pop(self._target))
        self._say(cpu, _EXIT, irq, 0)
        if irq in core.interrupts:
            del core.interrupts[core.interrupts.index(irq) :]
        core.changed = self._time
        if core.interrupts:
            self._go_on(cpu, self._irq_name_of[core.interrupts[-1]])

    def _go_on(self, cpu: int, name: str) -> None:
        """Write the permit and the end of polling that an interrupt got while interrupted."""
        self._report_permit(cpu, name)
        unparked = self._unparked.pop(name, None)
        if unparked is not None:
            self.left_out["times at which parked interrupts stop polling"] += unparked != self._time
            self._end_poll(cpu, name)

    def _request(self, name: str) -> None:
        """Write the request of an interrupt that was activated and did not start at this time."""
        cores = self._survey.served.get(name, set())
        cpu = self._survey.cores.get(next(iter(cores), ""), self._first)
        irq = self._survey.numbers[name]
        is_busy = irq in self._cores.setdefault(cpu, Core()).interrupts
        if len(cores) > 1 or is_busy or name in self._requested:
            self.left_out["activations of interrupts before they start"] += 1
            return
        self._requested.add(name)
        place = self.moment.place(cpu, (name,))
        self.rows.append((self._time, place, cpu, _REQUEST, irq, 0))

    def _runnable(self, event: BtfEvent) -> None:
        code = _RUNNABLE.get(event.event)
        if code is None:
            self.left_out[f"{event.event[:20]} of a runnable"] += 1
            return
        self._say(self._cpu(), code, self._number(), event.instance or 0)

    def _stimulus(self, event: BtfEvent) -> None:
        if event.note:
            self.left_out["notes of stimuli"] += 1
        is_caused = self._survey.types.get(self._source) in {"T", "I"}
        trigger = Trigger(self._time, self._cpu() if is_caused else None)
        if self._target in self._survey.stimulating:
            self._triggers[self._target] = trigger  # written with the event that it causes
        elif trigger.cpu is None:
            self._say(self._cpu(), _TIMER, self._number(), (event.instance or 0) + 1)
        else:
            self._say(trigger.cpu, _STIMULUS, self._number(), event.instance or 0)

    def _cause(self, cpu: int) -> int:
        """Write the stimulus before the event that it causes; return the CPU of both.

        Args:
            cpu: CPU for stimuli from time or hardware; a stimulus by a process has its CPU.
        """
        if self._survey.types.get(self._source) != "STI":
            return cpu
        trigger = self._triggers.get(self._source, Trigger(self._time, None))
        if trigger.time != self._time:
            self.left_out["times of stimuli before what they cause"] += 1
        number = self._survey.numbers[self._source]
        if trigger.cpu is None:
            self._say(cpu, _TIMER, number, self._instance + 1)
        else:
            cpu = trigger.cpu
        self._say(cpu, _STIMULUS, number, self._instance)
        return cpu

    def _os_event(self, event: BtfEvent) -> None:
        code = _EVENT.get(event.event)
        if code is None:
            self.left_out[f"{event.event[:20]} of an event"] += 1
            return
        if event.event == "wait_event":
            self._reasons[self._actor] = _WAITS_EVENT
        self._say(self._cause(self._cpu()), code, self._number(), 1, other=event.note or "")

    def _signal(self, event: BtfEvent) -> None:
        code = _SIGNAL.get(event.event)
        try:
            value = int(event.note or "x")
        except ValueError:
            value = WORD
        if code is None or not -_HALF <= value < WORD:
            self.left_out["signals without a value of 32 bits"] += 1
            return
        self._say(self._cause(self._cpu()), code, self._number(), value)

    def _scheduler(self, event: BtfEvent) -> None:
        if event.event == "schedulepoint":
            self._say(self._cpu(), _YIELD, 0, 0)
            self._say(self._cpu(), _YIELD_EXIT, 0, 0)
        elif event.event == "schedule":
            self._schedules += 1
        else:
            self.left_out[f"{event.event} of a scheduler"] += 1

    def _simulation(self, event: BtfEvent) -> None:
        if event.note and len(self.notes) < _MOST_NOTES:
            self.notes.append(f"{event.event} of {self._source}: {event.note}")
        elif event.note:
            self.left_out[f"remarks beyond {_MOST_NOTES}"] += 1

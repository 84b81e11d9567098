"""Follow processes and cores event by event, with their runnables and shared objects.

A table maps each event type to its method. `system` describes input and output; `jobs` and
`objects` contain the base classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.model.entities import Kind
from tickertape.model.jobs import Jobs
from tickertape.model.parts import UNKNOWN_PROCESS, Core, Process
from tickertape.model.running_evidence import EVIDENCE
from tickertape.model.threads import IDLE
from tickertape.model.transitions import (
    NO_ENTITY,
    ON_CORE,
    Action,
    State,
)
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    EventClass,
    IntEvent,
    KercallCall,
    RunnableEvent,
    SchedEvent,
    SystemEvent,
    ThreadEvent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.names import Names
    from tickertape.model.transitions import Fields

_LAST_STATE: Final = 20
_STIMULI: Final = {
    event_code(EventClass.SCHED, SchedEvent.STIMULUS),
    event_code(EventClass.SCHED, SchedEvent.TIMER),
}
ALL_CPUS: Final = 64
"""CPU number for `Follower.lose`: records of all CPUs are missing."""


class Follower(Jobs):
    """State of all entities in one boot; `found` collects the transitions.

    Attributes:
        handlers: handler of each event type, by class << 10 | event; the model ignores all others.
        found: transitions since `begin_chunk`.
        lost: times in ticks of transitions that lie before their event, by their index in `found`.
    """

    def __init__(self, entities: Entities) -> None:
        """Start with nothing known."""
        super().__init__(entities)
        self.handlers = self._table() | self._object_table()

    def begin_chunk(self) -> None:
        """Start a chunk without transitions; the caller has taken the previous ones."""
        self.found: list[Fields] = []
        self.lost: dict[int, int] = {}

    def begin_boot(self, names: Names, *, whole: bool) -> None:
        """Start a boot of the target; `whole`: no record is missing since its start."""
        self._names = names
        self._is_whole = whole

    def take(
        self, row: int, code: int, cpu: int, data0: int, data1: int, columns: EventColumns
    ) -> None:
        """Process one event that has a handler."""
        self._row, self._cpu, self._columns, self._code = row, cpu, columns, code
        if code in EVIDENCE and cpu in self._cores and self._cores[cpu].left:
            self._prove(code, (data0, data1))
        self.handlers[code](data0, data1)
        if cpu in self._cores:
            self._observe(self._cores[cpu])
        if code not in _STIMULI:
            self._forget_stimuli(cpu)

    def lose(self, row: int, cpu: int, ticks: int | None) -> None:
        """Note missing records of a CPU, or of ALL_CPUS: before `row`, since `ticks`."""
        self._row, self._cpu, self._is_whole = row, cpu % ALL_CPUS, False
        for thread in self._threads.values():
            thread.is_behind_gap = True
        for one in range(ALL_CPUS) if cpu == ALL_CPUS else (cpu,):
            self._forget_stimuli(one)
        self._lose(ticks, lambda core: cpu in {core.number, ALL_CPUS})

    def reset(self) -> None:
        """Note a reset of the target: lose all processes and objects."""
        self._row = 0
        self._lose(None, lambda _core: True)
        self._threads.clear()
        self._cores.clear()
        self._interrupts.clear()
        self._locks.clear()
        self._stimuli.clear()
        self._expired.clear()
        self._created.clear()
        self._ended.clear()

    def _lose(self, ticks: int | None, is_affected: Callable[[Core], bool]) -> None:
        begin = len(self.found)
        known = set()
        for core in self._cores.values():
            if not is_affected(core):
                # The stack may still contain a process that another CPU has switched to.
                known |= {id(one) for one in core.stack if one is not None and one.core is core}
        for process in [*self._threads.values(), *self._interrupts.values()]:
            if id(process) not in known:
                self._lose_process(process)
        for _, core in sorted(self._cores.items()):
            if is_affected(core):
                core.forget()
                self._observe(core)
        self._lose_objects()
        if ticks is not None:
            self._backdate(begin, ticks)

    def _backdate(self, begin: int, ticks: int) -> None:
        self.lost |= dict.fromkeys(range(begin, len(self.found)), ticks)

    # Processes on cores --------------------------------------------------------------------

    def _on_switch(self, prev: int, following: int) -> None:
        core = self._core()
        unknown = State.UNKNOWN
        scheduler = self._other(Kind.SCHEDULER, self._cpu)
        self._add(Action.SCHEDULE, scheduler, unknown, unknown, None)
        bottom = core.stack[0]
        if bottom is UNKNOWN_PROCESS:
            if prev != IDLE:
                self._preempt(self._thread(prev))
        elif bottom is not None and bottom.core is core and len(core.stack) == 1:
            begin, is_running = len(self.found), bottom.state in ON_CORE
            if self._threads.get(prev) is bottom:
                self._switch_out(bottom)
            else:  # switches are missing without a gap, at the earliest since this process runs
                self._lose_process(bottom)
                if is_running:
                    self._backdate(begin, core.since)
        core.is_idle, core.left = following == IDLE, 0
        next_ = None if core.is_idle else self._living(following)
        if next_ is not None and next_.state is State.CREATED:
            self._start_life(next_)
        if len(core.stack) > 1:
            core.stack[0] = next_  # it runs when the interrupts end
        else:
            core.stack[:] = [next_]
            if next_ is not None:
                self._run(next_, core)

    def _on_interrupt(self, irq: int, _ip: int) -> None:
        core = self._core()
        request = self._other(Kind.REQUEST, irq)
        if core.top is not None:
            self._preempt(core.top)
        process = self._interrupt(irq)
        if process in core.stack:
            # Its exit is missing, and so are the exits of the interrupts that interrupted it.
            self._lose_stack(core, core.stack.index(process))
        process.core = core
        if process.state is not State.ACTIVE:
            self._activate(process, self._trigger(request, None))
        core.stack.append(process)
        self._run(process, core)

    def _on_request(self, irq: int, _unused: int) -> None:
        process = self._interrupt(irq)
        if process.state in {State.TERMINATED, State.UNKNOWN}:
            self._activate(process, self._trigger(self._other(Kind.REQUEST, irq), None))

    def _lose_stack(self, core: Core, first: int) -> None:
        """Lose the processes in a core's stack from index `first` on."""
        while len(core.stack) > first:
            process = core.stack.pop()
            if process is not None and process is not UNKNOWN_PROCESS:
                self._lose_process(process)

    def _interrupt(self, irq: int) -> Process:
        key = irq << 8 | self._cpu
        found = self._interrupts.get(key)
        if found is None:
            entity = self._other(Kind.INTERRUPT, irq)
            found = self._interrupts[key] = Process(entity)
        return found

    def _on_interrupt_end(self, irq: int, _inkernel: int) -> None:
        core = self._core()
        process = self._interrupt(irq)
        if process not in core.stack:
            # Its entry is missing, and the process that it interrupted is unknown.
            self._lose_stack(core, 0)
            if process.state is State.ACTIVE:
                self._lose_process(process)
            process.core = core
            self._end(process)
            core.forget()
            return
        while core.stack[-1] is not process:
            inner = core.stack.pop()
            if inner is not None:
                self._end(inner)
        core.stack.pop()
        self._end(process)
        self._note_interrupt_end()
        below = core.top
        if below is not None and below.state in {State.READY, State.ACTIVE, State.PARKING}:
            self._run(below, core)

    # Life and states of threads ----------------------------------------------------------------

    def _on_ready(self, _pid: int, tid: int) -> None:
        if tid == IDLE:
            return
        thread = self._living(tid)
        thread.event, thread.relock = NO_ENTITY, None
        thread.is_stopped = False
        self._note_quiet(tid, thread)
        if thread.state is not State.SUSPENDED and self._begin_due(thread):
            return
        if thread.state is State.SUSPENDED:
            self._continue(thread)
        elif thread.state is State.CREATED:
            self._start_life(thread)
        elif thread.state is State.WAITING:
            self._process(Action.RELEASE, thread, State.READY)
        elif thread.state is State.UNKNOWN:
            thread.is_vague = True
            self._process(Action.FOUND, thread, State.READY)
        elif thread.state is State.TERMINATED and thread.is_periodic and not thread.is_unsure:
            self._begin_without_job(thread)
        elif thread.queue.count:
            thread.is_queued = True  # the next instance becomes ready, not the running thread

    def _on_running(self, _pid: int, tid: int) -> None:
        """Set the thread that runs on this CPU, from a state dump."""
        core = self._core()
        if core.stack[0] is not UNKNOWN_PROCESS:
            return
        core.is_idle = tid == IDLE
        thread = core.stack[0] = None if core.is_idle else self._living(tid)
        is_interrupted = len(core.stack) > 1
        if thread is None or (is_interrupted and thread.state is not State.UNKNOWN):
            return
        self._place(thread, core)
        if thread.state is State.CREATED:
            self._start_life(thread)
        if thread.state is State.UNKNOWN:
            state = State.READY if is_interrupted else State.RUNNING
            self._process(Action.FOUND, thread, state)
        else:
            self._run(thread, core)

    def _on_blocked(self, _pid: int, tid: int) -> None:
        if tid == IDLE:
            return
        thread, state = self._living(tid), self._code & 0x3FF
        thread.is_created = False  # a new thread would be ready
        self._line_up(thread, state)
        core = self._core()
        is_top = core.top is thread
        if thread.state is State.POLLING and is_top:
            self._end_poll(thread)
        if thread.state is State.RUNNING and is_top:
            self._stop_runnables(thread, Action.SUSPEND, State.SUSPENDED)
            self._wait(thread, state)
        elif thread.state in {State.UNKNOWN, State.CREATED}:
            thread.is_vague = True
            # A sleeping thread may have no instance: a periodic thread sleeps between two of them.
            if state != ThreadEvent.NANOSLEEP:
                self._process(Action.FOUND, thread, State.WAITING, value=state)
        elif thread.state is not State.TERMINATED:
            return
        if is_top:
            self._leave_core(core, tid)

    def _wait(self, thread: Process, state: int) -> None:
        thread.is_vague = False
        wanted = thread.event if thread.wanted is None else thread.wanted.entity
        self._process(Action.WAIT, thread, State.WAITING, object_=wanted, value=state)

    def _on_yield(self, _arg0: int, _arg1: int) -> None:
        if self._running() is not None:
            self._note(Action.SCHEDULE_POINT, self._other(Kind.SCHEDULER, self._cpu))

    def _table(self) -> dict[int, Callable[[int, int], None]]:
        """Return the handlers of process events, by class << 10 | event."""
        thread, sched = EventClass.THREAD, EventClass.SCHED
        begins: Iterable[int] = (
            event_code(EventClass.RUNNABLE, RunnableEvent.BEGIN),
            event_code(EventClass.SYSTEM, SystemEvent.FUNC_ENTER),
        )
        ends: Iterable[int] = (
            event_code(EventClass.RUNNABLE, RunnableEvent.END),
            event_code(EventClass.SYSTEM, SystemEvent.FUNC_EXIT),
        )
        return {
            **{event_code(thread, state): self._on_blocked for state in range(_LAST_STATE + 1)},
            **dict.fromkeys(begins, self._on_begin),
            **dict.fromkeys(ends, self._on_end),
            event_code(thread, ThreadEvent.DEAD): self._on_dead,
            event_code(thread, ThreadEvent.STOPPED): self._on_stopped,
            event_code(thread, ThreadEvent.RUNNING): self._on_running,
            event_code(thread, ThreadEvent.READY): self._on_ready,
            event_code(thread, ThreadEvent.CREATE): self._on_create,
            event_code(thread, ThreadEvent.NAME): self._on_name,
            event_code(thread, ThreadEvent.DESTROY): self._on_destroy,
            event_code(sched, SchedEvent.CONTEXT_SWITCH): self._on_switch,
            event_code(sched, SchedEvent.ACTIVATION): self._on_activation,
            event_code(sched, SchedEvent.COMPLETION): self._on_completion,
            event_code(sched, SchedEvent.REFUSAL): self._on_refusal,
            event_code(sched, SchedEvent.DEADLINE_MISS): self._on_late,
            event_code(EventClass.INT, IntEvent.ENTRY): self._on_interrupt,
            event_code(EventClass.INT, IntEvent.EXIT): self._on_interrupt_end,
            event_code(EventClass.INT, IntEvent.REQUEST): self._on_request,
            event_code(EventClass.KERCALL, KercallCall.SCHED_YIELD): self._on_yield,
        }

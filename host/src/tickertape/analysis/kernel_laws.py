"""Laws that every kernel with fixed priorities obeys, judged by its trace.

    laws = kernel_laws_of(reader)
    laws[Law.ONE_OWNER].verdict

ONE_CPU      A thread runs on one CPU at a time, and a CPU switches away from the thread that it
             switched to.
ONE_OWNER    A mutex is granted when it is free, unlocked by its owner, and refused in the name of
             its owner.
MOST_URGENT  The ready threads with the highest priorities run, one on each CPU that they may use.
             Judged at context switches, when a kernel call returns and at events of the
             application, which only a thread can cause. At the begin of calls and interrupts a more
             urgent thread may be ready for as long as the kernel itself needs (`overhead_ns`). With
             several CPUs this allowance applies everywhere except at context switches: one CPU
             makes a thread ready, and the other CPU reacts later.
READY_FIRST  A thread that runs was ready before: it was woken since it last waited.

After missing records, a law is unknown until events have reported enough state again. Apparent
violations by another CPU in that time are unknown as well.

A target may announce that its hooks lie outside of its kernel's locks
(`HelloFlag.HOOKS_OUTSIDE_LOCKS`). Then a fault that depends on the order of events of different
threads or CPUs is unknown, unless that order is proven (`event_order`). The state of a thread or
mutex after such events is unknown too, until an event reports it. After a gap, no order is proven
until every actor from before the gap was seen again: its missing event may be of a later operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.analysis.event_order import Aspect, EventOrder, doer_of_cpu, unknown_of_cpu
from tickertape.analysis.kernel_findings import Findings, Law
from tickertape.analysis.kernel_watch import IDLE_TID, UNKNOWN_OWNER, Condition, Thread, Watch
from tickertape.decode.ticks import NS_PER_S
from tickertape.model.codes import nameless, thread_id
from tickertape.protocol.event_type import CODE_COUNT, event_code
from tickertape.protocol.events import (
    EventClass,
    IntEvent,
    KercallCall,
    SchedEvent,
    SyncEvent,
    ThreadEvent,
    TracerEvent,
)
from tickertape.protocol.wire import CLASS_SHIFT, HelloFlag
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tickertape.analysis.event_order import Doer, Subject
    from tickertape.analysis.kernel_findings import Judgement
    from tickertape.decode.events import EventColumns
    from tickertape.tape.reader import TapeReader

OVERHEAD_NS: Final = 50_000
_EXIT_OFFSET: Final = 128
_INTERRUPTED_OFFSET: Final = 256
_LAST_STATE: Final = 20
_START: Final = event_code(EventClass.TRACER, TracerEvent.START)
_OF_CPUS: Final = {
    event_code(EventClass.INT, IntEvent.ENTRY),
    event_code(EventClass.INT, IntEvent.EXIT),
    event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH),
}


def kernel_laws_of(
    reader: TapeReader, *, overhead_ns: int = OVERHEAD_NS
) -> Mapping[Law, Judgement]:
    """Judge a tape by its default stream, in memory that depends on threads and mutexes only.

    Args:
        reader: the tape.
        overhead_ns: longest time from the moment a thread becomes ready until it runs, without
            interrupts.
    """
    hello = reader.hello
    hellos = reader.hellos
    checker = KernelLaws(
        overhead_ticks=overhead_ns * hello.tick_hz // NS_PER_S if hello and hello.tick_hz else None,
        is_loose=lambda epoch: epoch in hellos and has_loose_order(hellos[epoch].flags),
        cooperative=lambda epoch: cooperative_of(hellos[epoch].flags) if epoch in hellos else None,
    )
    for columns in iter_events(reader, stream=reader.default_stream()):
        checker.feed(columns)
    if balance_of(reader, by_class=False).final:
        checker.conclude()
    else:
        checker.lose_rest()
    return checker.judgements


def has_loose_order(flags: int) -> bool:
    """Return whether HELLO flags announce hooks outside of the kernel's locks."""
    return bool(flags & HelloFlag.HOOKS_OUTSIDE_LOCKS)


def cooperative_of(flags: int) -> int | None:
    """Return the least priority of threads that are not preempted; None if all are preempted."""
    return flags >> 8 & 0xFF if flags & HelloFlag.COOPERATIVE else None


class KernelLaws:
    """Judges the events of one stream in order of time; `judgements` is valid at any time."""

    def __init__(
        self,
        *,
        overhead_ticks: int | None,
        is_loose: Callable[[int], bool] = lambda _epoch: False,
        cooperative: Callable[[int], int | None] = lambda _epoch: None,
    ) -> None:
        """Begin before the first event.

        Args:
            overhead_ticks: `overhead_ns` of `kernel_laws_of` in ticks; None if the clock is
                unknown.
            is_loose: returns by epoch whether hooks lie outside of the kernel's locks.
            cooperative: returns by epoch the least priority of threads that are not preempted.
        """
        self._overhead_ticks = overhead_ticks
        self._is_loose = is_loose
        self._cooperative_of = cooperative
        self._cooperative: int | None = None
        self._epoch: int | None = None
        self._watch = Watch(whole=False, ready_known=False)
        self._order: EventOrder | None = None
        self._findings = Findings()
        self._deletions: dict[Doer, tuple[int, int | None]] = {}
        self._time = 0
        self._cpu = 0
        self._stream = 0
        self._is_stopped = False
        self._handlers = self._table()
        self._wanted = np.zeros(CODE_COUNT, bool)
        self._wanted[list(self._handlers)] = True

    @property
    def judgements(self) -> Mapping[Law, Judgement]:
        """Judgement of each law so far."""
        return self._findings.judgements

    def feed(self, columns: EventColumns) -> None:
        """Take the next events."""
        if columns.epoch != self._epoch and len(columns):
            self._begin_boot(columns.epoch, whole=int(columns.ordinal[0]) == 0)
        self._stream = int(columns.stream[0]) if len(columns) else self._stream
        rows = np.flatnonzero(self._wanted[columns.code])
        gaps = sorted(columns.gaps, key=lambda gap: gap.row, reverse=True)
        for row, code, cpu, time, data0, data1 in zip(
            rows.tolist(),
            columns.code[rows].tolist(),
            columns.cpu[rows].tolist(),
            columns.time[rows].tolist(),
            columns.data0[rows].tolist(),
            columns.data1[rows].tolist(),
            strict=True,
        ):
            while gaps and gaps[-1].row <= row:
                self._lose(gaps.pop().cpu)
            if self._is_stopped and code != _START:
                continue
            self._time, self._cpu = time, cpu
            self._findings.begin_event(cpu, time)
            if self._order is not None:
                self._order.begin(self._doer(code), cpu, time)
            self._handlers[code](data0, data1)
        for gap in reversed(gaps):
            self._lose(gap.cpu)

    def conclude(self) -> None:
        """Report the suspected faults that are now proven; all recorded events were fed."""
        self._findings.conclude(self._doers())

    def lose_rest(self) -> None:
        """Withdraw verdicts for the time in which other CPUs may have recorded more."""
        self._findings.lose_rest()

    def _begin_boot(self, epoch: int, *, whole: bool) -> None:
        self._epoch = epoch
        self._is_stopped = False
        self._watch = Watch(whole=whole, ready_known=whole)
        self._deletions.clear()
        self._order = EventOrder() if self._is_loose(epoch) else None
        self._cooperative = self._cooperative_of(epoch)
        self._findings.begin_boot(epoch, self._order)

    def _lose(self, cpu: int) -> None:
        self._watch.lose(cpu)
        self._deletions.clear()
        self._findings.lose(cpu)
        if self._order is not None:
            self._order.lose(cpu)

    def _on_stop(self, stream: int, _automatic: int) -> None:
        """Ignore events until the next start: a stream stops one event type after the other."""
        self._is_stopped = self._is_stopped or stream == self._stream

    def _on_start(self, stream: int, _unused: int) -> None:
        if self._is_stopped and stream == self._stream:
            self._is_stopped = False
            self._lose(self._cpu)

    def _doer(self, code: int) -> Doer:
        """Return the actor of an event of this CPU."""
        cpu = self._watch.cpu(self._cpu)
        if code in _OF_CPUS or cpu.entered:
            return doer_of_cpu(self._cpu)
        if cpu.running is None:
            return unknown_of_cpu(self._cpu)
        is_thread = cpu.running != IDLE_TID and cpu.depth == 0
        return cpu.running if is_thread else doer_of_cpu(self._cpu)

    def _doers(self) -> Iterator[Doer]:
        """Yield possible actors: CPUs, and threads that do not wait."""
        for number, cpu in self._watch.cpus.items():
            yield doer_of_cpu(number)
            if cpu.running is None:
                yield unknown_of_cpu(number)
        for tid, thread in self._watch.threads.items():
            if thread.condition is not Condition.BLOCKED:
                yield tid

    def _tell(self, subject: Subject) -> bool:
        """Note that the event reports on a subject; return whether it follows all other reports."""
        if self._order is None:
            return True
        self._findings.explain(subject)
        is_sure = self._order.is_sure(subject)
        self._order.tell(subject)
        return is_sure

    def _judge(self, law: Law, fault: str | None, *subjects: Subject, known: bool) -> None:
        self._findings.judge(law, fault, *subjects, known=known)

    def _judge_urgency(self, *, chosen: bool = False) -> None:
        """Check that the most urgent thread runs on this CPU; `chosen`: at a context switch."""
        watch, number = self._watch, self._cpu
        patience: int | None = 0
        if not chosen and len(watch.cpus) > 1:
            patience = None if self._overhead_ticks is None else self._overhead_ticks + 1
        running = watch.cpu(number).running
        priority = None if running is None else watch.priority_of(running)
        if running is None or priority is None or patience is None:
            self._judge(Law.MOST_URGENT, None, known=False)
            return
        if self._cooperative is not None and priority >= self._cooperative and not chosen:
            self._judge(Law.MOST_URGENT, None, known=True)  # every other thread has to wait
            return
        rival = watch.rival(number, priority, self._time - patience)
        known = watch.threads.get(running)
        if patience and known is not None and known.since > self._time - patience:
            rival = None  # another CPU may have made the running one less urgent just now
        if rival is None:
            self._judge(Law.MOST_URGENT, None, known=watch.ready_is_known(number))
            return
        if self._cooperative is not None and (not chosen or priority >= self._cooperative):
            # It may have locked the scheduler, or it continues after a MetaIRQ thread.
            self._judge(Law.MOST_URGENT, None, known=False)
            return
        fault = f"{nameless(running)} runs while {nameless(rival)}, more urgent, is ready"
        subjects = (Aspect.CONDITION, rival), (Aspect.URGENCY, rival), (Aspect.URGENCY, running)
        self._judge(Law.MOST_URGENT, fault, *subjects, known=True)

    def _on_switch(self, prev: int, following: int) -> None:
        watch = self._watch
        running = watch.cpu(self._cpu).running
        if running is None and self._order is not None:
            doer = doer_of_cpu(self._cpu) if prev == IDLE_TID else prev
            self._order.identify(unknown_of_cpu(self._cpu), doer)
        others = [cpu.running for number, cpu in watch.cpus.items() if number != self._cpu]
        known = running is not None and None not in others
        if running is not None and running != prev:
            fault = f"{nameless(prev)} leaves the CPU that was given to {nameless(running)}"
            self._judge(Law.ONE_CPU, fault, known=known)
        elif following != IDLE_TID and following in others:
            fault = f"{nameless(following)} runs on two CPUs"
            self._judge(Law.ONE_CPU, fault, (Aspect.PLACE, following), known=known)
        else:
            self._judge(Law.ONE_CPU, None, known=known)
        if following != IDLE_TID:
            self._judge_ready(following)
        self._switch(prev, following)
        self._judge_urgency(chosen=True)
        self._findings.conclude(self._doers())

    def _switch(self, prev: int, following: int) -> None:
        for tid in {prev, following} - {IDLE_TID}:
            self._tell((Aspect.PLACE, tid))
        left = self._watch.threads.get(prev)
        is_preempted = left is not None and left.condition is Condition.RUNNING
        if self._order is not None and left is not None and left.condition is Condition.BLOCKED:
            self._order.leaves(prev)
        is_sure = not is_preempted or self._tell((Aspect.CONDITION, prev))
        self._watch.switch(self._cpu, prev, following, self._time)
        if following != IDLE_TID:
            self._tell((Aspect.CONDITION, following))
        if left is not None and left.condition is Condition.READY and not is_sure:
            left.condition = None

    def _judge_ready(self, tid: int) -> None:
        thread = self._watch.threads.get(tid)
        condition = thread.condition if thread else None
        fault = f"{nameless(tid)} runs while it waits" if condition is Condition.BLOCKED else None
        subject = (Aspect.CONDITION, tid)
        self._judge(Law.READY_FIRST, fault, subject, known=condition is not None)

    def _on_state(self, condition: Condition) -> Callable[[int, int], None]:
        def handle(_pid: int, tid: int) -> None:
            if tid != IDLE_TID:
                thread = self._watch.thread(tid)
                is_woken = condition is Condition.READY and thread.condition is Condition.BLOCKED
                if is_woken and self._order is not None:
                    self._order.wakes(tid)
                is_sure = self._tell((Aspect.CONDITION, tid))
                told = self._watch.condition_of(tid, condition)
                thread.condition, thread.since = told if is_sure else None, self._time
                self._watch.cpu(self._cpu).quiet_since = self._time

        return handle

    def _on_create(self, _pid: int, tid: int) -> None:
        if tid != IDLE_TID:
            self._watch.threads[tid] = Thread(Condition.BLOCKED)
            self._tell((Aspect.CONDITION, tid))
        elif self._watch.whole and self._watch.cpu(self._cpu).running is None:
            self._watch.cpu(self._cpu).running = IDLE_TID  # a CPU begins as its idle thread

    def _on_destroy(self, _pid: int, tid: int) -> None:
        self._watch.threads.pop(tid, None)
        if self._order is not None:
            self._order.forget_thread(tid)

    def _on_priority(self, tid: int, priority: int) -> None:
        if tid != IDLE_TID:
            thread = self._watch.thread(tid)
            is_sure = self._tell((Aspect.URGENCY, tid))
            thread.priority, thread.since = priority if is_sure else None, self._time
            self._watch.cpu(self._cpu).quiet_since = self._time

    def _on_cpus(self, tid: int, cpus: int) -> None:
        if tid != IDLE_TID:
            thread = self._watch.thread(tid)
            thread.cpus, thread.since = cpus, self._time
            if not self._tell((Aspect.URGENCY, tid)):
                thread.priority = None
            self._watch.cpu(self._cpu).quiet_since = self._time

    def _judge_owner(self, mutex: int, expected: int | None, fault: str) -> None:
        known = self._watch.owner_is_known(mutex)
        owner = self._watch.owners.get(mutex)
        wrong = known and owner != expected
        says = f"{fault}; its owner is {'none' if owner is None else nameless(owner)}"
        self._judge(Law.ONE_OWNER, says if wrong else None, (Aspect.OWNER, mutex), known=known)

    def _take_owner(self, mutex: int, owner: int | None) -> None:
        self._watch.owners[mutex] = owner if self._tell((Aspect.OWNER, mutex)) else UNKNOWN_OWNER

    def _on_granted(self, mutex: int, tid: int) -> None:
        self._judge_owner(mutex, None, f"mutex {mutex:#x} is granted to {nameless(tid)}")
        self._take_owner(mutex, tid)

    def _on_unlock(self, mutex: int, tid: int) -> None:
        self._judge_owner(mutex, tid, f"mutex {mutex:#x} is unlocked by {nameless(tid)}")
        self._take_owner(mutex, None)

    def _on_refused(self, mutex: int, owner: int) -> None:
        self._judge_owner(
            mutex, owner, f"mutex {mutex:#x} is refused in the name of {thread_id(owner)}"
        )
        self._take_owner(mutex, owner)

    def _caller(self) -> Doer:
        running = self._watch.cpu(self._cpu).running
        return doer_of_cpu(self._cpu) if running is None else running

    def _on_deletion(self, address: int, unused: int) -> None:
        """Note the begin of a deletion; if the kernel refuses it, the mutex keeps its owner."""
        self._on_begin(address, unused)
        if address in self._watch.owners:
            self._deletions[self._caller()] = address, self._watch.owners[address]

    def _on_end_of_deletion(self, result: int, detail: int) -> None:
        """Clear the owner of a mutex that was deleted or initialised again."""
        self._on_exit_of_call(result, detail)
        address, owner = self._deletions.pop(self._caller(), (None, None))
        if result == 0 and address is not None and self._watch.owners.get(address) == owner:
            self._take_owner(address, None)

    def _on_exit_of_call(self, _result: int, _detail: int) -> None:
        cpu = self._watch.cpu(self._cpu)
        cpu.depth = cpu.entered = 0
        self._judge_urgency()

    def _on_application(self, _data0: int, _data1: int) -> None:
        if self._watch.cpu(self._cpu).depth == 0:
            self._judge_urgency()

    def _on_begin(self, _data0: int, _data1: int) -> None:
        """Judge urgency at the begin of a kernel call or interrupt, after the kernel's own time."""
        cpu = self._watch.cpu(self._cpu)
        if self._overhead_ticks is None:
            self._judge(Law.MOST_URGENT, None, known=False)
        elif cpu.depth == 0 and self._time - cpu.quiet_since > self._overhead_ticks:
            self._judge_urgency()

    def _on_interrupt(self, irq: int, ip: int) -> None:
        self._on_begin(irq, ip)
        cpu = self._watch.cpu(self._cpu)
        cpu.entered += 1
        if cpu.depth is not None:
            cpu.depth += 1

    def _on_interrupt_end(self, _irq: int, _inkernel: int) -> None:
        cpu = self._watch.cpu(self._cpu)
        cpu.quiet_since = self._time
        cpu.entered = max(0, cpu.entered - 1)
        if cpu.depth:
            cpu.depth -= 1

    def _table(self) -> dict[int, Callable[[int, int], None]]:
        """Return the handlers of events, by class << 10 | event."""
        thread, sync, sched = EventClass.THREAD, EventClass.SYNC, EventClass.SCHED
        blocked = self._on_state(Condition.BLOCKED)
        calls = EventClass.KERCALL << CLASS_SHIFT
        user = EventClass.USER << CLASS_SHIFT
        return {
            **{event_code(thread, state): blocked for state in range(_LAST_STATE + 1)},
            event_code(thread, ThreadEvent.READY): self._on_state(Condition.READY),
            event_code(thread, ThreadEvent.CREATE): self._on_create,
            event_code(thread, ThreadEvent.DESTROY): self._on_destroy,
            event_code(sched, SchedEvent.CONTEXT_SWITCH): self._on_switch,
            event_code(sched, SchedEvent.PRIORITY): self._on_priority,
            event_code(sched, SchedEvent.CPUS): self._on_cpus,
            event_code(sync, SyncEvent.MUTEX_INHERIT): self._on_priority,
            event_code(sync, SyncEvent.MUTEX_RESTORE): self._on_priority,
            event_code(sync, SyncEvent.MUTEX_LOCK_GRANTED): self._on_granted,
            event_code(sync, SyncEvent.MUTEX_LOCK_DENIED): self._on_refused,
            event_code(sync, SyncEvent.MUTEX_TRY_REFUSED): self._on_refused,
            event_code(sync, SyncEvent.MUTEX_UNLOCK): self._on_unlock,
            event_code(EventClass.TRACER, TracerEvent.STOP): self._on_stop,
            _START: self._on_start,
            event_code(EventClass.INT, IntEvent.ENTRY): self._on_interrupt,
            event_code(EventClass.INT, IntEvent.EXIT): self._on_interrupt_end,
            **{calls | number: self._on_begin for number in range(_EXIT_OFFSET)},
            **{
                calls | number: self._on_exit_of_call
                for number in range(_EXIT_OFFSET, _INTERRUPTED_OFFSET)
            },
            calls | KercallCall.SYNC_DESTROY: self._on_deletion,
            calls | KercallCall.SYNC_DESTROY + _EXIT_OFFSET: self._on_end_of_deletion,
            **{user | number: self._on_application for number in range(1 << CLASS_SHIFT)},
        }

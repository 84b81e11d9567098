"""Laws that every kernel with fixed priorities keeps, judged by its trace.

    laws = kernel_laws_of(reader)
    laws[Law.ONE_OWNER].verdict

ONE_CPU      A thread runs on one CPU at a time, and a CPU leaves the thread that it was given.
ONE_OWNER    A mutex is granted when nobody owns it, unlocked by its owner, and refused in its name.
MOST_URGENT  The ready threads with the highest priorities run, one on each CPU, except where they
             may not run on it. Judged when the kernel chooses, when a kernel call returns and at
             events of the application, which only a thread can cause; at the begin of calls and
             interrupts a more urgent thread may be ready for as long as the kernel itself needs
             (`overhead_ns`). With several CPUs that holds always but when it chooses: one CPU makes
             a thread ready, and it takes a while until the other one knows.
READY_FIRST  A thread that runs was ready before: it was woken since it last waited.

Where records are missing a law is unknown, and stays so until the events have told enough again;
what another CPU seemed to break meanwhile is unknown as well.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.analysis.kernel_watch import IDLE_TID, Condition, Thread, Watch
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, IntEvent, SchedEvent, SyncEvent, ThreadEvent
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.decode.events import EventColumns
    from tickertape.tape.reader import TapeReader

OVERHEAD_NS: Final = 50_000
SHOWN: Final = 20
_NS_PER_S: Final = 1_000_000_000
_CLASS_SHIFT: Final = 10
_EXIT_OFFSET: Final = 128
_INTERRUPTED_OFFSET: Final = 256
_LAST_STATE: Final = 20
_CODES: Final = 1 << 15


class Law(Enum):
    """The laws; the module says what they mean."""

    ONE_CPU = auto()
    ONE_OWNER = auto()
    MOST_URGENT = auto()
    READY_FIRST = auto()


class Verdict(Enum):
    """What a trace says about a law."""

    HOLDS = auto()
    BROKEN = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Violation:
    """A moment at which a law was broken.

    Attributes:
        epoch: boot of the target within the tape.
        time_ticks: when.
        cpu: where.
        what: in words.
    """

    epoch: int
    time_ticks: int
    cpu: int
    what: str


@dataclass(slots=True)
class Judgement:
    """What a trace says about one law.

    Attributes:
        held: how often it was looked at and held.
        broken: how often it was broken.
        unknown: how often too little was known; each gap counts once as well.
        violations: the first of them.
    """

    held: int = 0
    broken: int = 0
    unknown: int = 0
    violations: list[Violation] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """BROKEN beats UNKNOWN beats HOLDS; a law that was never looked at is unknown."""
        if self.broken:
            return Verdict.BROKEN
        return Verdict.HOLDS if self.held and not self.unknown else Verdict.UNKNOWN


def kernel_laws_of(
    reader: TapeReader, *, overhead_ns: int = OVERHEAD_NS
) -> Mapping[Law, Judgement]:
    """Judge a tape by its lowest stream, in memory that depends on threads and mutexes only.

    Args:
        reader: the tape.
        overhead_ns: how long the kernel may take until a thread that became ready runs, interrupts
            not counted.
    """
    stream = min((ring.stream for ring in reader.rings), default=0)
    hello = reader.hello
    checker = KernelLaws(overhead_ticks=overhead_ns * (hello.tick_hz if hello else 0) // _NS_PER_S)
    for columns in iter_events(reader, stream=stream):
        checker.feed(columns)
    if not balance_of(reader, by_class=False).final:
        checker.lose_rest()
    return checker.judgements


class KernelLaws:
    """Takes events of one stream in order of time; `judgements` can be looked at any time."""

    def __init__(self, *, overhead_ticks: int) -> None:
        """Begin before the first event; `overhead_ticks` as in `kernel_laws_of`."""
        self.judgements: dict[Law, Judgement] = {law: Judgement() for law in Law}
        self._overhead_ticks = overhead_ticks
        self._epoch: int | None = None
        self._watch = Watch(whole=False, ready_known=False)
        self._time = 0
        self._cpu = 0
        self._seen: dict[int, int] = {}  # time of each CPU's last event
        self._recent: deque[tuple[Law, Violation]] = deque()
        self._handlers = self._table()
        self._wanted = np.zeros(_CODES, bool)
        self._wanted[list(self._handlers)] = True

    def feed(self, columns: EventColumns) -> None:
        """Take the next events."""
        if columns.epoch != self._epoch and len(columns):
            self._epoch = columns.epoch
            self._seen.clear()
            self._recent.clear()
            whole = int(columns.ordinal[0]) == 0
            self._watch = Watch(whole=whole, ready_known=whole)
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
            self._time, self._cpu = time, cpu
            self._seen[cpu] = time
            self._handlers[code](data0, data1)
        for gap in reversed(gaps):
            self._lose(gap.cpu)

    def lose_rest(self) -> None:
        """Take back what was said of the time in which other CPUs may have recorded more."""
        for cpu in self._seen:
            self._take_back(cpu)

    def _lose(self, cpu: int) -> None:
        self._watch.lose(cpu)
        for judgement in self.judgements.values():
            judgement.unknown += 1
        self._take_back(cpu)

    def _take_back(self, cpu: int) -> None:
        """Since its last event `cpu` may have done what explains a fault seen on another one."""
        since = self._seen.get(cpu, 0)
        kept: deque[tuple[Law, Violation]] = deque()
        for law, violation in self._recent:
            if violation.cpu == cpu or violation.time_ticks < since:
                kept.append((law, violation))
                continue
            judgement = self.judgements[law]
            judgement.broken -= 1
            judgement.unknown += 1
            judgement.violations = [one for one in judgement.violations if one is not violation]
        self._recent = kept

    def _remember(self, law: Law, violation: Violation) -> None:
        """Keep a violation for as long as a CPU may turn out to have lost records around it."""
        self._recent.append((law, violation))
        oldest = min(self._seen.values())
        while self._recent[0][1].time_ticks < oldest:
            self._recent.popleft()

    def _judge(self, law: Law, fault: str | None, *, known: bool) -> None:
        """Count a look at a law; `fault` says how it is broken, None: not as far as is known."""
        judgement = self.judgements[law]
        if fault is not None:
            judgement.broken += 1
            violation = Violation(self._epoch or 0, self._time, self._cpu, fault)
            if len(judgement.violations) < SHOWN:
                judgement.violations.append(violation)
            self._remember(law, violation)
        elif known:
            judgement.held += 1
        else:
            judgement.unknown += 1

    def _judge_urgency(self, *, chosen: bool = False) -> None:
        """Whoever runs on this CPU is the most urgent; `chosen`: the kernel has just said so."""
        watch, number = self._watch, self._cpu
        patience = 0 if chosen or len(watch.cpus) == 1 else self._overhead_ticks + 1
        running = watch.cpu(number).running
        priority = None if running is None else watch.priority_of(running)
        if priority is None:
            self._judge(Law.MOST_URGENT, None, known=False)
            return
        rival = watch.rival(number, priority, self._time - patience)
        fault = f"thread {running} runs while thread {rival}, more urgent, is ready"
        known = rival is not None or watch.ready_is_known(number)
        self._judge(Law.MOST_URGENT, None if rival is None else fault, known=known)

    def _on_switch(self, prev: int, following: int) -> None:
        watch = self._watch
        running = watch.cpu(self._cpu).running
        others = [cpu.running for number, cpu in watch.cpus.items() if number != self._cpu]
        fault = None
        if running is not None and running != prev:
            fault = f"thread {prev} leaves the CPU that was given to thread {running}"
        elif following != IDLE_TID and following in others:
            fault = f"thread {following} runs on two CPUs"
        self._judge(Law.ONE_CPU, fault, known=running is not None and None not in others)
        if following != IDLE_TID:
            self._judge_ready(following)
        watch.switch(self._cpu, prev, following, self._time)
        self._judge_urgency(chosen=True)

    def _judge_ready(self, tid: int) -> None:
        thread = self._watch.threads.get(tid)
        condition = thread.condition if thread else None
        fault = f"thread {tid} runs while it waits" if condition is Condition.BLOCKED else None
        self._judge(Law.READY_FIRST, fault, known=condition is not None)

    def _on_state(self, condition: Condition) -> Callable[[int, int], None]:
        def handle(_pid: int, tid: int) -> None:
            if tid != IDLE_TID:
                thread = self._watch.thread(tid)
                thread.condition, thread.since = condition, self._time
                self._watch.cpu(self._cpu).quiet_since = self._time

        return handle

    def _on_create(self, _pid: int, tid: int) -> None:
        if tid != IDLE_TID:
            self._watch.threads[tid] = Thread(Condition.BLOCKED)
        elif self._watch.whole:
            self._watch.cpu(self._cpu).running = IDLE_TID  # a CPU begins as its idle thread

    def _on_destroy(self, _pid: int, tid: int) -> None:
        self._watch.threads.pop(tid, None)

    def _on_priority(self, tid: int, priority: int) -> None:
        if tid != IDLE_TID:
            thread = self._watch.thread(tid)
            thread.priority, thread.since = priority, self._time
            self._watch.cpu(self._cpu).quiet_since = self._time

    def _on_cpus(self, tid: int, cpus: int) -> None:
        if tid != IDLE_TID:
            thread = self._watch.thread(tid)
            thread.cpus, thread.since = cpus, self._time
            self._watch.cpu(self._cpu).quiet_since = self._time

    def _judge_owner(self, mutex: int, expected: int | None, fault: str) -> None:
        watch = self._watch
        known = mutex in watch.owners or watch.whole
        owner = watch.owners.get(mutex)
        wrong = known and owner != expected
        says = f"{fault}; its owner is {'nobody' if owner is None else f'thread {owner}'}"
        self._judge(Law.ONE_OWNER, says if wrong else None, known=known)

    def _on_granted(self, mutex: int, tid: int) -> None:
        self._judge_owner(mutex, None, f"mutex {mutex:#x} is granted to thread {tid}")
        self._watch.owners[mutex] = tid

    def _on_unlock(self, mutex: int, tid: int) -> None:
        self._judge_owner(mutex, tid, f"mutex {mutex:#x} is unlocked by thread {tid}")
        self._watch.owners[mutex] = None

    def _on_refused(self, mutex: int, owner: int) -> None:
        self._judge_owner(mutex, owner, f"mutex {mutex:#x} is refused in the name of {owner}")
        self._watch.owners[mutex] = owner

    def _on_exit_of_call(self, _result: int, _detail: int) -> None:
        self._watch.cpu(self._cpu).depth = 0
        self._judge_urgency()

    def _on_application(self, _data0: int, _data1: int) -> None:
        if self._watch.cpu(self._cpu).depth == 0:
            self._judge_urgency()

    def _on_begin(self, _data0: int, _data1: int) -> None:
        """A kernel call or an interrupt begins: a more urgent thread was ready only just now."""
        cpu = self._watch.cpu(self._cpu)
        if cpu.depth == 0 and self._time - cpu.quiet_since > self._overhead_ticks:
            self._judge_urgency()

    def _on_interrupt(self, irq: int, ip: int) -> None:
        self._on_begin(irq, ip)
        cpu = self._watch.cpu(self._cpu)
        if cpu.depth is not None:
            cpu.depth += 1

    def _on_interrupt_end(self, _irq: int, _inkernel: int) -> None:
        cpu = self._watch.cpu(self._cpu)
        cpu.quiet_since = self._time
        if cpu.depth:
            cpu.depth -= 1

    def _table(self) -> dict[int, Callable[[int, int], None]]:
        """Say who takes which event, by class << 10 | event."""
        thread, sync, sched = EventClass.THREAD, EventClass.SYNC, EventClass.SCHED
        blocked = self._on_state(Condition.BLOCKED)
        calls = EventClass.KERCALL << _CLASS_SHIFT
        user = EventClass.USER << _CLASS_SHIFT
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
            event_code(EventClass.INT, IntEvent.ENTRY): self._on_interrupt,
            event_code(EventClass.INT, IntEvent.EXIT): self._on_interrupt_end,
            **{calls | number: self._on_begin for number in range(_EXIT_OFFSET)},
            **{
                calls | number: self._on_exit_of_call
                for number in range(_EXIT_OFFSET, _INTERRUPTED_OFFSET)
            },
            **{user | number: self._on_application for number in range(1 << _CLASS_SHIFT)},
        }

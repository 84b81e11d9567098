"""Follow a kernel's threads, CPUs and mutexes event by event, to judge its laws.

Used by `kernel_laws`, which defines the laws. The state is that of one boot and one stream. Unknown
state is None or absent: a thread without a condition, a CPU without a running thread. After a loss,
the state is unknown until events report it again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

IDLE_TID: Final = 0
UNKNOWN_OWNER: Final = -1
ALL_CPUS: Final = 0xFFFFFFFF
_IDLE_PRIORITY: Final = -1


class Condition(Enum):
    """State of a thread for the scheduler."""

    READY = auto()
    RUNNING = auto()
    BLOCKED = auto()


@dataclass(slots=True)
class Thread:
    """State of one thread.

    Attributes:
        condition: its condition; None if unknown.
        priority: its priority; None if unknown.
        cpus: bit n is set if it may run on CPU n.
        since: time of the last change of condition, priority or CPUs, in ticks.
    """

    condition: Condition | None = None
    priority: int | None = None
    cpus: int = ALL_CPUS
    since: int = 0


@dataclass(slots=True)
class Cpu:
    """State of one CPU.

    Attributes:
        running: number of the running thread; None if unknown.
        depth: number of nested interrupts; None if unknown.
        entered: number of nested interrupts whose begin was seen.
        quiet_since: time at which the last interrupt ended or the ready threads changed, in ticks.
    """

    running: int | None = None
    depth: int | None = 0
    entered: int = 0
    quiet_since: int = 0


@dataclass(slots=True)
class Watch:
    """State of all threads, CPUs and mutexes.

    Attributes:
        threads: threads by number, without the idle threads.
        cpus: CPUs by number.
        owners: owner of each mutex; None if free, UNKNOWN_OWNER if unknown. An absent mutex is
            free while `whole`, else unknown.
        whole: no record was lost since boot.
        ready_known: `threads` contains every thread that can be ready.
    """

    whole: bool
    ready_known: bool
    threads: dict[int, Thread] = field(default_factory=dict)
    cpus: dict[int, Cpu] = field(default_factory=dict)
    owners: dict[int, int | None] = field(default_factory=dict)

    def cpu(self, number: int) -> Cpu:
        """Return a CPU; a new one has no known running thread."""
        return self.cpus.setdefault(number, Cpu())

    def thread(self, tid: int) -> Thread:
        """Return a thread; a new one was created unseen, so that others may be unknown too."""
        found = self.threads.get(tid)
        if found is None:
            found = self.threads[tid] = Thread()
            self.ready_known = False
        return found

    def lose(self, cpu: int) -> None:
        """Forget all threads and mutexes, because missing records of a CPU may concern any."""
        self.whole = self.ready_known = False
        self.threads.clear()
        self.owners.clear()
        lost = self.cpu(cpu)
        lost.running = lost.depth = None
        lost.entered = 0

    def priority_of(self, tid: int) -> int | None:
        """Return the priority of a thread; an idle thread has the lowest. None if unknown."""
        if tid == IDLE_TID:
            return _IDLE_PRIORITY
        found = self.threads.get(tid)
        return found.priority if found else None

    def condition_of(self, tid: int, told: Condition) -> Condition:
        """Return the condition after a report: a thread reported as ready may still have a CPU."""
        has_cpu = told is Condition.READY and any(cpu.running == tid for cpu in self.cpus.values())
        return Condition.RUNNING if has_cpu else told

    def owner_is_known(self, mutex: int) -> bool:
        """Return whether it is known which thread, if any, owns a mutex."""
        return self.owners.get(mutex) != UNKNOWN_OWNER and (mutex in self.owners or self.whole)

    def switch(self, number: int, prev: int, following: int, time: int) -> None:
        """Switch a CPU from one thread to another, at a time in ticks."""
        cpu = self.cpu(number)
        if prev != IDLE_TID and prev in self.threads:
            before = self.threads[prev]
            others = (one.running for one in self.cpus.values() if one is not cpu)
            if before.condition is Condition.RUNNING and prev not in others:
                before.condition = Condition.READY  # preempted, or it yielded
                before.since = time
        if following != IDLE_TID:
            self.thread(following).condition = Condition.RUNNING
        elif len(self.cpus) == 1:
            self.ready_known = True  # a kernel idles only if no thread is ready
        cpu.running, cpu.depth, cpu.entered = following, 0, 0

    def rival(self, number: int, priority: int, latest: int) -> int | None:
        """Return a ready thread for a CPU that is known to be more urgent than `priority`.

        It has been ready with its priority since `latest` or earlier. None if no thread is known.
        """
        for tid, thread in self.threads.items():
            if (
                thread.condition is Condition.READY
                and thread.cpus >> number & 1
                and thread.since <= latest
                and thread.priority is not None
                and thread.priority > priority
            ):
                return tid
        return None

    def ready_is_known(self, number: int) -> bool:
        """Return whether all ready threads of a CPU and their priorities are known."""
        return self.ready_known and all(
            thread.condition is not None
            and (thread.condition is not Condition.READY or thread.priority is not None)
            for thread in self.threads.values()
            if thread.cpus >> number & 1
        )

"""Follow a kernel's threads, CPUs and mutexes event by event, to judge its laws.

Used by `kernel_laws`, which defines the laws. Everything here is about one boot and one
stream. What is not known is absent: a thread without a state, a CPU without a running thread. After
a loss nothing is known; events bring it back one by one.
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
    """What a thread does, as far as the scheduler is concerned."""

    READY = auto()
    RUNNING = auto()
    BLOCKED = auto()


@dataclass(slots=True)
class Thread:
    """A thread.

    Attributes:
        condition: None where it is not known.
        priority: None while unknown.
        cpus: bit n is set when it may run on CPU n.
        since: when one of these changed last, in ticks.
    """

    condition: Condition | None = None
    priority: int | None = None
    cpus: int = ALL_CPUS
    since: int = 0


@dataclass(slots=True)
class Cpu:
    """One CPU.

    Attributes:
        running: number of the thread that runs, None where it is not known.
        depth: interrupts under way, None where it is not known.
        entered: of those, how many were seen to begin.
        quiet_since: when the last interrupt ended or the ready threads changed, in ticks.
    """

    running: int | None = None
    depth: int | None = 0
    entered: int = 0
    quiet_since: int = 0


@dataclass(slots=True)
class Watch:
    """The state of everything.

    Attributes:
        threads: by number, without the idle threads.
        cpus: by number.
        owners: owner of each mutex, None for a free one, UNKNOWN_OWNER if unknown; an absent
            one is free while `whole`, else unknown.
        whole: nothing was lost since boot.
        ready_known: no thread can be ready that is not in `threads` as such.
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
        """Return a thread; one without a creation shows that not all threads are known."""
        found = self.threads.get(tid)
        if found is None:
            found = self.threads[tid] = Thread()
            self.ready_known = False
        return found

    def lose(self, cpu: int) -> None:
        """Records of a CPU are missing: they could have been about any thread and mutex."""
        self.whole = self.ready_known = False
        self.threads.clear()
        self.owners.clear()
        lost = self.cpu(cpu)
        lost.running = lost.depth = None
        lost.entered = 0

    def priority_of(self, tid: int) -> int | None:
        """Return the priority of a thread, below every other for an idle one."""
        if tid == IDLE_TID:
            return _IDLE_PRIORITY
        found = self.threads.get(tid)
        return found.priority if found else None

    def condition_of(self, tid: int, told: Condition) -> Condition:
        """Return the condition of a thread reported as ready: it may not have left its CPU yet."""
        has_cpu = told is Condition.READY and any(cpu.running == tid for cpu in self.cpus.values())
        return Condition.RUNNING if has_cpu else told

    def owner_is_known(self, mutex: int) -> bool:
        """Whether the owner of a mutex is known, and whether it has one."""
        return self.owners.get(mutex) != UNKNOWN_OWNER and (mutex in self.owners or self.whole)

    def switch(self, number: int, prev: int, following: int, time: int) -> None:
        """A CPU goes from one thread to another, at a time in ticks."""
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
            self.ready_known = True  # that is when a kernel idles
        cpu.running, cpu.depth, cpu.entered = following, 0, 0

    def rival(self, number: int, priority: int, latest: int) -> int | None:
        """Find a thread for a CPU that is known to be more urgent than `priority`.

        It has been ready, and as urgent, from the time `latest` on at least.
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
        """Whether all ready threads of a CPU and their priorities are known."""
        return self.ready_known and all(
            thread.condition is not None
            and (thread.condition is not Condition.READY or thread.priority is not None)
            for thread in self.threads.values()
            if thread.cpus >> number & 1
        )

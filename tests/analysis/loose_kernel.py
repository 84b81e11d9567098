"""Simulate a kernel of equal threads on some CPUs with hooks outside of its locks, as in Zephyr.

An action of a thread and the record of its hook are separate steps. Steps of other CPUs, interrupts
or other threads may lie between them, at random. An action under the kernel's lock is one step.
Every history keeps the laws unless a `Fault` is requested.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from tests.support.columns import Row, create, switch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

MUTEX = 0x2000_0000
IDLE = 0
PRIORITY = 5
READY, NANOSLEEP, BLOCKED_BY_MUTEX = (4, 2), (4, 12), (4, 9)
LOCK, UNLOCK, SLEEP, EXIT = 90, 91, 20, 128
GRANTED, DENIED, GIVEN_BACK = (8, 0), (8, 1), (8, 3)


class Fault(Enum):
    """Fault that the kernel commits from time to time."""

    TWO_OWNERS = auto()
    TWO_PLACES = auto()
    RUNS_WHILE_IT_WAITS = auto()


@dataclass(eq=False)
class Thread:
    """A thread with its true state, which may differ from the recorded one."""

    tid: int
    steps: Iterator[None] = field(init=False)
    is_waiting: bool = False


@dataclass(eq=False)
class Cpu:
    """A CPU; `told` is its thread by the last recorded switch."""

    number: int
    runs: Thread | None = None
    told: Thread | None = None
    is_switching: bool = False
    wants: bool = False


class LooseKernel:
    """Makes the rows of a trace; each step takes one tick."""

    def __init__(self, random: Random, *, cpus: int, threads: int, fault: Fault | None) -> None:
        self.rows: list[Row] = []
        self._random = random
        self._fault = fault
        self._time = 0
        self._cpus = [Cpu(number) for number in range(cpus)]
        self._cpu = self._cpus[0]
        self._threads = [Thread(tid) for tid in range(1, threads + 1)]
        self._ready: deque[Thread] = deque()
        self._asleep: list[Thread] = []
        self._owner: Thread | None = None
        self._waiters: deque[Thread] = deque()
        for thread in self._threads:
            thread.steps = self._live(thread)

    def run(self, steps: int) -> list[Row]:
        """Boot, take `steps` steps, and return the rows."""
        for cpu in self._cpus:
            self._cpu = cpu
            self._tell_row(create(0, IDLE))
        for thread in self._threads:
            self._tell_row(create(0, thread.tid))
            self._tell((9, 5), thread.tid, PRIORITY)
            self._wake(thread)
        for _ in range(steps):
            self._cpu = self._random.choice(self._cpus)
            self._step()
        return self.rows

    def _tell_row(self, row: Row) -> None:
        self._time += 1
        self.rows.append(Row(self._time, row.kind, row.data, cpu=self._cpu.number))

    def _tell(self, kind: tuple[int, int], data0: int, data1: int) -> None:
        self._tell_row(Row(0, kind, (data0, data1)))

    def _goes_wrong(self, fault: Fault) -> bool:
        return self._fault is fault and self._random.random() < 1 / 4

    def _step(self) -> None:
        cpu = self._cpu
        if cpu.is_switching:
            self._arrive(cpu)
        elif self._random.random() < 1 / 8:
            self._interrupt()
        elif cpu.wants or cpu.runs is None:
            self._choose(cpu)
        else:
            next(cpu.runs.steps)

    def _interrupt(self) -> None:
        """Wake a thread in an interrupt and reschedule this CPU, at any step of its thread."""
        self._tell((3, 1), 15, 0)
        if self._asleep:
            self._wake(self._asleep.pop(0))
        self._tell((3, 2), 15, 0)
        self._cpu.wants = True

    def _wake(self, thread: Thread) -> None:
        self._tell(READY, 0, thread.tid)
        thread.is_waiting = False
        self._ready.append(thread)

    def _choose(self, cpu: Cpu) -> None:
        """Select the next thread under the lock; the event is recorded later."""
        left = cpu.runs
        if left is not None and not left.is_waiting and left not in self._ready:
            self._ready.append(left)
        others = [one.runs for one in self._cpus if one is not cpu]
        is_wrong = self._goes_wrong(Fault.TWO_PLACES)
        free = [thread for thread in self._ready if thread not in others or is_wrong]
        cpu.runs = free[0] if free else None
        if cpu.runs is not None and not is_wrong:
            self._ready.remove(cpu.runs)
        if self._waiters and self._goes_wrong(Fault.RUNS_WHILE_IT_WAITS):
            unready = self._waiters.popleft()
            unready.is_waiting = False
            self._ready.append(unready)
        cpu.wants, cpu.is_switching = False, True

    def _arrive(self, cpu: Cpu) -> None:
        if cpu.runs is not cpu.told:
            tids = [thread.tid if thread else IDLE for thread in (cpu.told, cpu.runs)]
            self._tell_row(switch(0, tids[0], tids[1]))
        cpu.told, cpu.is_switching = cpu.runs, False

    def _live(self, me: Thread) -> Iterator[None]:
        while True:
            yield from self._lock(me)
            yield
            yield from self._unlock(me)
            if self._random.random() < 1 / 2:
                yield from self._sleep(me)

    def _call(self, number: int) -> Iterator[None]:
        self._tell((2, number), MUTEX, 0)
        yield

    def _lock(self, me: Thread) -> Iterator[None]:
        yield from self._call(LOCK)
        if self._owner is None or self._goes_wrong(Fault.TWO_OWNERS):
            self._owner = me
        else:
            self._tell(DENIED, MUTEX, self._owner.tid)
            self._tell(BLOCKED_BY_MUTEX, 0, me.tid)
            self._waiters.append(me)
            self._block(me)
        yield
        self._tell(GRANTED, MUTEX, me.tid)
        yield
        yield from self._call(LOCK + EXIT)

    def _unlock(self, me: Thread) -> Iterator[None]:
        yield from self._call(UNLOCK)
        self._tell(GIVEN_BACK, MUTEX, me.tid)
        yield
        self._owner = self._waiters.popleft() if self._waiters else None
        if self._owner is not None:
            self._wake(self._owner)
        yield
        yield from self._call(UNLOCK + EXIT)

    def _sleep(self, me: Thread) -> Iterator[None]:
        yield from self._call(SLEEP)
        self._tell(NANOSLEEP, 0, me.tid)
        self._asleep.append(me)
        self._block(me)
        yield
        yield from self._call(SLEEP + EXIT)

    def _block(self, me: Thread) -> None:
        me.is_waiting = self._cpu.wants = True

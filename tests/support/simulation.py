"""A small simulator of a fixed-priority kernel that makes records and the true statistics.

Each CPU has its own periodic tasks with priorities, mutexes with priority inheritance, and
interrupts that can nest. The statistics come from the simulator's state, not from the records.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from tests.support.columns import Row, born, state, switch

ENTRY, EXIT = (3, 1), (3, 2)
ACTIVATION, COMPLETION, LATE = (9, 6), (9, 7), (9, 8)
GRANTED, DENIED, UNLOCK = (8, 0), (8, 1), (8, 3)
READY, WAIT_MUTEX, SLEEP = 2, 13, 12
TIMER, DEVICE = 16, 17
MUTEX = 0x2000_0000

Op = tuple[str, int]


@dataclass
class Life:
    """True times of one instance of a task, in ticks."""

    activation: int
    end: int | None = None
    running: int = 0
    interrupted: int = 0
    preemptions: int = 0
    blocked: Counter[str] = field(default_factory=Counter)


@dataclass
class Task:
    """State of a periodic task."""

    tid: int
    name: str
    priority: int
    period: int
    due: int
    program: list[Op]
    lives: list[Life] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)
    active: int = 0
    done: int = 0
    left: list[Op] = field(default_factory=list)
    boosted: int = 0
    waits: int | None = None
    held: list[int] = field(default_factory=list)
    ready_since: int | None = None

    @property
    def is_ready(self) -> bool:
        return self.done < self.active and self.waits is None

    @property
    def life(self) -> Life:
        return self.lives[self.done]


@dataclass
class Truth:
    """Records and true statistics of a simulation.

    Attributes:
        rows: all records, in order of time.
        tasks: tasks by name.
        interrupts: duration of each execution of a handler, by exception number.
        charged: CPU ticks by task, interrupt number, "idle" or "kernel", up to the last record of
            each CPU.
        rest: CPU ticks from there to the last record of all CPUs.
        end: time of the last record.
    """

    rows: list[Row]
    tasks: dict[str, Task]
    interrupts: dict[int, list[int]]
    charged: Counter[str]
    rest: Counter[str]
    end: int


class Cpu:
    """Simulates one CPU."""

    def __init__(self, number: int, chance: random.Random, until: int) -> None:
        self.number, self.chance, self.until = number, chance, until
        self.time = 0
        self.rows: list[Row] = []
        self.charged: Counter[str] = Counter()
        self.interrupts: dict[int, list[int]] = {TIMER: [], DEVICE: []}
        first = 1 + 4 * number
        self.mutexes = [MUTEX + 16 * number, MUTEX + 16 * number + 8]
        self.owners: dict[int, Task] = {}
        self.tasks = [self._task(first + i, i) for i in range(chance.randint(1, 4))]
        self.current: Task | None = None
        self.next_device = chance.randint(50, 400)

    def _task(self, tid: int, priority: int) -> Task:
        chance, program = self.chance, list[Op]()
        for _ in range(chance.randint(1, 3)):
            program.append(("run", chance.randint(1, 60)))
            mutex = chance.choice([None, *self.mutexes])
            if mutex is not None:
                program += [("lock", mutex), ("run", chance.randint(1, 60)), ("unlock", mutex)]
        program.append(("run", chance.randint(1, 40)))
        period = chance.choice([300, 450, 700, 1100])
        return Task(tid, f"task {tid}", priority, period, chance.randint(10, 300), program)

    def say(self, *rows: Row) -> None:
        self.rows += rows

    def spend(self, ticks: int, owner: str) -> None:
        """Advance the time, charge it to `owner`, and update the times of all instances."""
        self.charged[owner] += ticks
        for task in self.tasks:
            if task.waits is not None:
                holder = self.owners.get(task.waits)
                task.life.blocked[holder.name if holder is not None else ""] += ticks
        if self.current is not None:
            if owner == self.current.name:
                self.current.life.running += ticks
            elif owner.startswith("irq"):
                self.current.life.interrupted += ticks
        self.time += ticks

    def run(self) -> None:
        """Simulate until time `until`."""
        for task in self.tasks:
            first = Row(0, ACTIVATION, (task.tid, 1))
            self.say(*(self._here(row) for row in (*born(0, task.tid, task.name), first)))
            task.lives.append(Life(0))
            task.active, task.left, task.ready_since = 1, list(task.program), 0
        self._dispatch(cost=False)
        while self.time < self.until:
            self._step()
        self.say(Row(self.time, cpu=self.number))

    def _here(self, row: Row) -> Row:
        return Row(row.time, row.kind, row.data, row.payload, cpu=self.number)

    def _step(self) -> None:
        event = min(self.next_device, *(task.due for task in self.tasks))
        if event <= self.time:
            self._interrupt()
            return
        task = self.current
        if task is None:
            self.spend(min(event, self.until) - self.time, "idle")
            return
        verb, argument = task.left[0]
        if verb == "run":
            ticks = min(argument, event - self.time, max(1, self.until - self.time))
            self.spend(ticks, task.name)
            task.left[0] = ("run", argument - ticks)
            if argument == ticks:
                task.left.pop(0)
                if not task.left:
                    self._complete(task)
        elif verb == "lock":
            self._lock(task, argument)
        else:
            self._unlock(task, argument)

    def _interrupt(self) -> None:
        """Handle the due interrupt; the device may interrupt the timer's handler."""
        chance = self.chance
        due = [task for task in self.tasks if task.due <= self.time]
        irq = TIMER if due else DEVICE
        began = self.time
        self.say(Row(self.time, ENTRY, (irq, 0), cpu=self.number))
        if irq == DEVICE:
            self.next_device = self.time + chance.randint(100, 600)
        self.spend(chance.randint(1, 5), f"irq{irq}")
        if irq == TIMER and self.next_device <= self.time:
            nested = self.time
            self.next_device = self.time + chance.randint(100, 600)
            self.say(Row(self.time, ENTRY, (DEVICE, 0), cpu=self.number))
            self.spend(chance.randint(1, 4), f"irq{DEVICE}")
            self.say(Row(self.time, EXIT, (DEVICE, 0), cpu=self.number))
            self.interrupts[DEVICE].append(self.time - nested)
            self.spend(1, f"irq{TIMER}")
        for task in due if irq == TIMER else []:
            self._activate(task)
        self.spend(chance.randint(0, 3), f"irq{irq}")
        self.say(Row(self.time, EXIT, (irq, 0), cpu=self.number))
        self.interrupts[irq].append(self.time - began)
        self._dispatch()

    def _activate(self, task: Task) -> None:
        task.due += task.period
        task.active += 1
        task.lives.append(Life(self.time))
        self.say(Row(self.time, ACTIVATION, (task.tid, task.active), cpu=self.number))
        if task.active - task.done > 1:
            self.say(Row(self.time, LATE, (task.tid, task.active - 1), cpu=self.number))
            return
        task.left, task.ready_since = list(task.program), self.time
        self.say(state(self.time, READY, task.tid, cpu=self.number))

    def _complete(self, task: Task) -> None:
        task.life.end = self.time
        self.say(Row(self.time, COMPLETION, (task.tid, task.done + 1), cpu=self.number))
        task.done += 1
        if task.done < task.active:
            task.left = list(task.program)
            task.latencies.append(self.time - task.life.activation)
            return
        self.current = None
        ticks = self.chance.randint(0, 2)
        self.spend(ticks, "kernel")
        self.say(state(self.time, SLEEP, task.tid, cpu=self.number))
        self._dispatch(previous=task)

    def _lock(self, task: Task, mutex: int) -> None:
        owner = self.owners.get(mutex)
        if owner is None:
            self.say(Row(self.time, GRANTED, (mutex, task.tid), cpu=self.number))
            self.owners[mutex] = task
            task.left.pop(0)
            return
        self.say(Row(self.time, DENIED, (mutex, owner.tid), cpu=self.number))
        self.spend(self.chance.randint(0, 2), task.name)
        self.say(state(self.time, WAIT_MUTEX, task.tid, cpu=self.number))
        task.waits = mutex
        owner.boosted = max(owner.boosted, task.priority, task.boosted)
        self.current = None
        self._dispatch(previous=task)

    def _unlock(self, task: Task, mutex: int) -> None:
        task.left.pop(0)
        task.boosted = 0
        self.say(Row(self.time, UNLOCK, (mutex, task.tid), cpu=self.number))
        del self.owners[mutex]
        waiting = [one for one in self.tasks if one.waits == mutex]
        if not waiting:
            return
        following = max(waiting, key=lambda one: one.priority)
        self.spend(self.chance.randint(0, 2), task.name)
        self.owners[mutex] = following
        self.say(Row(self.time, GRANTED, (mutex, following.tid), cpu=self.number))
        self.spend(self.chance.randint(0, 2), task.name)
        following.waits, following.ready_since = None, self.time
        following.left.pop(0)
        following.boosted = max((one.priority for one in waiting), default=0)
        self.say(state(self.time, READY, following.tid, cpu=self.number))
        self._dispatch()

    def _dispatch(self, previous: Task | None = None, *, cost: bool = True) -> None:
        """Switch to the ready task of highest priority; charge the switch to the previous owner."""
        before = self.current if previous is None else previous
        ready = [one for one in self.tasks if one.is_ready]
        following = max(ready, key=lambda one: max(one.priority, one.boosted), default=None)
        if following is self.current and previous is None:
            return
        if cost:
            charged = self.current.name if self.current is not None else "kernel"
            if self.current is None and previous is None:
                charged = "idle"
            self.spend(self.chance.randint(0, 2), charged)
        if self.current is not None:
            self.current.life.preemptions += 1
        tids = [0 if one is None else one.tid for one in (before, following)]
        self.say(switch(self.time, tids[0], tids[1], cpu=self.number))
        self.current = following
        if following is not None and following.ready_since is not None:
            following.latencies.append(self.time - following.ready_since)
            following.ready_since = None


def simulate(seed: int, cpus: int = 1, until: int = 6000) -> Truth:
    """Simulate a machine; equal for equal seeds."""
    chance = random.Random(seed)
    machine = [Cpu(number, chance, until) for number in range(cpus)]
    for cpu in machine:
        cpu.run()
    rows = sorted((row for cpu in machine for row in cpu.rows), key=lambda row: row.time)
    charged = sum((cpu.charged for cpu in machine), Counter[str]())
    interrupts = {
        irq: [ticks for cpu in machine for ticks in cpu.interrupts[irq]] for irq in (TIMER, DEVICE)
    }
    tasks = {task.name: task for cpu in machine for task in cpu.tasks}
    rest: Counter[str] = Counter()
    for cpu in machine:
        owner = "idle" if cpu.current is None else cpu.current.name
        rest[owner] += rows[-1].time - cpu.rows[-1].time
    return Truth(rows, tasks, interrupts, charged, rest, rows[-1].time)

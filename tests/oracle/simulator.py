"""A kernel with fixed priorities that records everything: complete lists of events.

A small model of a kernel, step by step, on one or two CPUs. `run` returns the events of a world in
the true order, as the hooks of a kernel would record them. A step is `spacing` ticks; with two CPUs
and a spacing of 2 the CPUs never record in the same tick, with a spacing of 1 they often do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tickertape.protocol.events import EventClass as Class

if TYPE_CHECKING:
    from collections.abc import Iterator

# Numbers of events (protocol/events.yaml)
DEAD, RUNNING, READY, STOPPED, NANOSLEEP, MUTEX, SEM, CREATE, NAME = 0, 1, 2, 3, 12, 13, 17, 24, 320
ENTRY, EXIT = 1, 2
GRANTED, DENIED, UNLOCK, INHERIT, RESTORE = 0, 1, 3, 4, 5
SEM_GRANTED, SEM_BLOCKED, SEM_SIGNAL = 9, 10, 12
SWITCH, PRIORITY, ACTIVATION, COMPLETION, MISS = 0, 5, 6, 7, 8
START, STOP, COMMAND = 0, 1, 10
CALLS = {
    "lock": 80,
    "unlock": 81,
    "give": 84,
    "wait": 85,
    "taken": 85,
    "priority": 89,
    "sleep": 102,
}
CALLS |= {
    "done": 103,
    "rest": 103,
    "suspend": 107,
    "resume": 108,
    "periodic": 111,
    "start": 46,
    "end": 47,
}
FIRST_MUTEX, SEMAPHORE = 0x2000, 0x3000
TICK_IRQ, FIRST_IRQ = 40, 16
Op = tuple[str, int]


class Event(NamedTuple):
    """An event: time in ticks, CPU, class, number, two words, and the text of a name."""

    time: int
    cpu: int
    group: int
    number: int
    a: int
    b: int
    text: str = ""


@dataclass
class Thread:
    """A thread and what the kernel knows of it."""

    tid: int
    base: int
    script: Iterator[Op]
    state: str = "ready"
    since: int = 0
    op: Op | None = None
    period: int = 0
    due: int = 0
    activated: int = 0
    completed: int = 0
    wakes: int | None = None
    priority: int = 0
    mutexes: list[int] = field(default_factory=list)


@dataclass
class Cpu:
    """A CPU: its thread (None: idle), whether that has left it, interrupts with steps to go."""

    thread: Thread | None = None
    left: bool = False
    delay: int | None = None
    services: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class Shape:
    """Features of a world; the generator chooses them by seed."""

    cpus: int
    spacing: int
    steps: int
    cost: int
    inherit: bool
    tick_service: int
    threads: int
    features: frozenset[str]


def shape_of(seed: int) -> Shape:
    """Choose the features of a world."""
    rng = Random(seed)
    cpus = 1 if rng.random() < 0.6 else 2
    names = ("mutex", "semaphore", "interrupt", "late", "created", "suspend", "end", "priority")
    return Shape(
        cpus=cpus,
        spacing=cpus if rng.random() < 0.8 else 1,
        steps=rng.randrange(200, 900),
        cost=rng.randrange(3),
        inherit=rng.random() < 0.5,
        tick_service=rng.randrange(-1, 3),
        threads=rng.randrange(2, 6),
        features=frozenset(name for name in names if rng.random() < 0.45),
    )


def _work(rng: Random, features: frozenset[str]) -> list[Op]:
    """Return what a job or a round of a thread does."""
    ops: list[Op] = [("work", rng.randrange(1, 12))]
    if "mutex" in features and rng.random() < 0.6:
        outer, inner = FIRST_MUTEX, FIRST_MUTEX + 0x10
        nested = rng.random() < 0.3
        ops += [("lock", outer), ("work", rng.randrange(1, 8))]
        ops += [("lock", inner), ("work", 2), ("unlock", inner)] if nested else []
        ops += [("unlock", outer), ("work", 1)]
    if "semaphore" in features and rng.random() < 0.4:
        ops.append(("give", SEMAPHORE))
    if rng.random() < 0.2:
        ops += [("sleep", rng.randrange(3, 30)), ("work", 1)]
    return ops


def _script(rng: Random, tid: int, shape: Shape, kind: str) -> Iterator[Op]:
    """Yield the operations of a thread."""
    others = [other for other in range(1, shape.threads + 1) if other != tid]
    if kind == "late":
        yield from _work(rng, shape.features)
        yield ("periodic", rng.randrange(30, 120))
    rounds = rng.randrange(1, 5) if "end" in shape.features and rng.random() < 0.4 else 10**6
    for _ in range(rounds):
        yield from _work(rng, shape.features)
        if "suspend" in shape.features and rng.random() < 0.15:
            yield (rng.choice(("suspend", "resume")), rng.choice(others))
        if "priority" in shape.features and rng.random() < 0.1:
            yield ("priority", rng.randrange(1, 9))
        if "created" in shape.features and rng.random() < 0.3:
            yield ("start", rng.choice(others))
        if kind in {"periodic", "late"}:
            yield ("done", 0)
        elif kind == "waiter" and "semaphore" in shape.features:
            yield ("wait", SEMAPHORE)
        else:
            yield ("sleep", rng.randrange(1, 60))


class Kernel:
    """The kernel of one world."""

    def __init__(self, seed: int) -> None:
        """Create the threads of the world of this seed."""
        self.shape = shape_of(seed)
        self.rng = rng = Random(seed + 1)
        self.events: list[Event] = []
        self.cpus = [Cpu() for _ in range(self.shape.cpus)]
        self.time, self.at = 0, 0
        self.owner: dict[int, Thread] = {}
        self.queue: dict[int, list[Thread]] = {}
        self.count = 0
        self.pending: list[tuple[int, int, int]] = []
        self.threads: dict[int, Thread] = {}
        for tid in range(1, self.shape.threads + 1):
            kinds = ["periodic", "periodic", "sleeper", "waiter"]
            kind = rng.choice(kinds + ["late"] * 2 * ("late" in self.shape.features))
            script = _script(Random(seed * 64 + tid), tid, self.shape, kind)
            thread = Thread(tid, rng.randrange(1, 9), script)
            thread.priority = thread.base
            if "created" in self.shape.features and tid > 1 and rng.random() < 0.4:
                thread.state = "created"
            elif kind == "periodic":
                thread.period = rng.randrange(30, 150)
            self.threads[tid] = thread
            if kind == "periodic" and not thread.period:  # not started: periodic by its own call
                thread.op = ("periodic", 60)
        if "interrupt" in self.shape.features:
            for irq in range(FIRST_IRQ, FIRST_IRQ + rng.randrange(1, 4)):
                when = rng.randrange(5, 60)
                while when < self.shape.steps:
                    self.pending.append((when, irq, rng.randrange(self.shape.cpus)))
                    when += rng.randrange(4, 80)

    def emit(self, group: int, number: int, a: int = 0, b: int = 0, text: str = "") -> None:
        """Record an event on the CPU that acts."""
        ticks = self.time * self.shape.spacing + (self.at if self.shape.spacing > 1 else 0)
        self.events.append(Event(ticks, self.at, group, number, a, b, text))

    def run(self) -> list[Event]:
        """Return all events of the world."""
        self.emit(Class.TRACER, START)
        for thread in self.threads.values():
            self.emit(Class.THREAD, CREATE, 0, thread.tid)
            self.emit(Class.THREAD, NAME, 0, thread.tid, f"t{thread.tid}")
            self.emit(Class.SCHED, PRIORITY, thread.tid, thread.base)
            if thread.state == "ready":
                self.emit(Class.THREAD, READY, 0, thread.tid)
            if thread.period:
                self.activate(thread)
        for at, cpu in enumerate(self.cpus):
            self.at = at
            cpu.thread = self.best(cpu)
            self.emit(Class.SCHED, SWITCH, 0, cpu.thread.tid if cpu.thread else 0)
        for time in range(1, self.shape.steps):
            for at, cpu in enumerate(self.cpus):
                self.time, self.at = time, at
                self.step(cpu)
        self.at = 0
        self.time = self.shape.steps
        self.emit(Class.TRACER, STOP)
        return self.events

    def step(self, cpu: Cpu) -> None:
        """Let one CPU act for one step."""
        while cpu.services and cpu.services[-1][1] <= 0:
            self.emit(Class.INT, EXIT, cpu.services.pop()[0])
        if self.at == 0 and not (cpu.services and cpu.services[-1][0] == TICK_IRQ):
            self.expire(cpu)
        for wanted in [p for p in self.pending if p[0] <= self.time and p[2] == self.at]:
            if not cpu.services or wanted[1] > cpu.services[-1][0]:
                self.pending.remove(wanted)
                self.serve(cpu, wanted[1])
        if cpu.services:
            cpu.services[-1][1] -= 1
            return
        while self.scheduled(cpu):
            if cpu.thread is None or self.execute(cpu, cpu.thread):
                return

    def scheduled(self, cpu: Cpu) -> bool:
        """Switch to the thread that a CPU should run; return False while the kernel needs time."""
        best = self.best(cpu)
        gone = cpu.left or (cpu.thread is not None and cpu.thread.state != "ready")
        if gone or best is not cpu.thread:
            cpu.delay = self.shape.cost if cpu.delay is None else cpu.delay
            if cpu.delay > 0:
                cpu.delay -= 1
                return False
            if best is not cpu.thread:
                previous = cpu.thread.tid if cpu.thread else 0
                self.emit(Class.SCHED, SWITCH, previous, best.tid if best else 0)
            cpu.thread, cpu.left = best, False
        cpu.delay = None
        return True

    def best(self, cpu: Cpu) -> Thread | None:
        """Return the thread that this CPU should run."""
        taken = {other.thread.tid for other in self.cpus if other is not cpu and other.thread}
        able = [t for t in self.threads.values() if t.state == "ready" and t.tid not in taken]
        own = cpu.thread
        return min(able, key=lambda t: (-t.priority, t is not own, t.since, t.tid), default=None)

    def expire(self, cpu: Cpu) -> None:
        """Activate and wake threads whose time has come, in a tick interrupt or without one."""
        due = [t for t in self.threads.values() if t.period and t.due <= self.time]
        due = [t for t in due if t.state != "ended"]
        woken = [t for t in self.threads.values() if t.wakes is not None and t.wakes <= self.time]
        if not due and not woken:
            return
        if self.shape.tick_service >= 0:
            self.emit(Class.INT, ENTRY, TICK_IRQ)
        for thread in due:
            self.activate(thread)
        for thread in woken:
            thread.wakes = None
            self.ready(thread)
        if self.shape.tick_service >= 0:
            cpu.services.append([TICK_IRQ, self.shape.tick_service])
            if not self.shape.tick_service:
                self.emit(Class.INT, EXIT, cpu.services.pop()[0])

    def serve(self, cpu: Cpu, irq: int) -> None:
        """Begin a service, which may give the semaphore or resume a thread."""
        self.emit(Class.INT, ENTRY, irq)
        cpu.services.append([irq, self.rng.randrange(1, 5)])
        if "semaphore" in self.shape.features and self.rng.random() < 0.6:
            self.give(SEMAPHORE)
        if "suspend" in self.shape.features and self.rng.random() < 0.5:
            self.resume(self.threads[self.rng.randrange(1, self.shape.threads + 1)])

    def activate(self, thread: Thread) -> None:
        """Begin the next activation of a periodic thread."""
        thread.due = self.time + thread.period
        if thread.activated > thread.completed:
            self.emit(Class.SCHED, MISS, thread.tid, thread.activated)
        thread.activated += 1
        self.emit(Class.SCHED, ACTIVATION, thread.tid, thread.activated)
        if thread.state == "period":
            self.ready(thread)

    def ready(self, thread: Thread) -> None:
        """Make a thread ready."""
        thread.state, thread.since = "ready", self.time
        self.emit(Class.THREAD, READY, 0, thread.tid)

    def give(self, semaphore: int) -> None:
        """Signal the semaphore: a waiting thread gets it."""
        waiting = [t for t in self.threads.values() if t.state == "sem"]
        self.count += not waiting
        self.emit(Class.SYNC, SEM_SIGNAL, semaphore, self.count)
        if waiting:
            first = min(waiting, key=lambda t: (-t.priority, t.since))
            first.op = ("taken", semaphore)
            self.ready(first)

    def resume(self, thread: Thread) -> None:
        """Resume a suspended thread; a wait that the suspension ended begins again."""
        if thread.state == "stopped":
            self.ready(thread)

    def leave(self, cpu: Cpu, thread: Thread, number: int) -> None:
        """Let the running thread wait."""
        names = {NANOSLEEP: "sleep", MUTEX: "mutex", SEM: "sem"}
        thread.state, thread.since = names[number], self.time
        self.emit(Class.THREAD, number, 0, thread.tid)
        cpu.left = True

    def execute(self, cpu: Cpu, thread: Thread) -> bool:
        """Execute the next operation; return whether it took this step."""
        if thread.op is None:
            thread.op = next(thread.script, ("end", 0))
        name, value = thread.op
        if name == "work":
            thread.op = ("work", value - 1) if value > 1 else None
            return True
        self.emit(Class.KERCALL, CALLS[name])
        thread.op = None
        getattr(self, "do_" + name)(cpu, thread, value)
        return False

    def do_lock(self, cpu: Cpu, thread: Thread, mutex: int) -> None:
        """Lock a mutex, or wait for it."""
        owner = self.owner.get(mutex)
        if owner is None:
            self.own(thread, mutex)
            return
        self.emit(Class.SYNC, DENIED, mutex, owner.tid)
        if self.shape.inherit and owner.priority < thread.priority and owner.state != "ended":
            owner.priority = thread.priority
            self.emit(Class.SYNC, INHERIT, owner.tid, owner.priority)
        thread.op = ("lock", mutex)
        self.queue.setdefault(mutex, []).append(thread)
        self.leave(cpu, thread, MUTEX)

    def own(self, thread: Thread, mutex: int) -> None:
        """Make a thread the owner."""
        self.owner[mutex] = thread
        thread.mutexes.append(mutex)
        self.emit(Class.SYNC, GRANTED, mutex, thread.tid)

    def do_unlock(self, cpu: Cpu, thread: Thread, mutex: int) -> None:
        """Unlock a mutex and give it to the most urgent waiting thread."""
        del cpu, self.owner[mutex]
        thread.mutexes.remove(mutex)
        self.emit(Class.SYNC, UNLOCK, mutex, thread.tid)
        if not thread.mutexes and thread.priority != thread.base:
            thread.priority = thread.base
            self.emit(Class.SYNC, RESTORE, thread.tid, thread.base)
        waiting = [t for t in self.queue.get(mutex, []) if t.state == "mutex"]
        self.queue[mutex] = waiting
        if waiting:
            first = max(waiting, key=lambda t: t.priority)
            waiting.remove(first)
            first.op = None
            self.own(first, mutex)
            self.ready(first)

    def do_give(self, cpu: Cpu, thread: Thread, semaphore: int) -> None:
        """Signal the semaphore."""
        del cpu, thread
        self.give(semaphore)

    def do_wait(self, cpu: Cpu, thread: Thread, semaphore: int) -> None:
        """Take the semaphore, or wait for it."""
        if self.count:
            self.count -= 1
            self.emit(Class.SYNC, SEM_GRANTED, semaphore, self.count)
        else:
            self.emit(Class.SYNC, SEM_BLOCKED, semaphore, thread.tid)
            thread.op = ("wait", semaphore)
            self.leave(cpu, thread, SEM)

    def do_taken(self, cpu: Cpu, thread: Thread, semaphore: int) -> None:
        """Return from a wait with the semaphore."""
        del cpu, thread
        self.emit(Class.SYNC, SEM_GRANTED, semaphore, self.count)

    def do_sleep(self, cpu: Cpu, thread: Thread, steps: int) -> None:
        """Sleep."""
        thread.wakes = self.time + steps
        self.leave(cpu, thread, NANOSLEEP)

    def do_done(self, cpu: Cpu, thread: Thread, value: int) -> None:
        """Complete a job; wait for the next one unless it is activated already."""
        thread.completed += 1
        self.emit(Class.SCHED, COMPLETION, thread.tid, thread.completed)
        if thread.activated == thread.completed:
            self.do_rest(cpu, thread, value)

    def do_rest(self, cpu: Cpu, thread: Thread, value: int) -> None:
        """Wait for the next activation."""
        if thread.activated == thread.completed:
            thread.op = ("rest", value)
            self.leave(cpu, thread, NANOSLEEP)
            thread.state = "period"

    def do_periodic(self, cpu: Cpu, thread: Thread, steps: int) -> None:
        """Make the running thread periodic: its first job begins."""
        del cpu
        thread.period = steps
        self.activate(thread)

    def do_priority(self, cpu: Cpu, thread: Thread, priority: int) -> None:
        """Change the base priority."""
        del cpu
        if thread.priority == thread.base:
            thread.priority = priority
        thread.base = priority
        self.emit(Class.SCHED, PRIORITY, thread.tid, priority)

    def do_start(self, cpu: Cpu, thread: Thread, tid: int) -> None:
        """Start a created thread."""
        del cpu, thread
        if self.threads[tid].state == "created":
            self.ready(self.threads[tid])

    def do_suspend(self, cpu: Cpu, thread: Thread, tid: int) -> None:
        """Suspend another thread, unless it has the other CPU."""
        del cpu, thread
        other = self.threads[tid]
        owns = any(c.thread is other and not c.left for c in self.cpus)
        if other.state not in {"created", "ended", "stopped"} and not owns:
            other.wakes = None
            other.state = "stopped"
            self.emit(Class.THREAD, STOPPED, 0, tid)

    def do_resume(self, cpu: Cpu, thread: Thread, tid: int) -> None:
        """Resume another thread."""
        del cpu, thread
        self.resume(self.threads[tid])

    def do_end(self, cpu: Cpu, thread: Thread, value: int) -> None:
        """End the running thread; mutexes that it owns stay locked."""
        del value
        thread.state = "ended"
        self.emit(Class.THREAD, DEAD, 0, thread.tid)
        cpu.left = True

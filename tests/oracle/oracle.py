"""Figures by definition, from the complete list of events: docs/definitions.md, nothing else.

One pass over the events in their true order. Between two events each CPU has one owner; the time
is added to everything that this state decides. No event is looked up twice, no interval is cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.oracle import simulator as sim
from tickertape.protocol.events import EventClass as Class

if TYPE_CHECKING:
    from tests.oracle.simulator import Event

UNKNOWN, IDLE, KERNEL = "unknown", "idle", "kernel"
WAITS = {sim.NANOSLEEP: "NANOSLEEP", sim.MUTEX: "MUTEX", sim.SEM: "SEM"}
PLACES = {sim.FIRST_MUTEX: "m0", sim.FIRST_MUTEX + 0x10: "m1", sim.SEMAPHORE: "s"}
Values = list[int]


@dataclass
class Job:
    """A job: a number (0: without), times in ticks, and what it did."""

    number: int
    begin: int
    execution: int = 0
    ready: int | None = None
    first_run: int | None = None
    waited: Counter[int] = field(default_factory=Counter)
    end: int | None = None


@dataclass
class Life:
    """A thread from its CREATE to its end."""

    tid: int
    state: str = "created"
    jobs: list[Job] = field(default_factory=list)
    activations: Values = field(default_factory=list)
    cpu_time: int = 0
    preempted: int = 0
    interrupted: int = 0
    missed: int = 0
    blocked: Counter[str] = field(default_factory=Counter)
    wait: tuple[str, int] | None = None
    wait_began: int = 0
    ready_since: int | None = None
    completed_at_once: bool = False

    @property
    def job(self) -> Job | None:
        """The job that is under way, if any: the oldest one that has not ended."""
        return next((job for job in self.jobs if job.end is None), None)


@dataclass
class Service:
    """A service of an interrupt: its number, its begin, its own time, services open with it."""

    irq: int
    begin: int
    depth: int
    own: int = 0
    end: int | None = None


@dataclass
class Cpu:
    """A CPU: thread that has it (None: not known yet), whether the kernel has taken over.

    `assumed`: the thread runs since the end of an interrupt, and no event of its own shows that.
    """

    tid: int | None = None
    kernel: bool = False
    assumed: bool = False
    open: list[Service] = field(default_factory=list)
    times: Counter[str] = field(default_factory=Counter)


class Oracle:
    """The figures of one boot, by the definitions."""

    def __init__(self, events: list[Event], cpus: int) -> None:
        """Read all events."""
        self.lives: dict[int, Life] = {}
        self.cpus = [Cpu() for _ in range(cpus)]
        self.services: list[Service] = []
        self.owner: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self.holds: dict[int, Values] = defaultdict(list)
        self.waits: dict[int, Values] = defaultdict(list)
        self.takes: Counter[int] = Counter()
        self.contended: Counter[int] = Counter()
        self.denied: dict[int, int] = {}
        self.ambiguous: set[str] = set()
        self.features = {"one CPU"} if cpus == 1 else set()
        self.now = self.first = events[0].time
        for event in events:
            self.advance(event.time)
            self.apply(event)
        self.last = self.now

    def running(self, cpu: Cpu) -> Life | None:
        """Return the thread that runs on a CPU, if no interrupt is served there."""
        able = not cpu.open and not cpu.kernel and cpu.tid
        return self.lives[cpu.tid] if able and cpu.tid else None

    def advance(self, time: int) -> None:
        """Give the ticks up to a time to their owners."""
        ticks = time - self.now
        for cpu in self.cpus:
            life = self.running(cpu)
            if cpu.open:
                cpu.open[-1].own += ticks
                cpu.times["interrupts"] += ticks
            elif life:
                cpu.times["tasks"] += ticks
                life.cpu_time += ticks
                if life.job:
                    life.job.execution += ticks
            else:
                state = UNKNOWN if cpu.tid is None else KERNEL if cpu.kernel else IDLE
                cpu.times[state] += ticks
        for life in self.lives.values():
            if life.wait:
                kind, place = life.wait
                holder = self.owner.get(place) if kind == "MUTEX" else None
                owner = f"t{holder}" if holder else None
                life.blocked[f"{kind} {PLACES.get(place)} {owner}"] += ticks
                if life.job:
                    life.job.waited[place] += ticks
        self.now = time

    def apply(self, event: Event) -> None:
        """Change the state by one event."""
        cpu = self.cpus[event.cpu]
        if event.group == Class.KERCALL:
            self.evidence(cpu)
        elif event.group == Class.INT:
            self.interrupt(cpu, event)
        elif event.group == Class.THREAD:
            self.thread(cpu, event)
        elif event.group == Class.SCHED:
            self.schedule(cpu, event)
        elif event.group == Class.SYNC:
            self.synchronise(cpu, event)

    def evidence(self, cpu: Cpu) -> bool:
        """Let the thread that has the CPU run: an event shows it, or the end of an interrupt."""
        cpu.assumed = False
        woken = cpu.kernel and cpu.tid and self.lives[cpu.tid].state == "ready"
        if woken and cpu.tid:
            cpu.kernel = False
            self.features.add("woken")
            self.run(self.lives[cpu.tid])
        return bool(woken)

    def run(self, life: Life) -> None:
        """Let a thread run: its ready time ends, and its wait if it still waits."""
        self.end_wait(life)
        life.state = "running"
        if life.ready_since is not None and life.job:
            life.job.ready = max(life.job.ready or 0, self.now - life.ready_since)
        life.ready_since = None
        self.first_run(life)

    def first_run(self, life: Life) -> None:
        """Note when a job runs first: at a switch, its activation, the end of the job before it."""
        if life.state == "running" and life.job and life.job.first_run is None:
            life.job.first_run = self.now

    def interrupt(self, cpu: Cpu, event: Event) -> None:
        """Begin or end a service."""
        if event.number == sim.EXIT:
            cpu.open.pop().end = self.now
            cpu.assumed = not cpu.open and self.evidence(cpu)
            return
        life = self.running(cpu)
        if life:
            life.interrupted += 1
        if cpu.assumed:
            self.ambiguous.add("woken before its switch, and interrupted again without an event")
        cpu.open.append(Service(event.a, self.now, len(cpu.open) + 1))
        self.services.append(cpu.open[-1])

    def thread(self, cpu: Cpu, event: Event) -> None:
        """Follow the states of a thread."""
        life = self.lives.setdefault(event.b, Life(event.b))
        has_cpu = next((c for c in self.cpus if c.tid == life.tid), None)
        if event.number == sim.READY:
            self.end_wait(life)
            life.state, life.ready_since = "ready", self.now
            if has_cpu and not has_cpu.open:
                self.ambiguous.add("woken before its switch, and not by an interrupt of its CPU")
            if not life.jobs and not life.activations:
                life.jobs.append(Job(0, self.now))
        elif event.number == sim.STOPPED:
            self.end_wait(life)
            life.state, life.ready_since = "suspended", None
            if has_cpu:
                has_cpu.kernel = True
        elif event.number == sim.DEAD:
            life.state = "ended"
            cpu.kernel = True
            if life.job and not life.activations:
                life.job.end = self.now
        elif event.number in WAITS:
            self.begin_wait(cpu, life, event.number)
        life.completed_at_once = False

    def begin_wait(self, cpu: Cpu, life: Life, number: int) -> None:
        """Let the running thread wait; the wait for the next activation is not a wait."""
        life.state, life.ready_since = "waiting", None
        cpu.kernel = True
        if number == sim.NANOSLEEP and life.activations and not life.job:
            return
        place = self.denied.pop(life.tid, 0) if number != sim.NANOSLEEP else 0
        life.wait, life.wait_began = (WAITS[number], place), self.now
        self.contended[place] += 1

    def end_wait(self, life: Life) -> None:
        """End a wait."""
        if life.wait:
            self.waits[life.wait[1]].append(self.now - life.wait_began)
        life.wait = None

    def schedule(self, cpu: Cpu, event: Event) -> None:
        """Follow switches and jobs."""
        if event.number == sim.SWITCH:
            self.switch(cpu, event)
            return
        life = self.lives[event.a]
        if event.number == sim.ACTIVATION:
            if not life.activations:
                life.jobs = []  # with numbers: what it did before is not a job
            life.activations.append(self.now)
            life.jobs.append(Job(event.b, self.now))
            if life.state == "ready" and life.job is life.jobs[-1]:
                life.ready_since = self.now
            self.first_run(life)
        elif event.number == sim.COMPLETION:
            self.evidence(cpu)
            job = life.job
            assert job is not None
            assert job.number == event.b
            job.end = self.now
            cpu.kernel = life.job is None
            self.first_run(life)
        elif event.number == sim.MISS:
            life.missed += 1
            self.features.add("overrun")

    def switch(self, cpu: Cpu, event: Event) -> None:
        """Switch a CPU from one thread to another."""
        before = self.lives.get(cpu.tid or 0)
        if cpu.assumed or (before and before.state == "ready"):
            self.ambiguous.add("woken before its switch, and switched out without an event")
        cpu.assumed = False
        if before and before.state == "running" and not cpu.kernel:
            before.preempted += 1
            before.state = "ready"
        cpu.tid, cpu.kernel = event.b, False
        if event.b:
            self.run(self.lives[event.b])

    def synchronise(self, cpu: Cpu, event: Event) -> None:
        """Follow mutexes and the semaphore."""
        place = event.a
        if event.number == sim.GRANTED:
            self.owner[place], self.taken[place] = event.b, self.now
            self.takes[place] += 1
            life = self.lives[event.b]
            if life.wait:
                self.end_wait(life)
        elif event.number == sim.UNLOCK:
            self.holds[place].append(self.now - self.taken.pop(place))
            del self.owner[place]
        elif event.number == sim.DENIED:
            self.denied[cpu.tid or 0] = place
        elif event.number == sim.SEM_BLOCKED:
            self.denied[event.b] = place
        elif event.number == sim.SEM_GRANTED:
            self.takes[place] += 1


def distribution(values: Values) -> dict[str, float | None]:
    """Return the figures of a distribution."""
    if not values:
        return {"count": 0}
    order = sorted(values)
    figures: dict[str, float | None] = {
        f"p{percent}": order[-(-percent * len(order) // 100) - 1] for percent in (50, 95, 99)
    }
    figures |= {"count": len(order), "min": order[0], "max": order[-1]}
    return figures | {"mean": sum(order) / len(order)}


def _flat(name: str, values: Values) -> dict[str, float | None]:
    return {f"{name}.{key}": value for key, value in distribution(values).items()}


def longest(oracle: Oracle, life: Life) -> dict[str, int]:
    """Return the figures that `check` limits; a job that is under way counts as far as it got."""
    jobs = [j for j in life.jobs if j.end is not None or life.state != "ended"]
    now = oracle.last
    if not jobs:
        return {}
    return {
        "response": max((now if j.end is None else j.end) - j.begin for j in jobs),
        "execution": max(j.execution for j in jobs),
        "latency": max((now if j.first_run is None else j.first_run) - j.begin for j in jobs),
        "blocking": max(sum(j.waited.values()) for j in jobs),
    }


def figures(oracle: Oracle) -> dict[str, dict[str, float | None]]:
    """Return all figures: by task, interrupt, object and CPU, then by the key in `stats --json`."""
    observed = oracle.last - oracle.first
    result: dict[str, dict[str, float | None]] = {}
    for life in oracle.lives.values():
        done = [(job, job.end - job.begin) for job in life.jobs if job.end is not None]
        starts = life.activations
        periods = [b - a for a, b in pairwise(starts)]
        row: dict[str, float | None] = {
            "cpu_time": life.cpu_time,
            "load": life.cpu_time / observed,
            "activations": len(life.jobs),
            "preemptions": life.preempted,
            "interruptions": life.interrupted,
            "deadline_misses": life.missed,
            "period_jitter": max(periods) - min(periods) if periods else None,
        }
        row |= _flat("response", [response for _, response in done])
        row |= _flat("execution", [job.execution for job, _ in done])
        row |= _flat("period", periods)
        row["latency.max"] = max((j.ready for j in life.jobs if j.ready is not None), default=None)
        row |= {f"longest {name}": value for name, value in longest(oracle, life).items()}
        row |= {f"blocked.{key}": ticks for key, ticks in life.blocked.items() if ticks}
        result[f"task {life.tid}"] = row
    for irq in sorted({service.irq for service in oracle.services}):
        mine = [s for s in oracle.services if s.irq == irq]
        ended = [(s, s.end - s.begin) for s in mine if s.end is not None]
        row = {"cpu_time": sum(s.own for s in mine), "activations": len(mine)}
        row |= {"nesting": max(s.depth for s in mine)}
        row |= _flat("response", [response for _, response in ended])
        row |= _flat("execution", [s.own for s, _ in ended])
        result[f"interrupt {irq}"] = row
    for place, name in PLACES.items():
        row = {"takes": oracle.takes[place], "contended": oracle.contended[place]}
        row |= _flat("hold", oracle.holds[place]) | _flat("wait", oracle.waits[place])
        result[f"object {name}"] = row
    for number, cpu in enumerate(oracle.cpus):
        keys = ("tasks", "interrupts", IDLE, KERNEL, UNKNOWN)
        result[f"cpu {number}"] = {key: cpu.times[key] for key in keys}
    return result

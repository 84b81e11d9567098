"""Make random schedules of a machine, with the true owner of every tick of each CPU."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.support.columns import Row, columns, state, switch
from tickertape.decode.events import Gap

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

IDLE = "idle"
KERNEL = "kernel"
ENTRY, EXIT = (3, 1), (3, 2)
READY, WAIT = 2, 17
START, STOP = (14, 0), (14, 1)
COMMAND, DEL_CLASS = (14, 10), 10

Owner = str | tuple[str, int]
"""A task ("task", 3), an interrupt ("interrupt", 20), IDLE or KERNEL."""


@dataclass
class Cpu:
    """State of one CPU while a schedule is made; each CPU has its own threads.

    Attributes:
        thread: thread of the last context switch.
        waits: `thread` waits, and no switch to another thread has happened yet.
        interrupts: active interrupts, the innermost last.
        waiting: threads that wait.
    """

    number: int
    thread: int = 0
    waits: bool = False
    interrupts: list[int] = field(default_factory=list)
    waiting: set[int] = field(default_factory=set)

    @property
    def owner(self) -> Owner:
        if self.interrupts:
            return "interrupt", self.interrupts[-1]
        if self.waits:
            return KERNEL
        return IDLE if self.thread == 0 else ("task", self.thread)

    def step(self, time: int, chance: random.Random) -> list[Row]:
        """Take a random action at a time; return its records."""
        what = chance.choice(["switch", "switch", "wait", "enter", "exit", "user"])
        if what == "enter" and len(self.interrupts) < 2:
            self.interrupts.append(chance.choice([20, 21]) + 2 * len(self.interrupts))
            return [Row(time, ENTRY, (self.interrupts[-1], 0), cpu=self.number)]
        if what == "exit" and self.interrupts:
            return [Row(time, EXIT, (self.interrupts.pop(), 0), cpu=self.number)]
        if what == "wait" and self.thread and not self.waits and not self.interrupts:
            self.waits = True
            self.waiting.add(self.thread)
            return [state(time, WAIT, self.thread, cpu=self.number)]
        if what == "switch" and not self.interrupts:
            first = 1 + 3 * self.number
            following = chance.choice([0, first, first + 1, first + 2])
            rows = []
            if following in self.waiting:
                self.waiting.remove(following)
                rows.append(state(time, READY, following, cpu=self.number))
            rows.append(switch(time, self.thread, following, cpu=self.number))
            self.thread, self.waits = following, False
            return rows
        return [Row(time, cpu=self.number)]


@dataclass(frozen=True)
class Schedule:
    """Records of a schedule, and the truth about it.

    Attributes:
        rows: all records, in order of time.
        owners: by CPU, the owner of each tick, by the time at which the tick begins.
        threads: for each row, the thread of the last context switch of its CPU before the row.
    """

    rows: list[Row]
    owners: dict[int, list[Owner]]
    threads: list[int]

    def time_of(self, cpu: int, spans: list[tuple[int, int]]) -> Counter[Owner]:
        """Return the true ticks of each owner in some (begin, end) spans."""
        return Counter(owner for begin, end in spans for owner in self.owners[cpu][begin:end])


def schedule(seed: int, cpus: int = 1, steps: int = 60) -> Schedule:
    """Return a complete schedule: each CPU begins with a switch at time 0."""
    chance = random.Random(seed)
    machine = [Cpu(number) for number in range(cpus)]
    rows: list[Row] = []
    threads: list[int] = []
    owners: dict[int, list[Owner]] = {cpu.number: [] for cpu in machine}
    time = 0
    for step in range(steps):
        cpu = machine[step] if step < cpus else chance.choice(machine)
        before = cpu.thread
        if step < cpus:
            cpu.thread = 1 + 3 * cpu.number
            new = [switch(time, 0, cpu.thread, cpu=cpu.number)]
        else:
            new = cpu.step(time, chance)
        rows += new
        threads += [before] * len(new)
        ticks = 0 if step < cpus - 1 else chance.choice([0, 1, 1, 2, 7])
        time += ticks
        for one in machine:
            owners[one.number] += [one.owner] * ticks
    rows += [Row(time, cpu=one.number) for one in machine]
    threads += [one.thread for one in machine]
    return Schedule(rows, owners, threads)


@dataclass(frozen=True)
class Part:
    """The recorded part of a schedule.

    Attributes:
        columns: recorded events.
        blind: by CPU, the span in which the owner may be unknown: from the last record before the
            hole to the first switch after it.
        kept: for each recorded row, its number in the schedule; None for the tracer's own rows.
    """

    columns: EventColumns
    blind: dict[int, tuple[int, int]]
    kept: list[int | None]


def with_gap(whole: Schedule, first: int, behind: int, cpu: int) -> Part:
    """Remove the records of a CPU from row `first` to before `behind`; one must precede."""
    kept = [i for i, row in enumerate(whole.rows) if not (first <= i < behind and row.cpu == cpu)]
    before = max(i for i in kept if i < first and whole.rows[i].cpu == cpu)
    later = next((i for i in kept if i >= behind and whole.rows[i].cpu == cpu), len(whole.rows))
    begin, count = whole.rows[before].time, len(whole.rows) - len(kept)
    row = sum(i < later for i in kept)
    gap = Gap(row, 0, cpu, 0, count, count, 0, 0, begin_ticks=begin, end_ticks=begin)
    made = columns([whole.rows[i] for i in kept], [gap] if count else [])
    blind = {cpu: (begin, _next_switch(whole, behind, cpu))} if count else {}
    return Part(made, blind, list(kept))


def stopped(whole: Schedule, first: int, behind: int, strays: int = 0) -> Part:
    """Record nothing from row `first` to before `behind`, except `strays` rows after the STOP."""
    rows = whole.rows
    stop = Row(rows[first - 1].time, STOP, (0, 0))
    start = Row(rows[behind].time, START, (0, 0))
    behind_stop = range(first, min(first + strays, behind))
    kept: list[int | None] = [*range(first), None, *behind_stop, None, *range(behind, len(rows))]
    tracer = iter([stop, start])
    made = columns([next(tracer) if i is None else rows[i] for i in kept])
    cpus = {row.cpu for row in rows}
    blind = {cpu: (stop.time, _next_switch(whole, behind, cpu)) for cpu in cpus}
    return Part(made, blind, kept)


def deselected(whole: Schedule, first: int, behind: int) -> Part:
    """Remove the switches from row `first` to before `behind`: a command deselects class SCHED."""
    rows = whole.rows
    command = Row(rows[first - 1].time, COMMAND, (DEL_CLASS, 0))
    seen = [i for i in range(first, behind) if rows[i].kind != (9, 0)]
    kept: list[int | None] = [*range(first), None, *seen, *range(behind, len(rows))]
    made = columns([command if i is None else rows[i] for i in kept])
    cpus = {row.cpu for row in rows}
    blind = {cpu: (command.time, _next_switch(whole, behind, cpu)) for cpu in cpus}
    return Part(made, blind, kept)


def of_another_stream(part: Part) -> Part:
    """Change the tracer's own records to another stream, so that this stream does not stop."""
    data0 = part.columns.data0.copy()
    data0[[i for i, kept in enumerate(part.kept) if kept is None]] = 1
    return replace(part, columns=replace(part.columns, data0=data0))


def _next_switch(whole: Schedule, behind: int, cpu: int) -> int:
    later = (row for row in whole.rows[behind:] if (row.cpu, row.kind) == (cpu, (9, 0)))
    return next((row.time for row in later), whole.rows[-1].time)

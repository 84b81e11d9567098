"""Simulate cores, tasks, interrupts, mutexes, semaphores and spin locks as a BTF system trace.

The simulation also records the true runs. It uses no tapes:

    system = BtfSystem(random.Random(1), cores=2)
    text = system.live(steps=100)
    system.ran  # process, core, begin and end of each run
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random

    from tickertape.formats.btf.lines import BtfEvent

_BEGINS = {"start", "resume", "poll_parking"}
_ENDS = {"preempt", "park", "wait", "terminate"}
POLLS = {"poll", "run", "park", "poll_parking", "release_parking"}


class Run(NamedTuple):
    """A process ran on a core from `begin` to `end`."""

    core: str
    process: str
    begin: int
    end: int


@dataclass(eq=False)
class _Task:
    name: str
    state: str = "ended"
    instance: int = -1
    queued: list[int] = field(default_factory=list)
    is_new: bool = False  # the instance has not started
    runnables: list[tuple[str, int]] = field(default_factory=list)
    has: _Mutex | None = None
    spins: _Spin | None = None  # spin lock that it owns or polls for
    polls: bool = False
    uses: _Counted | None = None  # semaphore that it owns or waits for

    @property
    def said(self) -> str:
        return f"{self.name},{self.instance}"


@dataclass(eq=False)
class _Mutex:
    name: str
    owner: _Task | None = None
    waiting: list[_Task] = field(default_factory=list)

    @property
    def count(self) -> int:
        return (self.owner is not None) + len(self.waiting)


@dataclass(eq=False)
class _Counted:
    """A counting semaphore; `limit` is the highest number of owners."""

    name: str
    limit: int
    owners: list[_Task] = field(default_factory=list)
    waiting: list[_Task] = field(default_factory=list)

    def state(self, before: int, after: int) -> str:
        """Return BTF's word for a change of the count."""
        if after > self.limit:
            return "overfull"
        if after == self.limit:
            return "lock_used" if after > before else "full"
        if after == 0:
            return "free"
        return "unlock_full" if before == self.limit else "used"


@dataclass(eq=False)
class _Spin:
    name: str
    owner: _Task | None = None


class BtfSystem:
    """A simulated system.

    Attributes:
        ran: all runs, in the order of their begin; `end` is -1 while a run lasts.
    """

    def __init__(self, rng: random.Random, cores: int) -> None:
        """Begin without an active task, with cores 0 to `cores` - 1."""
        self.ran: list[Run] = []
        self._rng = rng
        self._time = 0
        self._lines: list[str] = []
        self._cores: list[_Task | None] = [None] * cores
        self._isr_on: list[int] = [-1] * cores
        self._requested = [-1] * cores
        self._tasks = [_Task(f"T{number}") for number in range(2 * cores)]
        self._mutexes = [_Mutex(f"M{number}") for number in range(1 + cores // 2)]
        self._spins = [_Spin(f"L{number}") for number in range(1 + cores // 4)]
        self._counted = [_Counted(f"C{number}", 2 + number) for number in range(1 + cores // 4)]
        self._counts: dict[str, int] = {}

    def live(self, steps: int, scale: str = "ns") -> str:
        """Take `steps` random steps, end all runs, and return the text of the trace."""
        actions = [self._activate, self._dispatch, self._dispatch, self._preempt, self._sleep]
        actions += [self._wake, self._end, self._call, self._return, self._interrupt]
        actions += [self._take, self._take, self._give, self._give, self._write]
        actions += [self._count, self._count, self._uncount, self._uncount]
        actions += [self._spin, self._spin, self._unspin, self._ask]
        self._activate()
        for _ in range(steps):
            self._time += self._rng.choice([0, 0, 1, 3, 1000])
            self._rng.choice(actions)()
        self._time += 1
        for core in range(len(self._cores)):
            if self._isr_on[core] >= 0:
                self._end_interrupt(core)
            self._leave(core, "preempt")
        head = (
            f"#version 2.3.0\n#creator test\n#creationDate 2026-01-01T00:00:00Z\n#timescale {scale}"
        )
        return "\n".join([head, *self._lines, ""])

    def _say(self, line: str) -> None:
        self._lines.append(f"{self._time},{line}")

    def _next(self, name: str) -> int:
        self._counts[name] = self._counts.get(name, -1) + 1
        return self._counts[name]

    # One step ------------------------------------------------------------------------------------

    def _running(self) -> tuple[int, _Task] | None:
        found = [
            (core, task)
            for core, task in enumerate(self._cores)
            if task is not None and self._isr_on[core] < 0 and not task.polls
        ]
        return self._rng.choice(found) if found else None

    def _some(self, *states: str) -> _Task | None:
        found = [task for task in self._tasks if task.state in states]
        return self._rng.choice(found) if found else None

    def _activate(self) -> None:
        """Activate a task by time or by a running task; queue the activation of an active task."""
        task = self._some("ended") if self._rng.random() < 0.9 else self._rng.choice(self._tasks)
        if task is None:
            return
        cause = self._running() if self._rng.random() < 0.5 else None
        stimulus = f"S_{task.name},{self._next(task.name)}"
        self._say(f"{stimulus if cause is None else cause[1].said},STI,{stimulus},trigger")
        number = self._counts[task.name]
        if task.state != "ended" and len(task.queued) == 2:
            self._say(f"{stimulus},T,{task.name},{number},mtalimitexceeded")
            return
        self._say(f"{stimulus},T,{task.name},{number},activate")
        if task.state == "ended":
            task.state, task.instance, task.is_new = "ready", number, True
        else:
            task.queued.append(number)

    def _dispatch(self) -> None:
        free = [
            core for core, task in enumerate(self._cores) if task is None and self._isr_on[core] < 0
        ]
        task = self._some("ready")
        if free and task is not None:
            self._enter(self._rng.choice(free), task)

    def _enter(self, core: int, task: _Task) -> None:
        word = "start" if task.is_new else "poll_parking" if task.polls else "resume"
        self._say(f"Core_{core},0,T,{task.said},{word}")
        task.state, task.is_new, self._cores[core] = "running", False, task
        self._begin_run(core, task.name)
        for name, number in task.runnables:
            self._say(f"{task.said},R,{name},{number},resume")
        if task.polls and task.spins is not None and task.spins.owner is None:
            self._get(core, task, task.spins)

    def _leave(self, core: int, word: str) -> _Task | None:
        """Take the task off a core and return it; None if no task runs there."""
        task = self._cores[core]
        if task is None or self._isr_on[core] >= 0:
            return None
        end = "terminate" if word == "terminate" else "suspend"
        for name, number in reversed(task.runnables):
            self._say(f"{task.said},R,{name},{number},{end}")
        word = "park" if task.polls else word
        self._say(f"Core_{core},0,T,{task.said},{word}")
        self._cores[core] = None
        self._end_run(core)
        states = {"preempt": "ready", "park": "ready", "wait": "waiting", "terminate": "ended"}
        task.state = states[word]
        return task

    def _preempt(self) -> None:
        self._leave(self._rng.randrange(len(self._cores)), "preempt")

    def _sleep(self) -> None:
        found = self._running()
        if found is not None:
            self._leave(found[0], "wait")

    def _wake(self) -> None:
        task = self._some("waiting")
        waiting = [one.waiting for one in self._mutexes] + [one.waiting for one in self._counted]
        if task is not None and not any(task in queue for queue in waiting):
            self._release(task)

    def _release(self, task: _Task) -> None:
        core = next(run.core for run in reversed(self.ran) if run.process == task.name)
        self._say(f"{core},0,T,{task.said},release")
        task.state = "ready"

    def _end(self) -> None:
        found = self._running()
        if found is None or found[1].has or found[1].spins or found[1].uses:
            return
        task = self._leave(found[0], "terminate")
        assert task is not None
        task.runnables.clear()
        if task.queued:
            task.instance = task.queued.pop(0)
            task.state, task.is_new = "ready", True

    def _call(self) -> None:
        found = self._running()
        if found is not None:
            name = f"R{self._rng.randrange(4)}"
            found[1].runnables.append((name, self._next(name)))
            self._say(f"{found[1].said},R,{name},{self._counts[name]},start")

    def _return(self) -> None:
        found = self._running()
        if found is not None and found[1].runnables:
            name, number = found[1].runnables.pop()
            self._say(f"{found[1].said},R,{name},{number},terminate")

    def _write(self) -> None:
        found = self._running()
        if found is not None:
            self._say(f"{found[1].said},SIG,V,0,write,{self._rng.randrange(100)}")

    def _interrupt(self) -> None:
        """Start an interrupt on a random core, or end the one that runs there."""
        core = self._rng.randrange(len(self._cores))
        name = f"ISR_{core}"
        if self._isr_on[core] < 0:
            task = self._leave(core, "preempt")
            number = self._requested[core]
            self._requested[core] = -1
            if number < 0:
                number = self._next(name)
                self._request(core, number)
            self._say(f"Core_{core},0,I,{name},{number},start")
            self._isr_on[core], self._cores[core] = number, task
            if task is not None:
                task.state = "interrupted"
            self._begin_run(core, name)
        else:
            self._end_interrupt(core)

    def _request(self, core: int, number: int) -> None:
        self._say(f"IRQ_{core},{number},STI,IRQ_{core},{number},trigger")
        self._say(f"IRQ_{core},{number},I,ISR_{core},{number},activate")

    def _ask(self) -> None:
        """Request an interrupt on a random core; `_interrupt` starts it later."""
        core = self._rng.randrange(len(self._cores))
        if self._isr_on[core] < 0 and self._requested[core] < 0:
            self._requested[core] = self._next(f"ISR_{core}")
            self._request(core, self._requested[core])

    def _end_interrupt(self, core: int) -> None:
        self._say(f"Core_{core},0,I,ISR_{core},{self._isr_on[core]},terminate")
        self._isr_on[core] = -1
        self._end_run(core)
        task = self._cores[core]
        if task is not None:
            self._enter(core, task)

    # Mutexes -------------------------------------------------------------------------------------

    def _take(self) -> None:
        found = self._running()
        if found is None or found[1].has is not None:
            return
        core, task = found
        one = self._rng.choice(self._mutexes)
        by, sem, before = f"{task.said},SEM,{one.name},0", f"SEM,{one.name},0", one.count
        self._say(f"{by},requestsemaphore,{before}")
        self._say(f"{by},increment,{before + 1}")
        self._say(f"{by},queued,{before + 1}")
        word = "overfull" if before else "lock"
        self._say(f"{one.name},0,{sem},{word},{before + 1}")
        if not before:
            one.owner, task.has = task, one
            self._say(f"{by},assigned,1")
            return
        self._say(f"{by},waiting,{before + 1}")
        one.waiting.append(task)
        if self._rng.random() < 0.5:
            self._poll(core, task)
        else:
            self._leave(core, "wait")

    def _poll(self, core: int, task: _Task) -> None:
        task.polls = True
        self._say(f"Core_{core},0,T,{task.said},poll")

    def _give(self) -> None:
        found = self._running()
        if found is None or found[1].has is None:
            return
        task, one = found[1], found[1].has
        by, own, before = f"{task.said},SEM", f"{one.name},0,SEM,{one.name},0", one.count
        self._say(f"{by},{one.name},0,released,{before}")
        self._say(f"{by},{one.name},0,decrement,{before - 1}")
        word = {1: "unlock", 2: "full"}.get(before, "overfull")
        self._say(f"{own},{word},{before - 1}")
        task.has = one.owner = None
        if one.waiting:
            next_ = one.owner = one.waiting.pop(0)
            next_.has = one
            self._say(f"{next_.said},SEM,{one.name},0,assigned,{before - 1}")
            if not next_.polls:
                self._release(next_)
                return
            next_.polls = False
            run = next(run for run in reversed(self.ran) if run.process == next_.name)
            word = "run" if run.end < 0 else "release_parking"
            self._say(f"{run.core},0,T,{next_.said},{word}")

    # Counting semaphores -------------------------------------------------------------------------

    def _count(self) -> None:
        found = self._running()
        if found is None or found[1].uses is not None:
            return
        core, task = found
        task.uses = one = self._rng.choice(self._counted)
        before = len(one.owners) + len(one.waiting)
        by, sem = f"{task.said},SEM,{one.name},0", f"{one.name},0,SEM,{one.name},0"
        self._say(f"{by},requestsemaphore,{before}")
        self._say(f"{by},increment,{before + 1}")
        self._say(f"{by},queued,{before + 1}")
        self._say(f"{sem},{one.state(before, before + 1)},{before + 1}")
        if before < one.limit:
            one.owners.append(task)
            self._say(f"{by},assigned,{before + 1}")
            return
        self._say(f"{by},waiting,{before + 1}")
        one.waiting.append(task)
        self._leave(core, "wait")

    def _uncount(self) -> None:
        found = self._running()
        one = None if found is None else found[1].uses
        if found is None or one is None:
            return
        task = found[1]
        before = len(one.owners) + len(one.waiting)
        by, sem = f"{task.said},SEM,{one.name},0", f"{one.name},0,SEM,{one.name},0"
        self._say(f"{by},released,{before}")
        self._say(f"{by},decrement,{before - 1}")
        self._say(f"{sem},{one.state(before, before - 1)},{before - 1}")
        task.uses = None
        one.owners.remove(task)
        if one.waiting:
            next_ = one.waiting.pop(0)
            one.owners.append(next_)
            self._say(f"{next_.said},SEM,{one.name},0,assigned,{before - 1}")
            self._release(next_)

    # Spin locks ----------------------------------------------------------------------------------

    def _spin(self) -> None:
        found = self._running()
        if found is None or found[1].spins is not None:
            return
        core, task = found
        task.spins = one = self._rng.choice(self._spins)
        self._say(f"{task.said},SEM,{one.name},0,requestsemaphore")
        if one.owner is None:
            self._get(core, task, one)
        else:
            self._poll(core, task)

    def _get(self, core: int, task: _Task, one: _Spin) -> None:
        one.owner = task
        self._say(f"{one.name},0,SEM,{one.name},0,lock")
        self._say(f"{task.said},SEM,{one.name},0,assigned")
        if task.polls:
            task.polls = False
            self._say(f"Core_{core},0,T,{task.said},run")

    def _unspin(self) -> None:
        """Release a spin lock; a running task that polls for it gets it."""
        found = self._running()
        one = None if found is None else found[1].spins
        if found is None or one is None:
            return
        self._say(f"{found[1].said},SEM,{one.name},0,released")
        self._say(f"{one.name},0,SEM,{one.name},0,unlock")
        found[1].spins = one.owner = None
        for core, task in enumerate(self._cores):
            if task is not None and task.spins is one and self._isr_on[core] < 0:
                self._get(core, task, one)
                return

    # Runs ----------------------------------------------------------------------------------------

    def _begin_run(self, core: int, name: str) -> None:
        self.ran.append(Run(f"Core_{core}", name, self._time, -1))

    def _end_run(self, core: int) -> None:
        place = max(at for at, run in enumerate(self.ran) if run.core == f"Core_{core}")
        self.ran[place] = self.ran[place]._replace(end=self._time)


def joined(runs: list[Run]) -> list[Run]:
    """Return the non-empty runs, sorted; join adjacent runs of one process on one core."""
    found: list[Run] = []
    for run in sorted(run for run in runs if run.begin < run.end):
        last = found[-1] if found else None
        if last is not None and (*last[:2], last.end) == run[:3]:
            found[-1] = last._replace(end=run.end)
        else:
            found.append(run)
    return sorted(found)


def runs_of(events: list[BtfEvent]) -> list[Run]:
    """Return the runs that the events of a trace state."""
    found: list[Run] = []
    begins: dict[tuple[str, int | None], tuple[str, int]] = {}
    for event in events:
        key = event.target, event.instance
        if event.type not in {"T", "I"}:
            continue
        if event.event in _BEGINS:
            assert key not in begins
            begins[key] = event.source, event.time
        elif event.event in _ENDS:
            core, begin = begins.pop(key)
            assert core == event.source
            found.append(Run(core, event.target, begin, event.time))
    assert not begins
    return found

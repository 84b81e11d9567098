"""The state of processes, cores, runnables and objects while the model follows events."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, State, semaphore_state

NUMBERS: Final = 1 << 32
"""Number of different numbers of activations; they wrap."""

# For an unknown limit: 1 permit is taken while permits are left, 2 when none is left.
_SOME_LIMIT: Final = 2


@dataclass(slots=True)
class Runnable:
    """A runnable that has begun and not ended."""

    entity: int
    instance: int = 0
    state: State = State.TERMINATED


@dataclass(slots=True, eq=False)
class Lock:
    """A mutex, spin lock or semaphore; a missing permit of a semaphore counts as taken.

    Attributes:
        entity: index of the lock in the entities.
        limit: maximum number of holders, 0 if unknown.
        taken: number of holders, None if unknown.
        waiting: number of waiters, None if unknown.
        state: state that the transitions last reported.
    """

    entity: int
    limit: int
    taken: int | None = None
    waiting: int | None = None
    state: State = State.UNKNOWN

    @property
    def all(self) -> int:
        """Number of holders when no permit is left."""
        return self.limit or _SOME_LIMIT

    def taken_with(self, left: int) -> int:
        """Return the number of holders while `left` permits are free."""
        return max(0, self.limit - left) if self.limit else _SOME_LIMIT - min(left, 1)

    def share(self, wanting: int, left: int, count: int) -> bool:
        """Set the counts after an event of a kernel whose woken waiters take permits themselves.

        On release, a kernel either hands the permit to a waiter, or only wakes the waiter, which
        takes the permit when it runs. In the second case another process may be faster, and `left`
        includes the permits that the woken processes will take.

        Args:
            wanting: number of processes that requested a permit and have none yet.
            left: number of free permits after the event.
            count: number of holders and waiters after the event, by the counts so far.

        Returns:
            True if woken processes explain `left`. False: nothing has changed.
        """
        if not wanting or self.count == NOT_KNOWN or self.limit - left + wanting != count:
            return False
        self.waiting = max(0, wanting - left)
        self.taken = count - self.waiting
        return True

    @property
    def count(self) -> int:
        """Number of holders and waiters; NOT_KNOWN if unknown."""
        if not self.limit or self.taken is None or self.waiting is None:
            return NOT_KNOWN
        return self.taken + self.waiting

    @property
    def state_by_counts(self) -> State:
        """The state that follows from the counts."""
        if self.taken is None or self.waiting is None:
            return State.UNKNOWN
        return semaphore_state(self.taken + self.waiting, self.all)


class Queue:
    """Activated instances of a process that wait for the current one, in order.

    Consecutive instances with consecutive numbers of activations are one run, so that a thread
    without a CPU needs no memory for each activation.
    """

    def __init__(self) -> None:
        """Begin without instances."""
        self._runs: deque[list[int]] = deque()  # instance, number of the activation, length
        self.count = 0

    def put(self, instance: int, number: int) -> None:
        """Add an instance and the number of its activation."""
        self.count += 1
        if self._runs:
            first, since, length = last = self._runs[-1]
            if (first + length, (since + length) % NUMBERS) == (instance, number):
                last[2] += 1
                return
        self._runs.append([instance, number, 1])

    @property
    def next(self) -> tuple[int, int]:
        """The first instance and the number of its activation."""
        first, since, _ = self._runs[0]
        return first, since

    def take(self) -> tuple[int, int]:
        """Remove the first instance; return it and the number of its activation."""
        run = self._runs[0]
        found = run[0], run[1]
        self.count -= 1
        run[0], run[1], run[2] = run[0] + 1, (run[1] + 1) % NUMBERS, run[2] - 1
        if not run[2]:
            self._runs.popleft()
        return found

    def has(self, number: int) -> bool:
        """Return whether an instance with this number of activation is among them."""
        return any((number - since) % NUMBERS < length for _, since, length in self._runs)

    def clear(self) -> None:
        """Remove all instances."""
        self._runs.clear()
        self.count = 0


@dataclass(slots=True, eq=False)
class Process:
    """A thread, or an interrupt on one CPU.

    Attributes:
        entity: index of its task or interrupt in the entities.
        instance: number of the current or last instance.
        state: state of that instance.
        job: number of the activation that the instance belongs to; NOT_KNOWN if unknown or none.
        is_life: no activation began the instance: it is a life, or the thread is not periodic any
            more.
        queue: later instances that are already activated.
        core: core where it runs or ran last.
        runnables: open runnables, the innermost last.
        is_lost: the current instance is unknown: none was seen yet, or records are missing.
        is_created: CREATE was its last event; whether it is new is still unknown.
        is_periodic: activation events count its instances.
        is_stopped: a call on another CPU suspended it, and it has not left its core yet.
        suspended_in: state in which it was suspended, while it is SUSPENDED.
        wanted: lock that it waits for.
        polls: spin lock that it polls for; None if it polls for something else or does not poll.
        event: OS event that it waits for, or NO_ENTITY.
        event_bits: bits of `event` that it waits for.
        relock: mutex that it takes again after its condition is met.
        activated: number of its last activation; NOT_KNOWN if later ones may be missing.
        completed: number of its last completion; NOT_KNOWN if later ones may be missing.
        offset: instance minus number of the last activation; None before the first one.
        is_behind_gap: records were missing since the last activation.
        is_queued: the pending instances are ready: the next one begins when the thread gets a
            core.
        due: an instance that was activated while it was unknown whether the one before had ended,
            and the number of its activation; None otherwise.
        spare: number for the instance before `due`, if that one shows to be open; None otherwise.
        is_unsure: an instance has ended, and whether the next one has begun is unknown.
        is_vague: it may wait, or have waited, for something without a recorded request.
        channel: channel of the message that it sends.
        message: number of that message.
        domain: number of its domain; 0 for the kernel core or if unknown.
    """

    entity: int
    instance: int = 0
    state: State = State.UNKNOWN
    job: int = NOT_KNOWN
    is_life: bool = False
    queue: Queue = field(default_factory=Queue)
    core: Core | None = None
    runnables: list[Runnable] = field(default_factory=list)
    is_lost: bool = True
    is_created: bool = False
    is_periodic: bool = False
    is_stopped: bool = False
    suspended_in: State = State.UNKNOWN
    wanted: Lock | None = None
    polls: Lock | None = None
    event: int = NO_ENTITY
    event_bits: int = NOT_KNOWN
    relock: Lock | None = None
    activated: int = NOT_KNOWN
    completed: int = NOT_KNOWN
    offset: int | None = None
    is_behind_gap: bool = False
    is_queued: bool = False
    due: tuple[int, int] | None = None
    spare: int | None = None
    is_unsure: bool = False
    is_vague: bool = False
    channel: int = NO_ENTITY
    message: int = NOT_KNOWN
    domain: int = 0


UNKNOWN_PROCESS: Final = Process(NO_ENTITY)
"""Stands in for an unknown process on a core."""


@dataclass(slots=True, eq=False)
class Core:
    """State of one CPU.

    Attributes:
        number: CPU number, from 0.
        entity: index of the core in the entities.
        stack: the thread, then the nested interrupts, the running process last. None: idle or
            kernel overhead. UNKNOWN_PROCESS: unknown.
        running: the process that last began to run here.
        since: time when it began to run, in ticks.
        is_idle: the last context switch chose the idle thread.
        left: number of the thread that the core has, and that waits or ended an instance since the
            last context switch; 0 for none.
        quiet: time of the last event that made that thread ready, or ended an interrupt, in ticks.
        state: FREE, USED or UNKNOWN, as the transitions last reported it.
    """

    number: int
    entity: int
    stack: list[Process | None] = field(default_factory=lambda: [UNKNOWN_PROCESS])
    running: Process | None = None
    since: int = 0
    is_idle: bool = False
    left: int = 0
    quiet: int = 0
    state: State = State.UNKNOWN

    def forget(self) -> None:
        """Set the processes on the core to unknown, and `is_idle` to False."""
        self.stack[:] = [UNKNOWN_PROCESS]
        self.is_idle = False
        self.left = 0

    @property
    def top(self) -> Process | None:
        """The running process; see `stack` for None."""
        return self.stack[-1] if self.stack else None

    @property
    def state_by_stack(self) -> State:
        """The state that follows from `stack` and `is_idle`."""
        if self.top is None:
            return State.FREE if self.is_idle else State.USED
        if self.top.state is State.TERMINATED and self.top.is_unsure:
            return State.UNKNOWN  # an instance may have begun whose activation is not recorded
        return State.UNKNOWN if self.top.state is State.UNKNOWN else State.USED

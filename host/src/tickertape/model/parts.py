"""The state of processes, cores, runnables and objects while the model follows events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, State, semaphore_state

# Replaces an unknown limit: one is taken while something is left.
_SOME_LIMIT: Final = 2


@dataclass(slots=True)
class Runnable:
    """A runnable that is open: begun and not ended."""

    entity: int
    instance: int = 0
    state: State = State.TERMINATED


@dataclass(slots=True, eq=False)
class Lock:
    """A mutex, or a semaphore in terms of a mutex: what is not left is taken.

    Attributes:
        entity: which one.
        limit: how many can have it at a time, 0 when unknown.
        taken: how many have it, None where that is not known.
        waiting: how many wait for it, likewise.
        state: what follows from both.
    """

    entity: int
    limit: int
    taken: int | None = None
    waiting: int | None = None
    state: State = State.UNKNOWN

    @property
    def all(self) -> int:
        """How many have it when nothing is left."""
        return self.limit or _SOME_LIMIT

    def taken_with(self, left: int) -> int:
        """Return the number of holders while `left` more are free."""
        return max(0, self.limit - left) if self.limit else _SOME_LIMIT - min(left, 1)

    def share(self, wanting: int, left: int, count: int) -> bool:
        """Take the counts after an event of a kernel that lets waiters take what is there.

        A kernel either hands what is given back to a waiter, or only wakes the waiter, which takes
        it when it runs. Then others may be faster, and `left` includes what waits for those woken.

        Args:
            wanting: how many processes asked for it and have not got it.
            left: how many more can have it after the event.
            count: how many have it or wait for it then, by the counts so far.

        Returns:
            Whether processes that were woken explain what is left; if not, nothing has changed.
        """
        if not wanting or self.count == NOT_KNOWN or self.limit - left + wanting != count:
            return False
        self.waiting = max(0, wanting - left)
        self.taken = count - self.waiting
        return True

    @property
    def count(self) -> int:
        """How many have it or wait for it."""
        if not self.limit or self.taken is None or self.waiting is None:
            return NOT_KNOWN
        return self.taken + self.waiting

    @property
    def state_by_counts(self) -> State:
        """The state that follows from the counts."""
        if self.taken is None or self.waiting is None:
            return State.UNKNOWN
        return semaphore_state(self.taken + self.waiting, self.all)


@dataclass(slots=True, eq=False)
class Process:
    """A thread, or an interrupt on one CPU.

    Attributes:
        entity: which task or interrupt it is.
        instance: which instance is under way, or was last.
        state: of that instance.
        pending: later instances that are activated already.
        skipped: instances later than this one that never begin: the first, and how many.
        core: where it runs, or ran last.
        runnables: open ones, the innermost last.
        is_lost: it is unknown which instance is under way: none was seen yet, or records are
            missing.
        is_created: it exists, and whether it is new is still unknown.
        is_periodic: its instances are counted by activations.
        is_stopped: it is suspended by a call while it would be ready else.
        wanted: what it waits for.
        polls: the spin lock that it polls for; None for something else, or while it does not poll.
        event: the OS event that it waits for, NO_ENTITY without any.
        event_bits: for which of its bits.
        relock: the mutex that it wants back when its condition is met.
        activated: number of its last activation; NOT_KNOWN when others may be missing since.
        is_queued: these are made ready already: the next one begins when the thread gets a core.
        is_due: it was activated while it was unknown whether the instance before had ended.
        due_to: the stimulus that did that, None when it is not named.
        is_unsure: an instance has ended, and it is unknown whether the next one is under way.
        is_vague: it may wait, or have waited, for something that it began to wait for unseen.
        channel: where it sends a message.
        message: number of that message.
        domain: which domain it belongs to; 0 for the kernel core, or while unknown.
    """

    entity: int
    instance: int = 0
    state: State = State.UNKNOWN
    pending: int = 0
    skipped: list[tuple[int, int]] = field(default_factory=list)
    core: Core | None = None
    runnables: list[Runnable] = field(default_factory=list)
    is_lost: bool = True
    is_created: bool = False
    is_periodic: bool = False
    is_stopped: bool = False
    wanted: Lock | None = None
    polls: Lock | None = None
    event: int = NO_ENTITY
    event_bits: int = NOT_KNOWN
    relock: Lock | None = None
    activated: int = NOT_KNOWN
    is_queued: bool = False
    is_due: bool = False
    due_to: Process | None = None
    is_unsure: bool = False
    is_vague: bool = False
    channel: int = NO_ENTITY
    message: int = NOT_KNOWN
    domain: int = 0

    def skip(self, instance: int) -> None:
        """Remember that an instance never begins."""
        first, count = self.skipped.pop() if self.skipped else (instance, 0)
        if first + count != instance:
            self.skipped.append((first, count))
            first, count = instance, 0
        self.skipped.append((first, count + 1))

    def go_on(self) -> None:
        """The next instance begins."""
        self.instance += 1
        if self.skipped and self.skipped[0][0] == self.instance:
            self.instance += self.skipped.pop(0)[1]


UNKNOWN_PROCESS: Final = Process(NO_ENTITY)
"""Replaces the unknown process on a core."""


@dataclass(slots=True, eq=False)
class Core:
    """One CPU.

    Attributes:
        number: of the CPU.
        entity: which core it is.
        stack: the processes on it: a thread, then interrupts that interrupt
            each other; None for none (the CPU is idle or in kernel overhead), UNKNOWN_PROCESS
            for unknown.
        running: the last process reported to run there.
        since: when that began to run, in ticks.
        is_idle: its idle thread was chosen last.
        state: FREE, USED or UNKNOWN, as the transitions last reported it.
    """

    number: int
    entity: int
    stack: list[Process | None] = field(default_factory=lambda: [UNKNOWN_PROCESS])
    running: Process | None = None
    since: int = 0
    is_idle: bool = False
    state: State = State.UNKNOWN

    def forget(self) -> None:
        """Forget the process on the core, and whether its idle thread was chosen."""
        self.stack[:] = [UNKNOWN_PROCESS]
        self.is_idle = False

    @property
    def top(self) -> Process | None:
        """Who runs."""
        return self.stack[-1] if self.stack else None

    @property
    def state_by_stack(self) -> State:
        """The state that follows from who has it."""
        if self.top is None:
            return State.FREE if self.is_idle else State.USED
        if self.top.state is State.TERMINATED and self.top.is_unsure:
            return State.UNKNOWN  # it may have begun an instance whose activation was not seen
        return State.UNKNOWN if self.top.state is State.UNKNOWN else State.USED

"""What is remembered of processes, cores, runnables and objects while events are followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tickertape.model.transitions import NOBODY, NOT_KNOWN, State, semaphore_state

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
        """Tell how many have it while there are `left` more."""
        return max(0, self.limit - left) if self.limit else _SOME_LIMIT - min(left, 1)

    @property
    def count(self) -> int:
        """How many have it or wait for it."""
        if not self.limit or self.taken is None or self.waiting is None:
            return NOT_KNOWN
        return self.taken + self.waiting

    @property
    def state_by_counts(self) -> State:
        """The state that the counts say."""
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
        core: where it runs, or ran last.
        runnables: open ones, the innermost last.
        is_lost: it is unknown which instance is under way: none was seen yet, or records are
            missing.
        is_created: it exists, and nothing has said yet whether it was created just now.
        is_periodic: its instances are counted by activations.
        is_stopped: it is suspended by a call while it would be ready else.
        wanted: what it waits for.
        event: the OS event that it waits for, NOBODY without any.
        event_bits: for which of its bits.
        relock: the mutex that it wants back when its condition is met.
        activated: number of its last activation; NOT_KNOWN when others may be missing since.
        is_due: it was activated while it was unknown whether the instance before had ended.
        is_unsure: an instance has ended, and it is unknown whether the next one is under way.
        is_vague: it may wait, or have waited, for something that it began to wait for unseen.
        channel: where it sends a message.
        message: number of that message.
        domain: which domain it belongs to; 0 for the kernel core, or as long as nothing tells.
    """

    entity: int
    instance: int = 0
    state: State = State.UNKNOWN
    pending: int = 0
    core: Core | None = None
    runnables: list[Runnable] = field(default_factory=list)
    is_lost: bool = True
    is_created: bool = False
    is_periodic: bool = False
    is_stopped: bool = False
    wanted: Lock | None = None
    event: int = NOBODY
    event_bits: int = NOT_KNOWN
    relock: Lock | None = None
    activated: int = NOT_KNOWN
    is_due: bool = False
    is_unsure: bool = False
    is_vague: bool = False
    channel: int = NOBODY
    message: int = NOT_KNOWN
    domain: int = 0


SOMEBODY: Final = Process(NOBODY)
"""Stands where it is not known who has a core."""


@dataclass(slots=True, eq=False)
class Core:
    """One CPU.

    Attributes:
        number: of the CPU.
        entity: which core it is.
        stack: whose turn it is: a thread, then interrupts, each of which interrupts the one before;
            None for no process (the CPU is idle, or the kernel works for itself), SOMEBODY for not
            known.
        running: who was said to run there last.
    """

    number: int
    entity: int
    stack: list[Process | None] = field(default_factory=lambda: [SOMEBODY])
    running: Process | None = None

    @property
    def top(self) -> Process | None:
        """Who runs."""
        return self.stack[-1]

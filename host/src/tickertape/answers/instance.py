"""One instance of a task or interrupt: when it began and ended, and what it did between.

All times are ticks of the target. An instance is what the kernel's model calls one (docs/model.md):
a life of a task, or, once it is periodic, one activation up to its completion; one service of an
interrupt.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN

if TYPE_CHECKING:
    from tickertape.model.entities import Kind


class Doing(IntEnum):
    """What an instance does in a segment of its life."""

    RUNNING = 0
    READY = 1
    """Activated or released, and has no CPU since; also after its own instance before."""
    PREEMPTED = 2
    """Another task has its CPU."""
    INTERRUPTED = 3
    """Interrupts have its CPU."""
    BLOCKED = 4
    """Waits, see `Segment.object`."""
    SUSPENDED = 5
    """Suspended by a call."""
    UNKNOWN = 6


class Owner(IntEnum):
    """Who has a CPU in a slice."""

    TASK = 0
    INTERRUPT = 1
    IDLE = 2
    KERNEL = 3
    UNKNOWN = 4


class Ended(IntEnum):
    """How the known part of an instance ends."""

    DONE = 0
    """The instance ended."""
    OPEN = 1
    """The boot's last record comes first."""
    LOST = 2
    """Its state is unknown from there on. The task's next instance may be the same one."""


class Segment(NamedTuple):
    """A part of the life of an instance in which it does one thing.

    Attributes:
        begin: ticks.
        end: ticks.
        doing: what it does.
        cpu: RUNNING: where; otherwise where it ran last, None before.
        object: BLOCKED: the entity that it waits for; NO_ENTITY for none or an unknown one.
        event: BLOCKED, SUSPENDED: number of the wait in class THREAD, or NOT_KNOWN.
        owner: BLOCKED: the task or interrupt that has the mutex or spin lock; NO_ENTITY for none or
            an unknown one.
        owner_instance: which instance of that.
    """

    begin: int
    end: int
    doing: Doing
    cpu: int | None = None
    object: int = NO_ENTITY
    event: int = NOT_KNOWN
    owner: int = NO_ENTITY
    owner_instance: int = 0

    @property
    def ticks(self) -> int:
        """How long it is."""
        return self.end - self.begin


class Slice(NamedTuple):
    """Time of a CPU with one owner.

    Attributes:
        cpu: which one.
        begin: ticks.
        end: ticks.
        owner: who has it.
        entity: which task or interrupt; NO_ENTITY for others.
        instance: which instance of that.
    """

    cpu: int
    begin: int
    end: int
    owner: Owner
    entity: int
    instance: int


class Bounds(NamedTuple):
    """A figure that is known exactly where both are equal.

    Attributes:
        low: it is at least this.
        high: it is at most this; None when nothing limits it.
    """

    low: int
    high: int | None

    @property
    def exact(self) -> bool:
        """True when nothing could move the figure."""
        return self.low == self.high


class Blocking(NamedTuple):
    """For how long an instance waited for one object with one owner, see `Segment`."""

    object: int
    event: int
    owner: int
    ticks: int


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance; ticks are those of its known part.

    Attributes:
        epoch: boot of the target within the tape.
        entity: index into the model's entities.
        kind: TASK or INTERRUPT.
        number: which instance of the entity.
        cpu: where it ran last; None when it did not.
        activation: when it was activated; None when unknown.
        found: since when it is known: the activation, or where an event shows it again.
        start: when it ran first; None when it did not, or when unknown.
        end: when it ended, or the end of its known part, see `ended`.
        ended: how its known part ends.
        running: ticks on a CPU.
        ready: activated or released, without a CPU since.
        preempted: other tasks had its CPU.
        interrupted: interrupts had its CPU.
        suspended: suspended by a call.
        blockings: waits, by object and owner.
        preemptions: how often another task took its CPU.
        interruptions: how often interrupts did.
        nesting: INTERRUPT: how many interrupts its CPU served when it ran first, itself included;
            0 for a task.
        earliest: it was not activated before; None when nothing limits that.
        latest: it has ended by then; None when nothing limits that.
        response: from activation to end.
        execution: ticks on a CPU, of the whole instance.
        ready_since: since when it was READY at the end of its known part; `end` where it was not.
        found_ready: ticks for which it was READY when it was found without its activation.
        segments: what it did, in order, without gaps from `found` to `end`; empty unless wanted.
    """

    epoch: int
    entity: int
    kind: Kind
    number: int
    cpu: int | None
    activation: int | None
    found: int
    start: int | None
    end: int
    ended: Ended
    running: int
    ready: int
    preempted: int
    interrupted: int
    suspended: int
    blockings: tuple[Blocking, ...]
    preemptions: int
    interruptions: int
    nesting: int
    earliest: int | None
    latest: int | None
    response: Bounds
    execution: Bounds
    ready_since: int
    found_ready: int
    segments: tuple[Segment, ...] = ()

    @property
    def blocked(self) -> int:
        """Ticks it waited."""
        return sum(one.ticks for one in self.blockings)

    @property
    def whole(self) -> bool:
        """True when its begin, its end and all between are known."""
        return self.activation is not None and self.ended is Ended.DONE

"""One instance of a task or interrupt: its begin, its end and its activities between them.

All times are ticks of the target. As in the model of the kernel (docs/model.md), an instance of a
task is its life or, once the task is periodic, one activation up to its completion. An instance of
an interrupt is one service.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN

if TYPE_CHECKING:
    from tickertape.model.entities import Kind


class Doing(IntEnum):
    """Activity of an instance in a segment of its life."""

    RUNNING = 0
    READY = 1
    """Activated or released, and has not run since; also while the previous instance is open."""
    PREEMPTED = 2
    """Another task has its CPU."""
    INTERRUPTED = 3
    """Interrupts have its CPU."""
    BLOCKED = 4
    """Waits; see `Segment.object`."""
    SUSPENDED = 5
    """Suspended by a call."""
    UNKNOWN = 6


class Owner(IntEnum):
    """Kind of owner of a CPU in a slice."""

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
    """The boot's last record precedes its end."""
    LOST = 2
    """Its state is unknown from then on. The task's next instance may be the same one."""
    UNDONE = 3
    """Its thread ended, or began to count its activations again, before its completion."""


class Segment(NamedTuple):
    """A part of the life of an instance with one activity.

    Attributes:
        begin: time in ticks.
        end: time in ticks.
        doing: its activity.
        cpu: RUNNING: its CPU; otherwise the CPU where it ran last, None if it did not run yet.
        object: BLOCKED: the entity that it waits for; NO_ENTITY for none or unknown.
        event: BLOCKED, SUSPENDED: number of the wait in class THREAD, or NOT_KNOWN.
        owner: BLOCKED: the task or interrupt that owns the mutex or spin lock; NO_ENTITY for none
            or unknown.
        owner_instance: instance of the owner.
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
        """Length in ticks."""
        return self.end - self.begin


class Slice(NamedTuple):
    """A period in which a CPU has one owner.

    Attributes:
        cpu: CPU number.
        begin: time in ticks.
        end: time in ticks.
        owner: kind of the owner.
        entity: the task or interrupt; NO_ENTITY for other owners.
        instance: instance of the task or interrupt; 0 for other owners.
    """

    cpu: int
    begin: int
    end: int
    owner: Owner
    entity: int
    instance: int


class Bounds(NamedTuple):
    """Limits of a figure, which is known exactly if both are equal.

    Attributes:
        low: lower limit.
        high: upper limit; None if unlimited.
    """

    low: int
    high: int | None

    @property
    def exact(self) -> bool:
        """True when the figure is known exactly."""
        return self.low == self.high


class Blocking(NamedTuple):
    """Ticks for which an instance waited for one object with one owner; see `Segment`."""

    object: int
    event: int
    owner: int
    ticks: int


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance; durations are those of its known part, in ticks.

    Attributes:
        epoch: boot of the target within the tape.
        entity: index into the model's entities.
        kind: TASK or INTERRUPT.
        number: number of the instance within its entity.
        cpu: CPU where it ran last; None if it did not run.
        activation: time of its activation; None if unknown.
        found: begin of its known part: the activation, or the event that shows it again.
        start: time at which it first ran; None if it did not run, or if unknown.
        end: its end, or the end of its known part, see `ended`.
        ended: how its known part ends.
        running: ticks on a CPU.
        ready: ticks after activation or release without a CPU.
        preempted: ticks for which other tasks had its CPU.
        interrupted: ticks for which interrupts had its CPU.
        suspended: ticks for which it was suspended by a call.
        blockings: waits, by object and owner.
        preemptions: number of times that another task took its CPU.
        interruptions: number of times that interrupts took its CPU.
        nesting: INTERRUPT: greatest number of interrupts on its CPU when it began to run, itself
            included; 0 for a task.
        earliest: lower limit of its activation; None if unlimited.
        latest: upper limit of its end; None if unlimited.
        response: ticks from activation to end.
        execution: ticks on a CPU, of the whole instance.
        ready_since: begin of its READY segment at the end of its known part; `end` if it was not
            READY.
        found_ready: ticks for which it was READY after it was found without its activation.
        takes: it is the first job of a count of activations, and took over another instance.
        segments: its activities in order, without gaps from `found` to `end`; empty unless kept.
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
    takes: bool = False
    segments: tuple[Segment, ...] = ()

    @property
    def blocked(self) -> int:
        """Ticks for which it waited."""
        return sum(one.ticks for one in self.blockings)

    @property
    def whole(self) -> bool:
        """True when its begin, its end and all between are known."""
        return self.activation is not None and self.ended is Ended.DONE

"""The state of instances and CPUs while `instances` follows the transitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tickertape._native.interface import NO_TICKS
from tickertape.answers.instance import Blocking, Bounds, Doing, Ended, Instance, Segment
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, State

if TYPE_CHECKING:
    from tickertape.model.entities import Kind

Key = tuple[int, int]
"""Entity and instance."""


@dataclass(slots=True)
class Life:
    """An instance that has not ended; see `Instance`.

    Attributes:
        is_job: it is a job, or a service; else the life of a task, which a job may take over.
        is_none: it is not a job, so that no figure contains it.
        is_cut: its thread ends before its completion.
        takes: it took over a life, or a job of an earlier count of activations.
        is_taken: it did so and has not run since.
    """

    key: Key
    kind: Kind
    activation: int | None
    found: int
    earliest: int | None
    unseen: int | None
    since: int
    wait_since: int
    row: int
    doing: Doing
    cpu: int | None = None
    start: int | None = None
    object: int = NO_ENTITY
    event: int = NOT_KNOWN
    is_pending: bool = False
    is_over: bool = False
    is_job: bool = False
    is_none: bool = False
    is_cut: bool = False
    takes: bool = False
    is_taken: bool = False
    ready_since: int | None = None
    found_ready: int = 0
    parts: Counter[Doing] = field(default_factory=Counter)
    blockings: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    preemptions: int = 0
    interruptions: int = 0
    nesting: int = 0
    segments: list[Segment] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        """Whether the begin of its current activity or wait is known."""
        return self.activation is not None or self.wait_since > self.found

    def begin_job(self, time: int) -> None:
        """Forget all before `time`, at which the job begins that takes the life over."""
        self.activation = self.found = self.earliest = self.since = time
        self.unseen, self.found_ready, self.ready_since = 0, 0, None
        self.preemptions = self.interruptions = 0
        self.parts.clear()
        self.blockings.clear()
        self.segments.clear()
        self.is_job, self.is_none, self.takes = True, False, True
        self.start = time if self.doing is Doing.RUNNING else None
        self.is_taken = self.start is None
        if self.doing is Doing.PREEMPTED:
            self.doing = Doing.READY

    def settled(self, time: int, *, is_job: bool) -> tuple[int, ...]:
        """Return a row of `INTERVAL` that reports whether the lives of the task so far are jobs."""
        return (
            *(time, time, NO_TICKS, NOT_KNOWN, *self.key, NO_ENTITY, NO_ENTITY),
            *(Doing.UNKNOWN, Doing.UNKNOWN, int(is_job), 0),
        )

    def shown(self, epoch: int, end: int) -> Instance:
        """Return the instance as known up to `end`, before its end."""
        parts = self.parts.copy()
        parts[self.doing] += end - self.since
        return replace(self, parts=parts).instance(epoch, end, Ended.OPEN, None)

    def instance(self, epoch: int, end: int, ended: Ended, latest: int | None) -> Instance:
        """Return the instance; its known part ends at `end`, and it has ended by `latest`."""
        parts, begin = self.parts, self.activation
        running = parts[Doing.RUNNING]
        known_begin = self.found if begin is None else begin
        most = None if latest is None or self.earliest is None else latest - self.earliest
        ran: int | None = None
        if latest is not None and self.unseen is not None:
            ran = running + self.unseen + (latest - end)
        if ran is not None and most is not None:
            ran = min(ran, most)
        return Instance(
            epoch=epoch,
            entity=self.key[0],
            kind=self.kind,
            number=self.key[1],
            cpu=self.cpu,
            activation=begin,
            found=self.found,
            start=self.start,
            end=end,
            ended=ended,
            running=running,
            ready=parts[Doing.READY],
            preempted=parts[Doing.PREEMPTED],
            interrupted=parts[Doing.INTERRUPTED],
            suspended=parts[Doing.SUSPENDED],
            blockings=tuple(Blocking(*at, ticks) for at, ticks in self.blockings.items()),
            preemptions=self.preemptions,
            interruptions=self.interruptions,
            nesting=self.nesting,
            earliest=self.earliest,
            latest=latest,
            response=Bounds(end - known_begin, most),
            execution=Bounds(running, ran),
            ready_since=end if self.ready_since is None else self.ready_since,
            found_ready=self.found_ready,
            takes=self.takes,
            segments=tuple(self.segments),
        )


@dataclass(slots=True)
class CoreLife:
    """State of a CPU: the instances that run there, and the begin of its current slice."""

    state: State = State.UNKNOWN
    running: list[Key] = field(default_factory=list)
    interrupts: set[Key] = field(default_factory=set)
    covered: list[Life] = field(default_factory=list)
    preempted: tuple[int, Life] | None = None
    since: int = 0
    last: int = 0


@dataclass(slots=True)
class Lost:
    """An instance with an unknown end, kept until a later instance limits that end."""

    life: Life
    end: int

"""State of the reader of a system trace: cores, semaphores, stimuli and instances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

_MOST_LIVING: Final = 64


@dataclass(slots=True)
class Core:
    """State of one core of the file.

    Attributes:
        bottom: thread of the last context switch on the tape; 0: idle.
        interrupts: interrupts entered and not yet left on the tape, innermost last.
        thread: task that has the core according to the file; 0: none.
        changed: time at which a process left the core; None when the tape already contains this.
        has_ended: whether the process that left at `changed` waits or has ended, so that it does
            not continue when an interrupt ends.
        is_seen: whether the tape contains a context switch on this core.
    """

    bottom: int = 0
    interrupts: list[int] = field(default_factory=list)
    thread: int = 0
    changed: int | None = None
    has_ended: bool = False
    is_seen: bool = False


@dataclass(slots=True)
class Semaphore:
    """State of a semaphore, as far as known."""

    left: int = 0  # permits
    owner: int = 0  # thread number, of a mutex
    is_released: bool = False  # a release is not yet on the tape; its state event follows
    has_released: bool = False  # released since its last state event
    # Releases with one of their two events, `released` and `decrement`: by this event and its
    # process, the time of each. A state event ends those of an earlier time.
    halves: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    early: int | None = None  # time of a state event that shows a release, before the release
    handed: int = 0  # permits granted to waiters that have not yet reported them
    is_blind: bool = False  # records were lost since its last state event


@dataclass(frozen=True, slots=True)
class Trigger:
    """Trigger of a stimulus: its time, and the CPU of the process; None for time or hardware."""

    time: int
    cpu: int | None


@dataclass(slots=True)
class Activations:
    """Maps instances, which may restart in a file, to activation numbers, which only increase."""

    last: int = 0
    living: list[tuple[int, int]] = field(default_factory=list)  # (instance, number)

    def begin(self, instance: int) -> int:
        """Return the number of a new activation: at least 1, greater than all before."""
        self.last = max(self.last, instance) + 1
        self.living = [*self.living[-_MOST_LIVING:], (instance, self.last)]
        return self.last

    def end(self, instance: int) -> int:
        """Return the activation number of an instance that ends."""
        for place, (one, number) in enumerate(self.living):
            if one == instance:
                del self.living[place]
                return number
        self.last = max(self.last, instance + 1)
        return instance + 1

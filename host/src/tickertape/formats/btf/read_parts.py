"""The state that the reader of a system trace keeps: cores, semaphores, stimuli and instances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

_MOST_LIVING: Final = 64


@dataclass(slots=True)
class Core:
    """One core of the file.

    Attributes:
        bottom: the thread that was switched to last, on the tape; 0 idle.
        interrupts: those that were entered and not left, on the tape.
        thread: who has the core, by the file, as far as it is a task; 0 for none.
        changed: time at which a process left the core, None when the tape contains it.
        has_ended: who left it then waits, or has ended: it does not go on when an interrupt ends.
        is_seen: the tape has a switch on it.
    """

    bottom: int = 0
    interrupts: list[int] = field(default_factory=list)
    thread: int = 0
    changed: int | None = None
    has_ended: bool = False
    is_seen: bool = False


@dataclass(slots=True)
class Semaphore:
    """What is known of a semaphore: permits that are left, who has or wants it."""

    left: int = 0
    owner: int = 0
    is_released: bool = False
    has_released: bool = False  # since its last state
    steps: int = 0  # releases without their decrement, since then
    handed: int = 0  # permits granted to waiters that have not reported it yet
    is_blind: bool = False  # records were lost since its last state


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a stimulus was triggered, and on which CPU by a process; None by time or hardware."""

    time: int
    cpu: int | None


@dataclass(slots=True)
class Activations:
    """Numbers of a thread's activations, which rise on a tape; in a file they may begin anew."""

    last: int = 0
    living: list[tuple[int, int]] = field(default_factory=list)  # instances and their numbers

    def begin(self, instance: int) -> int:
        """Return the number of an activation: from 1, and later than every one before."""
        self.last = max(self.last, instance) + 1
        self.living = [*self.living[-_MOST_LIVING:], (instance, self.last)]
        return self.last

    def end(self, instance: int) -> int:
        """Return the number of the activation whose instance ends."""
        for place, (one, number) in enumerate(self.living):
            if one == instance:
                del self.living[place]
                return number
        self.last = max(self.last, instance + 1)
        return instance + 1

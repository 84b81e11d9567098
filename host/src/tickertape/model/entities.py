"""The entities of a system: cores, tasks, interrupts, runnables, stimuli and shared objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.model.names import Names

_UNNAMED: Final = {
    4: "runnable",
    5: "stimulus",
    7: "signal",
    8: "semaphore",
    9: "mutex",
    10: "event",
    11: "channel",
    15: "spin lock",
}


class Kind(IntEnum):
    """Kinds of entities."""

    CORE = 0
    SCHEDULER = 1
    TASK = 2
    INTERRUPT = 3
    RUNNABLE = 4
    STIMULUS = 5
    """A timer, or a stimulus that the application reports."""
    SIGNAL = 7
    SEMAPHORE = 8
    MUTEX = 9
    EVENT = 10
    """Event flags or a condition."""
    CHANNEL = 11
    REQUEST = 12
    """The stimulus that activates an interrupt: its request."""
    PERIOD = 13
    """The stimulus that activates a periodic task: the start of its period."""
    CREATION = 14
    """The stimulus that activates a task when it is created."""
    SPINLOCK = 15
    """A lock that CPUs share; its waiters are not traced."""
    DOMAIN = 16
    """A memory protection domain: threads and their memory."""


@dataclass(slots=True)
class Entity:
    """One entity.

    Attributes:
        index: its index in `Entities`.
        kind: kind of the entity.
        number: its number in the trace: CPU, thread, exception or domain number, or address; for
            PERIOD and CREATION the index of the task.
        name: its name; not unique. A task has a name made from its number until it gets one, and
            the last of its names afterwards.
        earlier: the names that it had before.
    """

    index: int
    kind: Kind
    number: int
    name: str
    earlier: tuple[str, ...] = ()

    def is_called(self, name: str) -> bool:
        """Return whether it has, or had at some time, a name."""
        return name == self.name or name in self.earlier


class Entities:
    """All entities of a trace, in order of their first mention.

    A thread that is created again under the same name, also after a reset, is the same task and
    gets the next instance. Two threads of the same name that exist at the same time are two tasks.
    A thread that gets another name stays the same task. Kind and number identify every other
    entity.
    """

    def __init__(self) -> None:
        """Start without entities."""
        self._all: list[Entity] = []
        self._by_number: dict[tuple[Kind, int], Entity] = {}
        self._tasks: dict[str, list[Entity]] = {}
        self._shared: set[int] = set()

    def __len__(self) -> int:
        """Return the number of entities."""
        return len(self._all)

    def __getitem__(self, index: int) -> Entity:
        """Return the entity at an index."""
        return self._all[index]

    def __iter__(self) -> Iterator[Entity]:
        """Iterate over all entities by index."""
        return iter(self._all)

    def task(self, tid: int, name: str, is_free: Callable[[int], bool]) -> int:
        """Return the index of the task of a thread.

        Args:
            tid: number of the thread.
            name: name of the thread.
            is_free: returns whether no existing thread is the task with that index.
        """
        known = self._tasks.setdefault(name, [])
        for entity in known:
            if is_free(entity.index):
                entity.number = tid
                self._shared.add(entity.index)
                return entity.index
        entity = self._new(Kind.TASK, tid, name)
        known.append(entity)
        return entity.index

    def is_shared(self, index: int) -> bool:
        """Return whether several threads, one after the other, are a task."""
        return index in self._shared

    def rename(self, index: int, name: str) -> None:
        """Set the name of a task; it keeps the earlier ones."""
        entity = self._all[index]
        if name == entity.name:
            return
        self._tasks[entity.name].remove(entity)
        self._tasks.setdefault(name, []).append(entity)
        if entity.name not in entity.earlier:
            entity.earlier = (*entity.earlier, entity.name)
        entity.name = name

    def other(self, kind: Kind, number: int, names: Names) -> int:
        """Return the index of an entity that is not a task; add it at the first mention."""
        entity = self._by_number.get((kind, number))
        if entity is None:
            entity = self._new(kind, number, self._name(kind, number, names))
            self._by_number[kind, number] = entity
        return entity.index

    def _new(self, kind: Kind, number: int, name: str) -> Entity:
        entity = Entity(len(self._all), kind, number, name)
        self._all.append(entity)
        return entity

    def _name(self, kind: Kind, number: int, names: Names) -> str:
        if kind is Kind.CORE:
            return f"Core_{number}"
        if kind is Kind.SCHEDULER:
            return f"Scheduler_{number}"
        if kind in {Kind.INTERRUPT, Kind.REQUEST}:
            return names.interrupt(number) or f"exception {number}"
        if kind in {Kind.PERIOD, Kind.CREATION}:
            return self._all[number].name
        if kind is Kind.DOMAIN:
            return names.domain(number) or f"domain {number}"
        return names.object(number) or f"{_UNNAMED[kind]} {number:#x}"

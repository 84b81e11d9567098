"""Feed a model, return its transitions as tuples, and check them against the state machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.columns import columns, gap
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import (
    CORE_STATES,
    OF_LIVES,
    ON_CORE,
    PROCESS_STATES,
    RUNNABLE_STATES,
    Action,
    State,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.support.columns import Row
    from tickertape.decode.bodies import Name
    from tickertape.decode.events import EventColumns

PROCESSES = {Kind.TASK, Kind.INTERRUPT}
STATEFUL = PROCESSES | {Kind.MUTEX, Kind.SEMAPHORE, Kind.CORE}
MACHINES = {
    **dict.fromkeys(PROCESSES, PROCESS_STATES),
    Kind.RUNNABLE: RUNNABLE_STATES,
    Kind.CORE: CORE_STATES,
}
_NEW = {Action.ACTIVATE, Action.EXCEED}
_LEAVES = {*(Action.PREEMPT, Action.PARK, Action.WAIT, Action.STOP, Action.TERMINATE, Action.LOSE)}

Said = tuple[str, int, str, str, str]


class Watched:
    """A model, all its transitions, and those that contradict the tables.

    Attributes:
        broken: transitions that no state machine contains, or that do not begin in the state that
            the previous transition entered.
        shared: transitions by which two processes occupied one core.
    """

    def __init__(self, names: Mapping[tuple[int, int], Name] | None = None) -> None:
        self.model = SystemModel(lambda _epoch: Names(names or {}))
        self.broken: list[Said] = []
        self.shared: list[Said] = []
        self._said: list[Said] = []
        self._states: dict[tuple[int, int], State] = {}
        self._lives: dict[int, State] = {}
        self._cores: dict[int, tuple[int, int]] = {}

    def feed(self, *parts: EventColumns) -> list[Said]:
        """Feed columns; return (entity, instance, action, state before, state after) of each."""
        before = len(self._said)
        for part in parts:
            found = self.model.feed(part)
            assert (found.row <= len(part)).all()
            for values in zip(
                *(getattr(found, name).tolist() for name in ("entity", "instance", "action")),
                *(getattr(found, name).tolist() for name in ("before", "after", "source")),
                strict=True,
            ):
                self._take(*values)
        return self._said[before:]

    def _take(
        self, entity: int, instance: int, action: int, before: int, after: int, source: int
    ) -> None:
        one = self.model.entities[entity]
        left, entered = State(before), State(after)
        said = (one.name, instance, Action(action).name, left.name, entered.name)
        self._said.append(said)
        if State.UNKNOWN not in {left, entered} and action != Action.FOUND:
            machine = MACHINES.get(one.kind)
            if machine is not None and machine.get((left, Action(action))) is not entered:
                self.broken.append(said)
        if action in OF_LIVES or left is State.CREATED:
            before_it = self._lives.get(entity, State.UNKNOWN)
            if left in {State.CREATED, State.ENDED} and before_it is not left:
                self.broken.append(said)
            self._lives[entity] = entered
            if action != Action.FOUND:
                return
            left = State.UNKNOWN
        if one.kind in STATEFUL:
            new = State.TERMINATED if action in _NEW else State.UNKNOWN
            if self._states.get((entity, instance), new) is not left and left is not State.UNKNOWN:
                self.broken.append(said)
            self._states[entity, instance] = entered
        if one.kind in PROCESSES:
            self._occupy((entity, instance), action, entered, source, said)

    def _occupy(
        self, process: tuple[int, int], action: int, entered: State, core: int, said: Said
    ) -> None:
        if entered in ON_CORE:
            if self._cores.setdefault(core, process) != process:
                self.shared.append(said)
        elif action in _LEAVES:
            self._cores = {key: one for key, one in self._cores.items() if one != process}


def said_of(rows: list[Row], *gaps: int) -> list[Said]:
    watched = Watched()
    said = watched.feed(columns(rows, [gap(row) for row in gaps]))
    assert (watched.broken, watched.shared) == ([], [])
    return said


def of(said: Iterable[Said], name: str) -> list[tuple[int, str]]:
    """Return (instance, action) of the transitions of one entity that belong to an instance."""
    lives = {action.name for action in OF_LIVES}
    return [(one[1], one[2]) for one in said if one[0] == name and one[2] not in lives]

"""What mutexes, semaphores, spin locks and channels were used for: takes, waits, holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.answers.sample import Sample
from tickertape.model.entities import Kind
from tickertape.model.transitions import Action

if TYPE_CHECKING:
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

_OBJECTS: Final = [Kind.SEMAPHORE, Kind.MUTEX, Kind.SPINLOCK, Kind.CHANNEL]
_OWNED: Final = {Kind.MUTEX, Kind.SPINLOCK}
_TAKING: Final = {Action.TAKE, Action.ASSIGN, Action.GRANT}
_QUEUEING: Final = {Action.QUEUE, Action.LINE_UP}
_WORDS: Final = {
    Action.GIVE: "gives",
    Action.REFUSE: "refusals",
    Action.LEAVE: "timeouts",
    Action.SEND: "sends",
    Action.RECEIVE: "receives",
}


@dataclass(slots=True)
class Use:
    """Use of one object.

    Attributes:
        takes: how often a process got it.
        contended: how often a process had to wait for it.
        others: how often something else happened, by word.
        holds: MUTEX, SPINLOCK: from take to give, both seen.
        waits: from the wait of a task to its release, both seen.
    """

    takes: int = 0
    contended: int = 0
    others: dict[str, int] = field(default_factory=dict)
    holds: Sample = field(default_factory=Sample)
    waits: Sample = field(default_factory=Sample)


class Uses:
    """Takes the transitions of one boot; counts those within a window of ticks."""

    def __init__(self, window: tuple[int, int]) -> None:
        """Begin before the first transition."""
        self._window = window
        self._kinds = np.zeros(0, np.int64)
        self._since: dict[int, int] = {}
        self.by_entity: dict[int, Use] = {}

    def of(self, entity: int) -> Use:
        """Return the use of an object."""
        return self.by_entity.setdefault(entity, Use())

    def feed(self, found: Transitions, entities: Entities) -> None:
        """Take the next transitions; indices of entities do not change."""
        new = range(len(self._kinds), len(entities))
        kinds = [entities[one].kind for one in new]
        self._kinds = np.append(self._kinds, np.array(kinds, np.int64))
        rows = np.flatnonzero(np.isin(self._kinds[found.entity], _OBJECTS))
        for entity, action, time in zip(
            found.entity[rows].tolist(),
            found.action[rows].tolist(),
            found.time[rows].tolist(),
            strict=True,
        ):
            self._take(entity, Action(action), time)

    def _take(self, entity: int, action: Action, time: int) -> None:
        first, last = self._window
        within = first <= time <= last
        if int(self._kinds[entity]) in _OWNED:
            if action in _TAKING:
                self._since[entity] = time
            elif action in {Action.GIVE, Action.LOSE}:
                since = self._since.pop(entity, None)
                if since is not None and action is Action.GIVE and within and since >= first:
                    self.of(entity).holds.add(time - since)
        if not within or action in {Action.FOUND, Action.LOSE}:
            return
        use = self.of(entity)
        if action in _TAKING:
            use.takes += 1
        elif action in _QUEUEING:
            use.contended += 1
        elif action in _WORDS:
            word = _WORDS[action]
            use.others[word] = use.others.get(word, 0) + 1

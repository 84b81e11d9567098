"""Count uses of mutexes, semaphores, spin locks and channels: takes, waits, holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.answers.groups import by_key
from tickertape.answers.limits import OBJECTS, Spread
from tickertape.answers.observed import Observed
from tickertape.answers.sample import Sample
from tickertape.model.entities import Kind
from tickertape.model.transitions import Action

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tickertape.decode.records import I64
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


def _table(members: Iterable[int], count: int) -> NDArray[np.bool_]:
    found = np.zeros(count, bool)
    found[list(members)] = True
    return found


_IS_OBJECT: Final = _table(_OBJECTS, max(Kind) + 1)
_IS_TAKING: Final = _table(_TAKING, len(Action))
_IS_CHANGE: Final = _table({*_TAKING, Action.GIVE, Action.LOSE}, len(Action))


@dataclass(slots=True)
class Use:
    """Use of one object.

    Attributes:
        takes: number of times that a process took it.
        contended: number of times that a process had to wait for it.
        others: number of other actions, by word, such as `gives`.
        holds: MUTEX, SPINLOCK: ticks from take to give, both seen.
        waits: ticks from the begin of a task's wait to its release, both seen.
        used: MUTEX, SPINLOCK: takes and gives, between which a hold may be unseen.
    """

    takes: int = 0
    contended: int = 0
    others: dict[str, int] = field(default_factory=dict)
    holds: Sample = field(default_factory=Sample)
    waits: Sample = field(default_factory=Sample)
    used: Spread = field(default_factory=Spread)


class Uses:
    """Counts the uses of all objects in one boot, within a window of ticks."""

    def __init__(self, window: tuple[int, int]) -> None:
        """Begin before the first transition."""
        self._window = window
        self._kinds = np.zeros(0, np.int64)
        self._since: dict[int, int] = {}
        self._observed = Observed()
        self.by_entity: dict[int, Use] = {}

    def of(self, entity: int) -> Use:
        """Return the use of an object."""
        return self.by_entity.setdefault(entity, Use())

    def feed(self, found: Transitions, entities: Entities, observed: Observed) -> None:
        """Take the next transitions; indices of entities do not change."""
        self._observed = observed
        new = range(len(self._kinds), len(entities))
        kinds = [entities[one].kind for one in new]
        self._kinds = np.append(self._kinds, np.array(kinds, np.int64))
        rows = np.flatnonzero(_IS_OBJECT[self._kinds[found.entity]])
        action, time = found.action[rows], found.time[rows].astype(np.int64)
        for entity, mine in by_key(found.entity[rows]):
            if int(self._kinds[entity]) in _OWNED:
                self._hold(entity, action[mine], time[mine])
            self._count(entity, action[mine], time[mine])

    def _hold(self, entity: int, action: NDArray[np.uint8], time: I64) -> None:
        """Add the times for which an object had an owner."""
        changes = np.flatnonzero(_IS_CHANGE[action])
        action, time = action[changes], time[changes]
        since = self._since.pop(entity, None)
        self._limit(entity, action, time, is_held=since is not None)
        if since is not None:
            action = np.append(np.uint8(Action.TAKE), action)
            time = np.append(np.int64(since), time)
        if not len(action):
            return
        taken = _IS_TAKING[action]
        if taken[-1]:
            self._since[entity] = int(time[-1])
        first, last = self._window
        begin, end = time[:-1], time[1:]
        held = taken[:-1] & (action[1:] == Action.GIVE) & (first <= begin) & (end <= last)
        # In a gap the object may have been given and taken again.
        held[held] = self._observed.clear(begin[held], end[held], OBJECTS)
        if held.any():
            self.of(entity).holds.extend((end - begin)[held])

    def _limit(self, entity: int, action: NDArray[np.uint8], time: I64, *, is_held: bool) -> None:
        """Update the limit of a hold that was not seen: it lies between two uses.

        A give without its take ends such a hold.
        """
        first, last = self._window
        taken = _IS_TAKING[action]
        known = taken | np.append(is_held, taken[:-1])
        uses = (taken | (action == Action.GIVE)) & (first <= time) & (time <= last)
        time, known = time[uses], known[uses]
        if not len(time):
            return
        used = self.of(entity).used
        before = np.append(used.last, time[:-1])
        hidden = ~known | ~self._observed.clear(before, time, OBJECTS)
        if used.first is None:
            used.first, hidden[0] = int(time[0]), False
        used.hidden = max(used.hidden, int((time - before)[hidden].max(initial=0)))
        used.last = int(time[-1])

    def _count(self, entity: int, action: NDArray[np.uint8], time: I64) -> None:
        first, last = self._window
        within = action[(first <= time) & (time <= last)]
        self.add_counts(entity, np.bincount(within, minlength=len(Action)).tolist())

    def add_counts(self, entity: int, counts: list[int]) -> None:
        """Add the number of each action on an object; modifies `counts`."""
        counts[Action.FOUND] = counts[Action.LOSE] = 0
        if not any(counts):
            return
        use = self.of(entity)
        use.takes += sum(counts[one] for one in _TAKING)
        use.contended += sum(counts[one] for one in _QUEUEING)
        for one, word in _WORDS.items():
            if counts[one]:
                use.others[word] = use.others.get(word, 0) + counts[one]

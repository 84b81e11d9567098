"""Find the task of events that contain only a thread number: missed deadlines, stacks.

A number may pass to another task during a boot, and a task that is created again gets another
number. The task of an event is therefore the one of the last activation with that number before the
event. A task that got the number without an activation is possible too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.model.entities import Kind
from tickertape.model.transitions import Action
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SystemEvent
from tickertape.protocol.wire import CLASS_SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tickertape.answers.reading import Part
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U32
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

DEADLINE_MISS: Final = event_code(EventClass.SCHED, SchedEvent.DEADLINE_MISS)
STACK_SIZE: Final = event_code(EventClass.SYSTEM, SystemEvent.STACK_SIZE)
STACK_UNUSED: Final = event_code(EventClass.SYSTEM, SystemEvent.STACK_UNUSED)
_ACTIVATING: Final = (DEADLINE_MISS, event_code(EventClass.SCHED, SchedEvent.ACTIVATION))


class Numbered(NamedTuple):
    """An event that names a task by its number.

    Attributes:
        code: type of the event.
        time: time in ticks.
        tid: number of the thread, the first word of the event.
        value: second word of the event.
        tasks: possible entities of the task: one if certain, none if no task is known.
    """

    code: int
    time: int
    tid: int
    value: int
    tasks: frozenset[int]


class NumberedEvents:
    """Finds events in the parts of one boot, and follows which task has which number."""

    def __init__(self, *codes: int) -> None:
        """Look for events of these types, before the first event of the boot."""
        self._codes = codes
        self._numbers: dict[int, int] = {}
        self._holders: dict[int, frozenset[int]] = {}

    def feed(self, part: Part) -> list[Numbered]:
        """Return the events of a part, in order."""
        if part.columns is None or part.transitions is None:
            return []
        codes = part.columns.code
        wanted = np.flatnonzero(_is_one_of(codes, self._codes))
        if not len(wanted) and self._is_settled(part.entities):
            return []
        rows, tids, tasks = _activations(part.columns, part.transitions)
        last = dict(zip(tids.tolist(), tasks.tolist(), strict=True))
        shown = self._shown(part.entities, set(zip(tids.tolist(), tasks.tolist(), strict=True)))
        found = []
        for row in wanted.tolist():
            tid = int(part.columns.data0[row])
            mine = np.flatnonzero(tids == tid)
            before = int(np.searchsorted(rows[mine], row, side="right"))
            holders = self._holders.get(tid, frozenset())
            if before:
                holders = frozenset({int(tasks[mine[before - 1]])})
            holders |= shown.get(tid, frozenset())
            code, value = int(codes[row]), int(part.columns.data1[row])
            found.append(Numbered(code, int(part.columns.time[row]), tid, value, holders))
        for tid, task in last.items():
            self._holders[tid] = frozenset({task})
        for tid, more in shown.items():
            self._holders[tid] = self._holders.get(tid, frozenset()) | more
        for tid, holders in self._holders.items():
            self._holders[tid] = frozenset(one for one in holders if self._numbers[one] == tid)
        return found

    def _is_settled(self, entities: Entities) -> bool:
        """Return whether each number has one task, and had the same one before."""
        numbers = _numbers_of(entities)
        return numbers == self._numbers and len(set(numbers.values())) == len(numbers)

    def _shown(
        self, entities: Entities, activated: set[tuple[int, int]]
    ) -> dict[int, frozenset[int]]:
        """Return by number the tasks that got it in this part at an unknown time."""
        before = self._numbers
        self._numbers = _numbers_of(entities)
        found: dict[int, frozenset[int]] = {}
        for task, tid in self._numbers.items():
            if before.get(task) != tid and (tid, task) not in activated:
                found[tid] = found.get(tid, frozenset()) | {task}
        return found


def _activations(columns: EventColumns, found: Transitions) -> tuple[I64, U32, NDArray[np.int32]]:
    """Return rows, thread numbers and tasks of activations by events that contain a number."""
    begins = (found.action == Action.ACTIVATE) | (found.action == Action.BEGIN_JOB)
    at = np.flatnonzero(begins)
    at = at[found.row[at] < len(columns)]
    rows = found.row[at]
    codes = columns.code[rows]
    by_sched = _is_one_of(codes, _ACTIVATING)
    by_thread = codes >> CLASS_SHIFT == EventClass.THREAD
    tids = np.where(by_thread, columns.data1[rows], columns.data0[rows])
    chosen = by_sched | by_thread
    return rows[chosen], tids[chosen], found.entity[at][chosen]


def _is_one_of(codes: NDArray[np.uint16], wanted: Iterable[int]) -> NDArray[np.bool_]:
    """Return a mask of the wanted codes; several times faster than `numpy.isin`."""
    found = np.zeros(len(codes), bool)
    for one in wanted:
        found |= codes == one
    return found


def _numbers_of(entities: Entities) -> dict[int, int]:
    """Return the numbers of all tasks, by entity."""
    return {one.index: one.number for one in entities if one.kind is Kind.TASK}

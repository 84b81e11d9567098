"""Compiled version of `SystemModel`; `system` is the reference and the fallback.

The compiled part knows numbers only. This module supplies all names, and the table of event
handlers of `Follower`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.engine import engine
from tickertape._native.interface import Machine, NameSaid
from tickertape._native.system import CompiledSystem
from tickertape.model.codes import nameless
from tickertape.model.entities import Kind
from tickertape.model.follower import Follower
from tickertape.model.names import Names
from tickertape.model.running_evidence import EVIDENCE
from tickertape.model.system import SystemModel, begins_whole
from tickertape.model.transitions import PROCESS_STATES, RUNNABLE_STATES, of_table
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import CDLL

    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

MACHINES = {Machine.PROCESS: PROCESS_STATES, Machine.RUNNABLE: RUNNABLE_STATES}


def system_model(names_of: Callable[[int], Names]) -> SystemModel:
    """Return the model of this process's engine.

    Args:
        names_of: see `SystemModel`.
    """
    compiled = engine()
    return SystemModel(names_of) if compiled is None else CompiledSystemModel(compiled, names_of)


class CompiledSystemModel(SystemModel):
    """Returns the same transitions as its base class, with `Transitions.table` set."""

    def __init__(self, compiled: CDLL, names_of: Callable[[int], Names]) -> None:
        """Load the handler table and the state machines into the compiled part."""
        super().__init__(names_of)
        self._answers = _Answers(self.entities)
        handlers = Follower(self.entities).handlers.items()
        self._system = CompiledSystem(
            compiled, self._answers, {code: handler.__name__ for code, handler in handlers}
        )
        for code, word in EVIDENCE.items():
            self._system.prove(code, word)
        for machine, table in MACHINES.items():
            for (before, action), after in table.items():
                self._system.allow(machine, before, action, after)

    def feed(self, columns: EventColumns) -> Transitions:
        """Process the next events; see the base class."""
        self._answers.columns = columns
        self._system.load(columns.header, columns.time, columns.data0, columns.data1)
        if columns.epoch != self._epoch:
            if self._epoch is not None:
                self._system.reset()
            self._epoch, self._last, self._tails = columns.epoch, None, []
            self._answers.names = self._names_of(columns.epoch)
            self._system.begin_boot(whole=begins_whole(columns))
        for loss in self._losses(columns):
            self._system.lose(*loss)
        self._system.feed(len(columns))
        return of_table(self._system.taken())


class _Answers:
    """Callbacks of the compiled part: names and entities.

    Attributes:
        names: names of the current boot.
        columns: the events being processed.
    """

    columns: EventColumns

    def __init__(self, entities: Entities) -> None:
        self._entities = entities
        self.names = Names({})
        self._tasks: dict[int, int] = {}

    def entity(self, kind: int, number: int) -> int:
        return self._entities.other(Kind(kind), number, self.names)

    def task(self, tid: int, is_free: Callable[[int], bool]) -> int:
        name = self.names.thread(tid) or nameless(tid)
        self._tasks[tid] = self._entities.task(tid, name, is_free)
        return self._tasks[tid]

    def limit(self, address: int) -> int:
        return self.names.limit(address)

    def forget(self, tid: int) -> int:
        self.names.forget_thread(tid)
        return 0

    def name(self, row: int, tid: int) -> NameSaid | int:
        text = escaped(self.columns.text_at(row) or "")
        if not text:
            return 0
        known, was_unnamed = self.names.thread(tid), self.names.is_unnamed(tid)
        self.names.learn_thread(tid, text)
        text = self.names.thread(tid) or text
        task = self._tasks.get(tid)
        is_late = was_unnamed and not (task is not None and self._entities.is_shared(task))
        first = NameSaid.FIRST if known is None or is_late else NameSaid(0)
        another = NameSaid.ANOTHER if was_unnamed and not first else NameSaid(0)
        return (
            NameSaid.SAID | first | another | (NameSaid.THE_SAME if known == text else NameSaid(0))
        )

    def rename(self, entity: int, tid: int) -> int:
        self._entities.rename(entity, self.names.thread(tid) or nameless(tid))
        return 0

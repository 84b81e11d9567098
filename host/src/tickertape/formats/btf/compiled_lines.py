"""Writes transitions as lines of the Best Trace Format with the compiled engine.

`BtfLines` is the reference and the fallback. It also provides the names and the word tables, and
writes the lines before, between and after the transitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape._native.btf import BtfWriter
from tickertape._native.engine import engine
from tickertape._native.interface import BtfJob, BtfTable
from tickertape.formats.btf.transition_lines import (
    CPUS,
    LOCK_EVENTS,
    PROCESS_EVENTS,
    RUNNABLE_EVENTS,
    TYPES,
    BtfLines,
)
from tickertape.model.transitions import Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.formats.btf.transition_lines import Block
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

WORDS: Final[Mapping[BtfTable, Mapping[int, str]]] = {
    BtfTable.PROCESS: PROCESS_EVENTS,
    BtfTable.RUNNABLE: RUNNABLE_EVENTS,
    BtfTable.LOCK: {before << 8 | after: word for (before, after), word in LOCK_EVENTS.items()},
    BtfTable.ACTION: {action: action.name.lower() for action in Action},
    BtfTable.TYPE: TYPES,
}


def btf_lines(entities: Entities, *, old: bool) -> BtfLines:
    """Return a compiled writer, or `BtfLines` if this process has no engine; arguments as there."""
    compiled = engine()
    if compiled is None:
        return BtfLines(entities, old=old)
    return CompiledBtfLines(BtfWriter(compiled, WORDS, old=old), entities, old=old)


class CompiledBtfLines(BtfLines):
    """Compiled `BtfLines`: produces the same bytes."""

    def __init__(self, writer: BtfWriter, entities: Entities, *, old: bool) -> None:
        """Create a writer for one file.

        Args:
            writer: a new compiled writer with the same `old`.
            entities: entities of the transitions; more may be added later.
            old: True for versions up to 2.1.5, False from 2.2 on.
        """
        super().__init__(entities, old=old)
        self._writer = writer
        for cpu in range(CPUS):
            writer.set_cpu(cpu, self._core(cpu), self._scheduler_name(cpu))
        self._told = 0

    def forget(self) -> None:
        """Forget earlier states; see the base class."""
        self._writer.forget()

    def blocks(self, transitions: Transitions, begin: int, end: int) -> Iterator[Block]:
        """Yield lines; see the base class."""
        if transitions.table is None:
            raise ValueError("these transitions are not of the compiled model")
        self._names_up_to_date()
        for kind, name in zip(self._kinds[self._told :], self._names[self._told :], strict=True):
            self._writer.add_entity(kind, name)
        self._told = len(self._names)
        job = BtfJob(
            tick_hz=self._tick_hz,
            offset_ns=self._offset_ns,
            time_ns=self.time_ns,
            count=self.count,
            without_source=self.without_source,
        )
        yield from self._writer.write(transitions.table, begin, end, job)
        self.time_ns, self.count = job.time_ns, job.count
        self.without_source = job.without_source

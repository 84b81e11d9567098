"""Read the instances of a tape: one pass over its events."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.answers.compiled_instances import instances_of
from tickertape.answers.compiled_situations import situations_of
from tickertape.answers.events import events_of
from tickertape.answers.groups import by_key
from tickertape.answers.places import names_of
from tickertape.answers.situation_table import SituationTable
from tickertape.decode.ticks import NS_PER_S
from tickertape.model.compiled_cpu_time import cpu_times
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.transitions import Action, scheduled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from tickertape.answers.compiled_instances import InstanceTables
    from tickertape.answers.instance import Instance
    from tickertape.answers.situations import Situations
    from tickertape.answers.table import Table
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.model.cpu_time import CpuTimes
    from tickertape.model.entities import Entities
    from tickertape.model.system import SystemModel
    from tickertape.model.transitions import Transitions
    from tickertape.tape.reader import TapeReader


class Activations(NamedTuple):
    """Activations of one entity, in order.

    Attributes:
        entity: the entity.
        times: times in ticks.
        lives: whether the activation begins a life; it is none if the next one takes the life over.
        takes: whether a job takes over the life, or the job, that is under way.
    """

    entity: int
    times: I64
    lives: NDArray[np.bool_]
    takes: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Part:
    """One chunk of events of a boot, and the results of all engines for it.

    Attributes:
        epoch: number of the boot.
        columns: the events; None in the last part of the boot, after all events.
        transitions: transitions of the events; None in the last part.
        ended: source of `table`.
        times: CPU time so far.
        entities: all entities so far.
        situations: situations found in this part; empty without `BootPass.watch`.
    """

    epoch: int
    columns: EventColumns | None
    transitions: Transitions | None
    ended: InstanceTables | _Shown
    times: CpuTimes
    entities: Entities
    situations: SituationTable = field(default_factory=SituationTable.empty)

    @cached_property
    def table(self) -> Table:
        """Instances and intervals that ended in this part; valid until the next part is read.

        With `parts_of(..., keeps=True)`, rows that were not read move to the next part's table;
        otherwise they are discarded.
        """
        return self.ended.lent_table()

    @cached_property
    def activations(self) -> list[Activations]:
        """The activations in this part, by entity."""
        found = self.transitions
        if found is None:
            return []
        takes = found.action == Action.BEGIN_JOB
        rows = np.flatnonzero((found.action == Action.ACTIVATE) | takes)
        none = np.flatnonzero(found.action == Action.NO_JOB)  # each follows its ACTIVATE
        rows = rows[~np.isin(rows, none - 1)]
        times, takes = found.time[rows].astype(np.int64), takes[rows]
        kinds = np.array([one.kind for one in self.entities], np.int64)
        source = found.source[rows]
        lives = (source >= 0) & (kinds[source] == Kind.CREATION)
        return [
            Activations(entity, times[mine], lives[mine], takes[mine])
            for entity, mine in by_key(found.entity[rows])
        ]

    @cached_property
    def instances(self) -> list[Instance]:
        """Instances that ended in this part, as objects."""
        return self.table.instances(self.epoch, self.entities)


@dataclass(frozen=True, eq=False)
class _Shown:
    """Table of a part that `BootPass.so_far` returns."""

    table: Table
    waiting: int = 0

    def lent_table(self) -> Table:
        """Return the table."""
        return self.table


class BootPass:
    """Follows one boot: takes its events in order, and returns a `Part` per chunk."""

    def __init__(
        self,
        model: SystemModel,
        epoch: int,
        window: tuple[int, int] | None = None,
        *,
        keeps: bool = False,
    ) -> None:
        """Begin before the first event of a boot.

        Args:
            model: model of all boots, which has taken the events of the earlier ones.
            epoch: number of the boot.
            window: the first and the last tick of `Part.times`; None for all.
            keeps: whether rows of a table that was not read are added to the next table.
        """
        self._keeps = keeps
        self.epoch, self.entities = epoch, model.entities
        self._model = model
        self._instances = instances_of(model.entities, epoch)
        self.times = cpu_times(model.entities, *(() if window is None else (window,)))
        self._situations: Situations | None = None

    def watch(self, limit_ticks: int) -> None:
        """Find situations from the first event on, for `Part.situations`.

        Args:
            limit_ticks: see `Situations`.
        """
        self._situations = situations_of(self.entities, limit_ticks)

    def feed(self, columns: EventColumns) -> Part:
        """Take the next events."""
        self._forget()
        found = scheduled(self._model.feed(columns))
        self._instances.feed(columns, found)
        self.times.feed(columns, found)
        if self._situations is not None:
            self._situations.feed(columns, found)
        return self._part(columns, found)

    def so_far(self) -> Part:
        """Return the open instances as if they ended at the last event; change nothing."""
        shown = _Shown(self._instances.open_table())
        open_ = SituationTable.empty()
        if self._situations is not None:
            open_ = self._situations.open_table()
        return Part(self.epoch, None, None, shown, self.times, self.entities, open_)

    def finish(self) -> Part:
        """Return the last part, in which the open instances end; all events were fed."""
        self._forget()
        self._instances.finish()
        self.times.close()
        if self._situations is not None:
            self._situations.finish()
        return self._part(None, None)

    def _part(self, columns: EventColumns | None, found: Transitions | None) -> Part:
        now = SituationTable.empty()
        if self._situations is not None:
            now = self._situations.taken_table()
        return Part(self.epoch, columns, found, self._instances, self.times, self.entities, now)

    def _forget(self) -> None:
        if not self._keeps:
            self._instances.lent_table()


def parts_of(
    reader: TapeReader,
    *,
    epochs: Sequence[int] | None = None,
    stream: int | None = None,
    window_of: Callable[[int], tuple[int, int]] | None = None,
    keeps: bool = False,
    watch_ns: int | None = None,
) -> Iterator[Part]:
    """Yield the parts of a tape, boot after boot; instances are in order of their ends.

    A tape of several boards has one boot per board; entities of one name are then the same entity.

    Args:
        reader: the tape.
        epochs: the boots to read; None for all.
        stream: the stream to read; None for the default stream of each boot.
        window_of: returns the first and the last tick of `Part.times` for a boot; None for all.
        keeps: whether rows of a table that was not read are added to the next table.
        watch_ns: find situations, and stretches longer than this limit in ns; None: neither.
    """
    model = system_model(names_of(reader))
    for epoch in reader.epochs if epochs is None else epochs:
        chosen = reader.default_stream(epoch) if stream is None else stream
        window = None if window_of is None else window_of(epoch)
        boot = BootPass(model, epoch, window, keeps=keeps)
        if watch_ns is not None:
            boot.watch(watch_ns * reader.clock(epoch).hz // NS_PER_S)
        for columns in events_of(reader, epoch, stream=chosen):
            yield boot.feed(columns)
        yield boot.finish()

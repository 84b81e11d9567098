"""Convert the events of a kernel and its application to state changes of every entity, over time.

    model = SystemModel(names_of)
    for columns in iter_events(reader, stream=stream):
        transitions = model.feed(columns)      # columns again, see `Transitions`
        ...                                    # model.entities[transitions.entity[0]].name

A trace has three levels: *hardware* events (packets of the trace unit) become *software* events
(`EventColumns`, from a kernel and an application), and these become *system* events
(`Transitions`). docs/model.md describes the mapping.

An instance of a task lasts from creation to end or, for a periodic task, from one activation to its
completion. Each service of an interrupt is an instance.

States are UNKNOWN, never guessed, at the start of a trace, after a gap and after a reset. After a
gap on one CPU, the processes that run on other CPUs stay known while they run. After UNKNOWN, a
process gets a new instance number, because whether it is the same instance is unknown.

Memory depends on the number of entities, not of events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.model.entities import Entities
from tickertape.model.follower import ALL_CPUS, Follower
from tickertape.model.knowledge import breaks_in
from tickertape.model.transitions import gathered
from tickertape.protocol.event_type import CODE_COUNT

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.model.names import Names
    from tickertape.model.transitions import Transitions


class SystemModel:
    """Converts the events of one stream, in order of time, boot after boot.

    Attributes:
        entities: all entities mentioned so far; `feed` adds to them.
    """

    def __init__(self, names_of: Callable[[int], Names]) -> None:
        """Start before the first event.

        Args:
            names_of: returns the names of a boot by epoch. Called once per boot; the model updates
                the result.
        """
        self.entities = Entities()
        self._names_of = names_of
        self._epoch: int | None = None
        self._last: int | None = None
        self._tails: list[int] = []  # CPUs without later records, which may go on unseen
        self._follower = Follower(self.entities)
        self._wanted = np.zeros(CODE_COUNT, bool)
        self._wanted[list(self._follower.handlers)] = True

    def feed(self, columns: EventColumns) -> Transitions:
        """Process the next events, which must be of one stream.

        Returns:
            The transitions, in order.
        """
        follower = self._follower
        follower.begin_chunk()
        if columns.epoch != self._epoch:
            if self._epoch is not None:
                follower.reset()
            self._epoch, self._last, self._tails = columns.epoch, None, []
            follower.begin_boot(self._names_of(columns.epoch), whole=begins_whole(columns))
        rows = np.flatnonzero(self._wanted[columns.code])
        losses = self._losses(columns)[::-1]
        for row, code, cpu, data0, data1 in zip(
            rows.tolist(),
            columns.code[rows].tolist(),
            columns.cpu[rows].tolist(),
            columns.data0[rows].tolist(),
            columns.data1[rows].tolist(),
            strict=True,
        ):
            while losses and losses[-1].row <= row:
                follower.lose(*losses.pop())
            follower.take(row, code, cpu, data0, data1, columns)
        for loss in reversed(losses):
            follower.lose(*loss)
        return gathered(follower.found, columns, follower.lost)

    def _losses(self, columns: EventColumns) -> list[Loss]:
        """Return the losses in the next columns of a boot, in order."""
        last = self._last
        if len(columns):
            self._last = int(columns.time[-1])
        return losses_in(columns, self._wanted, last, self._tails)


def begins_whole(columns: EventColumns) -> bool:
    """Return whether the columns contain the first events of a boot, without a gap."""
    return bool(len(columns)) and int(columns.ordinal[0]) == 0 and not columns.gaps


class Loss(NamedTuple):
    """A place from which states are unknown, except of processes that run on another CPU.

    Attributes:
        row: row after the loss.
        cpu: CPU with missing records; ALL_CPUS for all.
        ticks: time since when records are missing; None if unknown.
    """

    row: int
    cpu: int
    ticks: int | None


def losses_in(
    columns: EventColumns, wanted: NDArray[np.bool_], last: int | None, tails: list[int]
) -> list[Loss]:
    """Return the losses in columns, in order.

    A gap begins after the last record of its CPU. Other CPUs may record events during the gap. A
    process that leaves such a CPU is known only up to that time, because the CPU with the gap may
    run it immediately.

    Args:
        columns: events and gaps.
        wanted: for each class << 10 | event, whether the model processes it.
        last: time of the last event of this boot before `columns`; None if there is none.
        tails: CPUs whose last record precedes `columns` and may not be the last one that they
            recorded; this function adds those that it finds.
    """
    tailed = [(0, cpu) for cpu in tails]
    found = [
        Loss(one.row, ALL_CPUS, last if one.ticks is None else one.ticks)
        for one in breaks_in(columns)
        if not (one.ticks is None and last is None)  # the boot's first event is not a break
    ]
    for begin, gap in gaps_from(columns):
        found.append(Loss(begin, gap.cpu, gap.begin_ticks))
        if gap.tail:
            tailed.append((begin, gap.cpu))
            tails.append(gap.cpu)
        else:
            found += _losses_after(columns, wanted, begin, gap.row, gap.cpu)
    for begin, cpu in tailed:
        found += _losses_after(columns, wanted, begin, len(columns), cpu)
    return sorted(found, key=lambda loss: loss.row)


def _losses_after(
    columns: EventColumns, wanted: NDArray[np.bool_], begin: int, end: int, cpu: int
) -> list[Loss]:
    """Return a loss of a CPU after each event of other CPUs that the model processes."""
    others = begin + np.flatnonzero(wanted[columns.code[begin:end]])
    ticks = columns.time[others].tolist()
    return [Loss(row + 1, cpu, one) for row, one in zip(others.tolist(), ticks, strict=True)]


def gaps_from(columns: EventColumns) -> list[tuple[int, Gap]]:
    """Return each gap with the row where it begins: the one after the last record of its CPU."""
    rows = {cpu: np.flatnonzero(columns.cpu == cpu) for cpu in {gap.cpu for gap in columns.gaps}}
    found = []
    for gap in columns.gaps:
        before = rows[gap.cpu][: np.searchsorted(rows[gap.cpu], gap.row)]
        found.append((int(before[-1]) + 1 if len(before) else 0, gap))
    return found

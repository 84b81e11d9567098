"""The kernel as a system: convert events to state changes of every entity, over time.

    model = SystemModel(names_of)
    for columns in iter_events(reader, stream=stream):
        transitions = model.feed(columns)      # columns again, see `Transitions`
        ...                                    # model.entities[transitions.entity[0]].name

Three levels of one trace, as the theory of system traces has them: **hardware* events (packets
of the trace unit) become *software* events (`EventColumns`, of a kernel and an application), and
these become *system* events (`Transitions`). docs/model.md has the mapping.

An instance of a task is one life: from creation to end, or, once it is periodic, from one
activation to its completion. An interrupt has an instance for each time it is served.

Unknown states are UNKNOWN and never guessed: at the begin of a trace, after a gap, after a
reset. A gap on one CPU leaves what runs on the others known, as long as it runs. A process that
comes back from there has a new instance number: whether it is the same instance is unknown.

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
    """Takes the events of one stream in order of time, boot after boot.

    Attributes:
        entities: all entities that were mentioned so far; grows while events are fed.
    """

    def __init__(self, names_of: Callable[[int], Names]) -> None:
        """Begin before the first event.

        Args:
            names_of: names within a boot, by epoch; asked once a boot, the result is changed.
        """
        self.entities = Entities()
        self._names_of = names_of
        self._epoch: int | None = None
        self._last: int | None = None
        self._follower = Follower(self.entities)
        self._wanted = np.zeros(CODE_COUNT, bool)
        self._wanted[list(self._follower.handlers)] = True

    def feed(self, columns: EventColumns) -> Transitions:
        """Take the next events; they have to be of one stream.

        Returns:
            What they mean, in order.
        """
        follower = self._follower
        follower.begin_chunk()
        if columns.epoch != self._epoch:
            if self._epoch is not None:
                follower.reset()
            self._epoch, self._last = columns.epoch, None
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
        """Return where knowledge ends in the next columns of a boot, in order."""
        last = self._last
        if len(columns):
            self._last = int(columns.time[-1])
        return losses_in(columns, self._wanted, last)


def begins_whole(columns: EventColumns) -> bool:
    """Return whether the first events of a boot are all present."""
    return bool(len(columns)) and int(columns.ordinal[0]) == 0 and not columns.gaps


class Loss(NamedTuple):
    """From here on nothing is known of what does not run on another CPU.

    Attributes:
        row: it is before this one.
        cpu: whose records are missing; ALL_CPUS for all.
        ticks: since when; None when unknown.
    """

    row: int
    cpu: int
    ticks: int | None


def losses_in(columns: EventColumns, wanted: NDArray[np.bool_], last: int | None) -> list[Loss]:
    """Return where knowledge ends, in order.

    A gap begins after the last record of its CPU. Other CPUs may continue meanwhile; a
    process that leaves them is known only up to that time, because the CPU with the gap may take it
    immediately.

    Args:
        columns: events and gaps.
        wanted: which events mean something here, by class << 10 | event.
        last: time of the last event of this boot before them, None without any.
    """
    found = [
        Loss(one.row, ALL_CPUS, last if one.ticks is None else one.ticks)
        for one in breaks_in(columns)
        if not (one.ticks is None and last is None)  # the boot's first event is not a break
    ]
    for begin, gap in gaps_from(columns):
        found.append(Loss(begin, gap.cpu, gap.begin_ticks))
        others = begin + np.flatnonzero(wanted[columns.code[begin : gap.row]])
        ticks = columns.time[others].tolist()
        found += [
            Loss(row + 1, gap.cpu, one) for row, one in zip(others.tolist(), ticks, strict=True)
        ]
    return sorted(found, key=lambda loss: loss.row)


def gaps_from(columns: EventColumns) -> list[tuple[int, Gap]]:
    """Return the gaps, each with the row that it begins before: the one after its CPU's last."""
    rows = {cpu: np.flatnonzero(columns.cpu == cpu) for cpu in {gap.cpu for gap in columns.gaps}}
    found = []
    for gap in columns.gaps:
        before = rows[gap.cpu][: np.searchsorted(rows[gap.cpu], gap.row)]
        found.append((int(before[-1]) + 1 if len(before) else 0, gap))
    return found

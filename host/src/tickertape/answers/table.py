"""Instances and their waits as columns: the result of both engines of `Instances`.

`NO_TICKS` stands for an unknown time or limit, which is None in `Instance`. An interval is a wait
or a part of one: READY with a known begin that ends with RUNNING, and every BLOCKED segment. A
change of the owner cuts a wait into segments; `since` is the begin of the whole wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.interface import BLOCKING, INSTANCE, INTERVAL, NO_TICKS
from tickertape.answers.groups import Groups
from tickertape.answers.instance import Blocking, Bounds, Ended, Instance
from tickertape.model.entities import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tickertape.model.entities import Entities

_NAMES: Final = INSTANCE.names or ()


@dataclass(frozen=True, eq=False)
class Table:
    """Instances that ended, in order of their ends, and intervals in order of their ends.

    Attributes:
        rows: array of `INSTANCE`.
        blockings: array of `BLOCKING`, instance after instance.
        intervals: array of `INTERVAL`.
    """

    rows: NDArray[np.void]
    blockings: NDArray[np.void]
    intervals: NDArray[np.void]

    @cached_property
    def by_entity(self) -> Groups:
        """The rows grouped by entity."""
        return Groups(self.rows, "entity")

    def instances(self, epoch: int, entities: Entities) -> list[Instance]:
        """Return the instances as objects, without segments."""
        waits = self.blockings[["object", "event", "owner", "ticks"]].tolist()
        return [_instance(row, waits, epoch, entities) for row in self.rows.tolist()]


def table_of(instances: Sequence[Instance], intervals: Iterable[tuple[int, ...]]) -> Table:
    """Return a table of instances and of rows of `INTERVAL`."""
    rows: list[tuple[int, ...]] = []
    blockings: list[tuple[int, int, int, int]] = []
    for one in instances:
        rows.append(_row(one, len(blockings)))
        blockings += [(each.event, each.ticks, each.object, each.owner) for each in one.blockings]
    return Table(
        np.array(rows, INSTANCE),
        np.array(blockings, BLOCKING),
        np.array(list(intervals), INTERVAL),
    )


def joined(tables: Sequence[Table]) -> Table:
    """Join tables in order."""
    if len(tables) == 1:
        return tables[0]
    rows = np.concatenate([one.rows for one in tables])
    places = np.cumsum([0, *(len(one.blockings) for one in tables[:-1])])
    counts = [len(one.rows) for one in tables]
    rows["first_blocking"] += np.repeat(places, counts).astype(np.uint64)
    return Table(
        rows,
        np.concatenate([one.blockings for one in tables]),
        np.concatenate([one.intervals for one in tables]),
    )


def _ticks(value: int | None) -> int:
    return NO_TICKS if value is None else value


def _known(value: int) -> int | None:
    return None if value == NO_TICKS else value


def _row(one: Instance, first_blocking: int) -> tuple[int, ...]:
    found: dict[str, Any] = {
        "activation": _ticks(one.activation),
        "start": _ticks(one.start),
        "earliest": _ticks(one.earliest),
        "latest": _ticks(one.latest),
        "response_low": one.response.low,
        "response_high": _ticks(one.response.high),
        "execution_low": one.execution.low,
        "execution_high": _ticks(one.execution.high),
        "first_blocking": first_blocking,
        "blockings": len(one.blockings),
        "cpu": -1 if one.cpu is None else one.cpu,
        "unused": 0,
    }
    return tuple(found[name] if name in found else getattr(one, name) for name in _NAMES)


def _instance(
    row: tuple[int, ...], waits: list[tuple[int, int, int, int]], epoch: int, entities: Entities
) -> Instance:
    at = dict(zip(_NAMES, row, strict=True))
    begin = at["first_blocking"]
    kind = entities[at["entity"]].kind
    return Instance(
        epoch=epoch,
        entity=at["entity"],
        kind=Kind(kind),
        number=at["number"],
        cpu=None if at["cpu"] < 0 else at["cpu"],
        activation=_known(at["activation"]),
        found=at["found"],
        start=_known(at["start"]),
        end=at["end"],
        ended=Ended(at["ended"]),
        running=at["running"],
        ready=at["ready"],
        preempted=at["preempted"],
        interrupted=at["interrupted"],
        suspended=at["suspended"],
        blockings=tuple(Blocking(*one) for one in waits[begin : begin + at["blockings"]]),
        preemptions=at["preemptions"],
        interruptions=at["interruptions"],
        nesting=at["nesting"],
        earliest=_known(at["earliest"]),
        latest=_known(at["latest"]),
        response=Bounds(at["response_low"], _known(at["response_high"])),
        execution=Bounds(at["execution_low"], _known(at["execution_high"])),
        ready_since=at["ready_since"],
        found_ready=at["found_ready"],
        takes=bool(at["takes"]),
    )

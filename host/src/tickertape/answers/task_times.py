"""The times of all instances of one task, as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.lib.recfunctions import repack_fields

from tickertape._native.interface import NO_TICKS
from tickertape.answers.instance import Ended
from tickertape.answers.places import tasks_called
from tickertape.answers.reading import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tickertape.decode.records import I64
    from tickertape.decode.ticks import Clock
    from tickertape.model.entities import Entity
    from tickertape.tape.reader import TapeReader

_DURATIONS: Final = {
    "response_ns": "response_low",
    "execution_ns": "running",
    "ready_ns": "ready",
    "preempted_ns": "preempted",
    "interrupted_ns": "interrupted",
    "suspended_ns": "suspended",
}
"""Columns that are known for whole instances only, and the source field of each."""

_COUNTS: Final = ("preemptions", "interruptions")
_FIELDS: Final = ["entity", "number", "activation", "end", "ended", *_DURATIONS.values(), *_COUNTS]


class Column(NamedTuple):
    """A column; a value is meaningless where `known` is False."""

    values: I64
    known: NDArray[np.bool_]


def task_times(reader: TapeReader, task: str, stream: int | None = None) -> dict[str, Column]:
    """Read the tape once, and return the times of a task.

    A duration is known if begin, end and all between are known: these are the instances that
    `statistics` counts. Memory grows with the number of instances of all tasks, about 100 bytes
    each, because the name of a task may be recorded late.

    Args:
        reader: the tape.
        task: name or number of the task.
        stream: the stream to read; None for the default stream of each boot.

    Returns:
        Columns of equal length by name, in order of boots and of ends within a boot: `boot`,
        `instance`, `activation_ns`, `end_ns`, the durations, and counts.

    Raises:
        UsageError: there is no such task.
    """
    tables: list[tuple[int, NDArray[np.void]]] = []
    entities: Iterable[Entity] = ()
    for part in parts_of(reader, stream=stream):
        entities = part.entities
        tables.append((part.epoch, repack_fields(part.table.rows[_FIELDS])))
    mine = tasks_called(task, entities)
    found = [
        _columns(reader.clock(epoch), epoch, rows[np.isin(rows["entity"], mine)])
        for epoch, rows in tables
    ]
    return {
        name: Column(
            np.concatenate([one[name].values for one in found]),
            np.concatenate([one[name].known for one in found]),
        )
        for name in found[0]
    }


def _columns(clock: Clock, epoch: int, rows: NDArray[np.void]) -> dict[str, Column]:
    everywhere = np.ones(len(rows), np.bool_)
    activated = rows["activation"] != NO_TICKS
    done = rows["ended"] == Ended.DONE
    return {
        "boot": Column(np.full(len(rows), epoch, np.int64), everywhere),
        "instance": Column(rows["number"].astype(np.int64), everywhere),
        "activation_ns": _time(clock, rows["activation"], activated),
        "end_ns": _time(clock, rows["end"], done),
        **{name: _time(clock, rows[field], activated & done) for name, field in _DURATIONS.items()},
        **{name: Column(rows[name].astype(np.int64), activated & done) for name in _COUNTS},
    }


def _time(clock: Clock, ticks: I64, known: NDArray[np.bool_]) -> Column:
    return Column(clock.ns_column(np.where(known, ticks, 0).astype(np.uint64)), known)

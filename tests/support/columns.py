"""Make event columns from rows, for tests of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.events import EventColumns, Gap
from tickertape.protocol.wire import ByteOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

SWITCH = (9, 0)
CREATE = (4, 24)
DESTROY = (4, 25)
NAME = (4, 320)
USER = (6, 3)


@dataclass(frozen=True)
class Row:
    """One event."""

    time: int
    kind: tuple[int, int] = USER
    data: tuple[int, int] = (0, 0)
    payload: bytes | None = None
    cpu: int = 0
    stream: int = 0
    flags: int = 0


def switch(time: int, prev: int, following: int, **where: int) -> Row:
    return Row(time, SWITCH, (prev, following), **where)  # type: ignore[arg-type] # `where` has what Row has


def create(time: int, tid: int, cpu: int = 0) -> Row:
    return Row(time, CREATE, (0, tid), cpu=cpu)


def destroy(time: int, tid: int) -> Row:
    return Row(time, DESTROY, (0, tid))


def name(time: int, tid: int, text: str) -> Row:
    return Row(time, NAME, (0, tid), bytes(4) + tid.to_bytes(4, "little") + text.encode())


def state(time: int, number: int, tid: int, **where: int) -> Row:
    return Row(time, (4, number), (0, tid), **where)  # type: ignore[arg-type] # `where` has what Row has


def born(time: int, tid: int, text: str) -> list[Row]:
    return [create(time, tid), name(time, tid, text), state(time, 2, tid)]


def gap(
    row: int, count: int = 5, *, cpu: int = 0, stream: int = 0, since: int | None = None
) -> Gap:
    return Gap(row, stream, cpu, 100, 100 + count, count, 0, 0, begin_ticks=since, end_ticks=0)


def columns(rows: Sequence[Row], gaps: Sequence[Gap] = (), *, epoch: int = 0) -> EventColumns:
    """Make columns from rows in order of time."""
    offsets, sizes, blob = [], [], b""
    for row in rows:
        offsets.append(-1 if row.payload is None else len(blob))
        sizes.append(len(row.payload or b""))
        blob += row.payload or b""
    header = [
        (row.payload is not None) << 30
        | row.cpu << 24
        | row.flags << 16
        | row.kind[0] << 10
        | row.kind[1]
        for row in rows
    ]
    return EventColumns(
        epoch=epoch,
        byte_order=ByteOrder.LITTLE,
        header=np.array(header, np.uint32),
        time=np.array([row.time for row in rows], np.uint64),
        data0=np.array([row.data[0] for row in rows], np.uint32),
        data1=np.array([row.data[1] for row in rows], np.uint32),
        ordinal=np.arange(len(rows), dtype=np.uint64),
        stream=np.array([row.stream for row in rows], np.uint8),
        payload_offset=np.array(offsets, np.int64),
        payload_bytes=np.array(sizes, np.uint32),
        payload=np.frombuffer(blob, np.uint8),
        gaps=tuple(gaps),
    )

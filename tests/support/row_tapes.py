"""Make tapes from rows of events; receipts account for buffers that the link loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.target import SimulatedTarget
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.support.columns import Row

_BUFFERS = 100_000


def sent(
    rows: Sequence[Row], *, buffer_records: int = 4, cpus: int = 1, boot_id: int = 0
) -> SimulatedTarget:
    """Return a target with a 25 MHz clock that has recorded and sent the rows."""
    target = SimulatedTarget(
        cpus=cpus,
        buffers=_BUFFERS,
        buffer_records=buffer_records,
        dictionary=DICTIONARY_HASH,
        boot_id=boot_id,
    )
    target.hello()
    for row in rows:
        target.advance(row.time - target.now)
        ring = (row.stream, row.cpu)
        if row.payload is None:
            target.record(ring, *row.kind, *row.data)
        else:
            target.combine(ring, *row.kind, row.payload)
    target.finish()
    return target


def row_tape(
    path: Path,
    rows: Sequence[Row],
    *,
    is_lost: Callable[[int], bool] = lambda _number: False,
    buffer_records: int = 4,
    cpus: int = 1,
) -> Path:
    """Capture rows to a tape.

    Args:
        path: path of the tape; it is returned.
        rows: events in order of time.
        is_lost: returns whether the link loses the buffer with this number, counted from 0. The
            first buffer of a ring always arrives: without it the ring would begin later, and its
            records would not count as lost.
        buffer_records: number of records in a buffer.
        cpus: number of CPUs of the target.
    """
    target = sent(rows, buffer_records=buffer_records, cpus=cpus)
    buffers = [frame for frame in target.frames if len(frame.receipts) == 2]
    first = {frame.ring: frame.number for frame in reversed(buffers)}
    lost = {
        id(frame)
        for number, frame in enumerate(buffers)
        if is_lost(number) and frame.number != first[frame.ring]
    }
    data = b"".join(frame.data for frame in target.frames if id(frame) not in lost)
    capture(MemoryLink([data]), path, CaptureOptions(handle_signals=False))
    return path

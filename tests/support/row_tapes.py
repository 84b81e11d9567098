"""Tapes whose events are written as rows, with receipts for those that a link lost."""

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
    """Let a target with a clock of 25 MHz record rows on stream 0, and send all of them."""
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
        path: the tape.
        rows: the events, in order of time.
        is_lost: whether the link loses the buffer of this number, counted from 0. The first buffer
            of a ring always arrives: without it the ring would begin later, without a loss.
        buffer_records: records of a buffer.
        cpus: of the target.
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

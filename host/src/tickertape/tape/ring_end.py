"""The end of a ring: whether its CPU may have recorded more than the tape contains.

The time of a CPU is known up to its last record. It is known up to the end of the trace if a final
STATUS confirms that no record is missing after that one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.decode.events import Gap
from tickertape.decode.gaps import receipt_behind
from tickertape.decode.one_stream import HARDWARE_STREAM

if TYPE_CHECKING:
    from tickertape.decode.bodies import Status
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader


def tail_of(reader: TapeReader, ring: RingKey, last_ticks: int | None) -> Gap | None:
    """Return the gap after the last record of a ring; None if no record may be missing there.

    Args:
        reader: the tape.
        ring: the ring.
        last_ticks: time of its last record; None if it has none.
    """
    if ring.stream == HARDWARE_STREAM:
        return None
    end, last = _end_ordinal(reader, ring), _last_status(reader, ring)
    if end is not None and last is not None and last.final and last.offered <= end:
        return None
    first = 0 if end is None else end
    is_known = last is not None and last.final and end is not None
    lost = max(0, last.offered - first) if last is not None and end is not None else 0
    return Gap(
        row=0,
        stream=ring.stream,
        cpu=ring.cpu,
        first_ordinal=first,
        end_ordinal=first + lost,
        dropped=0,
        overwritten=0,
        damaged=lost,
        begin_ticks=last_ticks,
        end_ticks=last_ticks or 0,
        unknown=not is_known,
        tail=True,
    )


def _end_ordinal(reader: TapeReader, ring: RingKey) -> int | None:
    """Return the ordinal after the last delivered record; None if the last chunk is damaged."""
    rows = reader.record_rows(ring)
    chunk = reader.records_at(rows[-1]) if len(rows) else None
    if chunk is None:
        return None if len(rows) else 0
    filled = chunk.buffers[chunk.buffers["count"] > 0]
    buffers = filled if len(filled) else chunk.buffers
    return max(receipt_behind(one).ordinal for one in buffers) if len(buffers) else None


def _last_status(reader: TapeReader, ring: RingKey) -> Status | None:
    last = None
    for status in reader.statuses(ring):
        last = status
    return last

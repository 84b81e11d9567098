"""Split a ring between two tapes so that its balance is split exactly.

A ring is split at an ordinal. A buffer across this place becomes two buffers. The header of the
second one carries the receipt of the place: no records are lost inside a buffer, so `dropped` is
the same and `sent` increases by the records before the place. If records are missing around the
place, a buffer without records carries the receipt (protocol/SPEC.md, "Tape").

Events of several records are not split: the place moves to an ordinal where no event is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.decode.clock import ticks_64
from tickertape.decode.records import FIRST_COMBINE, FIRST_PART, identities, split
from tickertape.protocol.wire import (
    BUFFER_HEADER_DTYPE,
    MAX_COMBINE_RECORDS,
    STRUCT_SHIFT,
    BufferFlag,
    RecordStruct,
)
from tickertape.tape.format import padding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.decode.bodies import Receipt
    from tickertape.decode.records import Structured

# An event is given up after MAX_COMBINE_RECORDS records of its ring; four times that is enough to
# move a place across a few overlapping events.
WINDOW_RECORDS = 4 * MAX_COMBINE_RECORDS


class Span(NamedTuple):
    """Ordinals of the records of an event: the first one, and the one after the last."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Part:
    """Some buffers of a ring, in order.

    Attributes:
        buffers: structured, `wire.BUFFER_HEADER_DTYPE`.
        records: structured, `wire.record_dtype`: the records of all buffers.
    """

    buffers: Structured
    records: Structured

    def body(self) -> list[bytes]:
        """Return the body of a RECORDS chunk, in pieces."""
        headers = self.buffers.tobytes()
        return [headers, padding(len(headers)), self.records.tobytes()]


def part_between(part: Part, first: int, end: int) -> Part | None:
    """Return the records with ordinals from `first` up to, not including, `end`.

    Returns:
        The buffers, split at the edges; None if there is no such record.
    """
    firsts = part.buffers["first_ordinal"].astype(np.int64)
    counts = part.buffers["count"].astype(np.int64)
    low = np.clip(first - firsts, 0, counts)
    high = np.clip(end - firsts, low, counts)
    kept = np.flatnonzero(high > low)
    if not len(kept):
        return None
    starts = np.cumsum(counts) - counts
    buffers = part.buffers[kept].copy()
    for row, number in enumerate(kept.tolist()):
        if low[number]:
            begin = int(starts[number])
            records = part.records[begin : begin + int(counts[number])]
            _begin_later(buffers, row, int(low[number]), records)
    buffers["count"] = (high - low)[kept]
    # Not concatenate(), which would convert the byte order to that of this machine.
    wanted = np.zeros(len(part.records), bool)
    for one in kept.tolist():
        wanted[starts[one] + low[one] : starts[one] + high[one]] = True
    return Part(buffers, part.records[wanted])


def _begin_later(buffers: Structured, row: int, skipped: int, records: Structured) -> None:
    """Change the header in `row` so that the buffer begins `skipped` records later."""
    starts = np.flatnonzero(records["header"][:skipped] < FIRST_PART)
    if len(starts):
        low = records["time"][starts].astype(np.uint32)
        ticks = ticks_64(low, np.zeros(1, np.intp), buffers["ticks"][row : row + 1])
        buffers["ticks"][row] = ticks[-1]
    buffers["first_ordinal"][row] += skipped
    buffers["sent"][row] += skipped
    buffers["flags"][row] &= ~np.uint8(BufferFlag.LOSS_BEFORE)


def receipt_alone(receipt: Receipt, ticks: int, records: Structured) -> Part:
    """Return a buffer without records that carries a receipt.

    Args:
        receipt: the receipt.
        ticks: time of the receipt, as far as known.
        records: any records of the tape, for their byte order.
    """
    row = (receipt.ordinal, receipt.dropped, receipt.sent, ticks, 0, 0, 0, 0)
    return Part(np.array([row], BUFFER_HEADER_DTYPE), records[:0])


def whole_events(parts: Iterable[Part], *, torn: bool = False) -> list[Span]:
    """Find the complete events of several records.

    Args:
        parts: successive parts of a ring.
        torn: also return events that begin before the parts or end after them, as far as present.
    """
    spans: list[Span] = []
    opened: dict[int, list[int]] = {}
    origin = end = -1
    for part in parts:
        starts = np.cumsum(part.buffers["count"], dtype=np.int64) - part.buffers["count"]
        for header, start in zip(part.buffers, starts.tolist(), strict=True):
            first, count = int(header["first_ordinal"]), int(header["count"])
            if end < 0:
                origin = first if torn else -1
            elif first != end or header["flags"] & BufferFlag.LOSS_BEFORE:
                opened.clear()
                origin = -1
            records = part.records[start : start + count]
            spans += _closed(records, first, opened, origin)
            end = first + count
    if torn:
        begins = [begin for many in opened.values() for begin in many]
        spans += [Span(one, end + 1) for one in begins if end - one <= MAX_COMBINE_RECORDS]
    return spans


def _closed(
    records: Structured, first: int, opened: dict[int, list[int]], origin: int
) -> list[Span]:
    """Process the records of one buffer; return the events that end in it.

    Args:
        records: the records.
        first: ordinal of the first record.
        opened: ordinals of the open BEGINs by identity; updated.
        origin: ordinal at which events without a BEGIN are assumed to begin; -1 to ignore them.
    """
    found = []
    combine = np.flatnonzero(records["header"] >= FIRST_COMBINE)
    columns = split(records, np.arange(len(records), dtype=np.uint64), None)
    keys = identities(columns.words_at(combine)).tolist()
    kinds = (columns.header[combine] >> np.uint32(STRUCT_SHIFT)).tolist()
    for row, kind, key in zip(combine.tolist(), kinds, keys, strict=True):
        begins = opened.setdefault(key, [])
        ordinal = first + row
        if kind == RecordStruct.BEGIN:
            begins.append(ordinal)
        elif kind == RecordStruct.END and begins:
            begin = begins.pop()
            if ordinal - begin <= MAX_COMBINE_RECORDS:
                found.append(Span(begin, ordinal + 1))
        elif not begins and origin >= 0 and ordinal - origin <= MAX_COMBINE_RECORDS:
            found.append(Span(origin, ordinal + 1))
    return found


def clean_before(spans: Sequence[Span], place: int) -> int:
    """Return the next place at or before `place` where no event is open."""
    for span in sorted(spans, key=lambda one: one.end, reverse=True):
        if span.first < place < span.end:
            return clean_before(spans, span.first)
    return place


def clean_behind(spans: Sequence[Span], place: int) -> int:
    """Return the next place at or after `place` where no event is open."""
    for span in spans:
        if span.first < place < span.end:
            return clean_behind(spans, span.end)
    return place

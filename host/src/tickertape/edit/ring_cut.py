"""Find the records of a ring in a range of time, and the receipts at the edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.decode.bodies import Receipt
from tickertape.decode.events import DecodeCounters
from tickertape.decode.gaps import ends_of, fresh
from tickertape.edit.split import (
    WINDOW_RECORDS,
    Part,
    clean_before,
    clean_behind,
    whole_events,
)
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, ThreadEvent
from tickertape.protocol.wire import NAME, ObjectKind
from tickertape.tape.stream import ring_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import Structured
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader


_THREAD_NAME = event_code(EventClass.THREAD, ThreadEvent.NAME)


class Mark(NamedTuple):
    """A receipt and its time, as far as known."""

    receipt: Receipt
    ticks: int


@dataclass(frozen=True, slots=True)
class RingCut:
    """Part of a ring to copy.

    Attributes:
        first: ordinal of the first record.
        end: ordinal after the last record.
        begin: receipt at which the balance begins.
        last: receipt at which the balance ends.
        is_within: an event is in the range, or the range is between two events of the ring.
        names: bodies of NAME chunks by thread number, with names from events before the range.
    """

    first: int
    end: int
    begin: Mark
    last: Mark
    is_within: bool
    names: Mapping[int, bytes]


def cut_of(reader: TapeReader, ring: RingKey, ticks: tuple[int, int]) -> RingCut | None:
    """Find the part of a ring to copy.

    Args:
        reader: the tape.
        ring: the ring.
        ticks: the first and the last tick of the range.

    Returns:
        The part; None if the tape has no receipt of the ring.
    """
    outer = _outer_marks(reader, ring)
    if outer is None:
        return None
    names: dict[int, bytes] = {}
    first, end, is_inside = _ordinals(reader, ring, ticks, outer[1].receipt.ordinal, names)
    spans = [*whole_events(_window(reader, ring, first)), *whole_events(_window(reader, ring, end))]
    first = clean_before(spans, first)
    end = max(first, clean_behind(spans, end))
    before, after = _inner_marks(reader, ring, first, end)
    return RingCut(
        first,
        end,
        before or outer[0],
        after or outer[1],
        is_inside or (before is not None and after is not None),
        names,
    )


def _ordinals(
    reader: TapeReader,
    ring: RingKey,
    ticks: tuple[int, int],
    behind: int,
    names: dict[int, bytes],
) -> tuple[int, int, bool]:
    """Return the first ordinal of the range, the ordinal after it, and whether any event is inside.

    Adds to `names` the thread names from events before the range.

    The order of a ring has priority over its clock: if the clock steps back, all records between
    two events of the range belong to the range.
    """
    first: int | None = None
    end = 0
    is_inside = False
    for columns in ring_events(reader, ring, DecodeCounters()):
        early = columns.time >= np.uint64(ticks[0])
        late = columns.time <= np.uint64(ticks[1])
        _learn(columns, ~early, names)
        if first is None and early.any():
            first = int(columns.ordinal[int(early.argmax())])
        if late.any():
            end = int(columns.ordinal[np.flatnonzero(late)[-1]]) + 1
        is_inside = is_inside or bool((early & late).any())
    first = behind if first is None else first
    return first, max(first, end) if is_inside else first, is_inside


def _learn(columns: EventColumns, chosen: NDArray[np.bool_], names: dict[int, bytes]) -> None:
    for row in np.flatnonzero(chosen & (columns.code == _THREAD_NAME)).tolist():
        event = columns.event_at(row)
        if event.text and len(event.words) > 1:
            pid, tid = event.words[:2]
            fields = {"kind": ObjectKind.THREAD, "state": 0, "priority": 0, "cpu": event.cpu}
            names[tid] = NAME.build({**fields, "id": tid, "parent": pid}) + event.text.encode()


def _fresh_parts(reader: TapeReader, ring: RingKey) -> Iterator[Structured]:
    """Yield the buffer headers of a ring, without buffers with repeated ordinals."""
    end = 0
    for chunk in reader.records_chunks(ring):
        if len(chunk.buffers):
            kept = fresh(chunk.buffers, end)
            buffers = chunk.buffers.copy() if kept is None else chunk.buffers[kept]
            if len(buffers):
                end = int(ends_of(buffers)[-1])
                yield buffers


def _window(reader: TapeReader, ring: RingKey, place: int) -> Iterator[Part]:
    """Yield the buffers around an ordinal that may contain records of an event around it."""
    for chunk in reader.records_chunks(ring):
        ends = ends_of(chunk.buffers)
        near = (ends > place - WINDOW_RECORDS) & (
            chunk.buffers["first_ordinal"].astype(np.int64) < place + WINDOW_RECORDS
        )
        rows = np.flatnonzero(near)
        if len(rows):
            starts = np.cumsum(chunk.buffers["count"], dtype=np.int64) - chunk.buffers["count"]
            low, high = int(rows[0]), int(rows[-1])
            records = chunk.records[starts[low] : starts[high] + chunk.buffers["count"][high]]
            yield Part(chunk.buffers[low : high + 1], records)


def _outer_marks(reader: TapeReader, ring: RingKey) -> tuple[Mark, Mark] | None:
    """Return the first and the last receipt of a ring."""
    marks = [Mark(status.settled, status.ticks) for status in reader.statuses(ring)]
    for buffers in _fresh_parts(reader, ring):
        head, tail = buffers[0], buffers[-1]
        marks.append(_mark_in(head, int(head["first_ordinal"])))
        marks.append(_mark_in(tail, int(ends_of(buffers)[-1])))
        marks = [_first(marks), _last(marks)]
    return (_first(marks), _last(marks)) if marks else None


def _first(marks: list[Mark]) -> Mark:
    return min(marks, key=lambda mark: mark.receipt.ordinal)


def _last(marks: list[Mark]) -> Mark:
    return max(marks, key=lambda mark: mark.receipt.ordinal)


def _inner_marks(
    reader: TapeReader, ring: RingKey, first: int, end: int
) -> tuple[Mark | None, Mark | None]:
    """Return the receipts after the last record before `first` and at the first from `end` on.

    None if there is no such record.
    """
    before: Mark | None = None
    after: Mark | None = None
    for buffers in _fresh_parts(reader, ring):
        filled = buffers[buffers["count"] > 0]
        firsts, ends = filled["first_ordinal"].astype(np.int64), ends_of(filled)
        earlier = np.flatnonzero(firsts < first)
        if len(earlier):
            row = int(earlier[-1])
            before = _mark_in(filled[row], min(first, int(ends[row])))
        later = np.flatnonzero(ends > end)
        if len(later) and after is None:
            row = int(later[0])
            after = _mark_in(filled[row], max(end, int(firsts[row])))
    return before, after


def _mark_in(buffer: np.void, ordinal: int) -> Mark:
    """Return the receipt at an ordinal in a buffer, or after its last record."""
    sent = int(buffer["sent"]) + ordinal - int(buffer["first_ordinal"])
    return Mark(Receipt(ordinal, int(buffer["dropped"]), sent), int(buffer["ticks"]))

"""The results of decoding: events as columns, and single events as objects."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from tickertape.protocol.lookup import event_label, event_type
from tickertape.protocol.wire import (
    CLASS_MASK,
    CLASS_SHIFT,
    CPU_MASK,
    CPU_SHIFT,
    DOMAIN_MASK,
    DOMAIN_SHIFT,
    EVENT_MASK,
    HOST_BITS,
    TRUNCATED_BITS,
    ByteOrder,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tickertape.decode.records import I64, U8, U16, U32, U64, Rows
    from tickertape.protocol.event_type import EventType, Field

_WORD_BYTES = 4
_RECORD_WORDS = 2
_CODE_MASK = np.uint32(CLASS_MASK << CLASS_SHIFT | EVENT_MASK)


@dataclass(frozen=True, slots=True)
class Gap:
    """A range of missing records of one ring.

    Attributes:
        row: index in the columns of the first event after the gap; their length if that event is
            in the next columns.
        stream: stream of the ring.
        cpu: CPU of the ring.
        first_ordinal: ordinal of the first missing record.
        end_ordinal: ordinal of the first record after the gap.
        dropped: number of records dropped because no buffer was free.
        overwritten: number of records replaced by newer ones.
        damaged: number of records that were sent and did not arrive intact.
        unknown: an unknown number of further records is missing: the tape was made from a file that
            counts no losses, or the receipts contradict each other. The three numbers above are
            then the known part, usually 0.
        echo: the loss is counted in another gap; this gap marks another CPU that records into the
            same ring.
        tail: no later record of the ring is on the tape; `end_ticks` is then that of the last one.
        begin_ticks: time of the last record before the gap; None if there is none.
        end_ticks: anchor of the next buffer. The whole loss is between these two times.
    """

    row: int
    stream: int
    cpu: int
    first_ordinal: int
    end_ordinal: int
    dropped: int
    overwritten: int
    damaged: int
    begin_ticks: int | None
    end_ticks: int
    unknown: bool = False
    echo: bool = False
    tail: bool = False

    @property
    def lost(self) -> int:
        """Number of records that are known to be missing."""
        return self.end_ordinal - self.first_ordinal


@dataclass(frozen=True, slots=True)
class Event:
    """One event, simple or combine.

    Attributes:
        time_ticks: 64-bit time.
        epoch: boot of the target within the tape.
        stream: stream that recorded it.
        cpu: CPU number, from the record.
        cls: class number.
        event: event number inside the class.
        domain: domain number; 0 for the kernel core.
        truncated: the recorder truncated the payload.
        host: a host process emitted it.
        ordinal: ordinal of its (first) record in its ring.
        words: the two words of a simple event; the complete words of a payload.
        payload: payload of a combine event; None for a simple event.
    """

    time_ticks: int
    epoch: int
    stream: int
    cpu: int
    cls: int
    event: int
    domain: int
    truncated: bool
    host: bool
    ordinal: int
    words: tuple[int, ...]
    payload: bytes | None

    @property
    def type(self) -> EventType:
        """Its type in the dictionary; a nameless type for unknown numbers."""
        return event_type(self.cls, self.event)

    @property
    def name(self) -> str:
        """`CLASS.EVENT`, e.g. `THREAD.READY`; `CLASS.EVENT_77` for an unknown number."""
        return event_label(self.type)

    @property
    def fields(self) -> tuple[tuple[Field, int], ...]:
        """Fields of the dictionary with their words, for the simple and the wide form.

        Words without a field are left out: the words of a payload of plain bytes, and words that a
        newer dictionary has appended to a wide form.
        """
        kind, words = self.type, self.words
        if self.payload is None or kind.payload:
            return tuple(zip(kind.fields, words, strict=False))
        is_wide = len(words) > _RECORD_WORDS and len(self.payload) == _WORD_BYTES * len(words)
        if not kind.wide_fields or not is_wide:
            return ()
        return (
            *zip(kind.fields, words, strict=False),
            *zip(kind.wide_fields, words[_RECORD_WORDS:], strict=False),
        )

    @property
    def text(self) -> str | None:
        """The string in the payload; None if there is none. Invalid UTF-8 is replaced."""
        begin = _text_begin(self.cls << CLASS_SHIFT | self.event)
        if self.payload is None or begin is None:
            return None
        return self.payload[begin:].decode("utf-8", errors="replace")


@cache
def _text_begin(code: int) -> int | None:
    """Return where the string begins in a payload of this type; None if it has none."""
    kind = event_type(code >> CLASS_SHIFT, code & EVENT_MASK)
    return _WORD_BYTES * len(kind.fields) if kind.payload == "string" else None


@dataclass(frozen=True, eq=False)
class EventColumns:
    """Events as columns of equal length, one row per event, in time order.

    A combine event is one row, at the place of its BEGIN; `data0` and `data1` are then the first
    two words of its payload.

    Attributes:
        epoch: boot of the target within the tape; all rows belong to it.
        byte_order: byte order of the words in `payload`.
        header: u32, record headers of SIMPLE and BEGIN records.
        time: u64, ticks.
        data0: u32, first word.
        data1: u32, second word.
        ordinal: u64, ordinal of the event's first record in its ring.
        stream: u8, stream number.
        payload_offset: i64, offset of the row's payload in `payload`; -1 for simple events.
        payload_bytes: u32, exact length of the payload; 0 for simple events.
        payload: u8, the payloads of these rows, and unrelated bytes between them.
        gaps: the gaps between the rows.
        running: i64, running thread at each row, if already computed; small pieces of columns do
            not contain enough events to compute it.

    `cls` u8, `event` u16, `code` u16 (class << 10 | event), `cpu` u8, `domain` u8, `truncated`
    and `host` (bool) are computed from `header` on first use and cached.
    """

    epoch: int
    byte_order: ByteOrder
    header: U32
    time: U64
    data0: U32
    data1: U32
    ordinal: U64
    stream: U8
    payload_offset: I64
    payload_bytes: U32
    payload: U8
    gaps: tuple[Gap, ...] = ()
    running: I64 | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.header)

    @property
    def losses(self) -> tuple[Gap, ...]:
        """The gaps without echoes, so that each loss counts once."""
        return tuple(gap for gap in self.gaps if not gap.echo)

    @cached_property
    def code(self) -> U16:
        """Class and event as one number, class << 10 | event."""
        return (self.header & _CODE_MASK).astype(np.uint16)

    @cached_property
    def cls(self) -> U8:
        """Class numbers."""
        return (self.code >> np.uint16(CLASS_SHIFT)).astype(np.uint8)

    @cached_property
    def event(self) -> U16:
        """Event numbers inside the class."""
        return self.code & np.uint16(EVENT_MASK)

    @cached_property
    def cpu(self) -> U8:
        """CPU that recorded the event."""
        return (self.header >> np.uint32(CPU_SHIFT)).astype(np.uint8) & np.uint8(CPU_MASK)

    @cached_property
    def rows_of_cpus(self) -> dict[int, tuple[int, int]]:
        """First and last row of each CPU, by its number, ascending."""
        found = np.flatnonzero(np.bincount(self.cpu)).tolist()
        last = len(self) - 1
        if len(found) == 1:
            return {found[0]: (0, last)}
        mine = {cpu: self.cpu == cpu for cpu in found}
        return {cpu: (int(at.argmax()), last - int(at[::-1].argmax())) for cpu, at in mine.items()}

    @cached_property
    def domain(self) -> U8:
        """Domain that emitted the event; 0 for the kernel core."""
        return (self.header >> np.uint32(DOMAIN_SHIFT)).astype(np.uint8) & np.uint8(DOMAIN_MASK)

    @cached_property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the recorder truncated the payload."""
        return (self.header & np.uint32(TRUNCATED_BITS)).astype(np.bool_)

    @cached_property
    def host(self) -> NDArray[np.bool_]:
        """Whether a host process emitted the event."""
        return (self.header & np.uint32(HOST_BITS)).astype(np.bool_)

    def payload_of(self, row: int) -> bytes | None:
        """Return the payload bytes of a row; None for a simple event."""
        offset = int(self.payload_offset[row])
        if offset < 0:
            return None
        return self.payload[offset : offset + int(self.payload_bytes[row])].tobytes()

    def text_at(self, row: int) -> str | None:
        """Return `Event.text` of a row; faster than making the event, for tapes with many names."""
        begin, payload = _text_begin(int(self.header[row] & _CODE_MASK)), self.payload_of(row)
        if payload is None or begin is None:
            return None
        return payload[begin:].decode("utf-8", errors="replace")

    def event_at(self, row: int) -> Event:
        """Return one row as an object."""
        payload = self.payload_of(row)
        words: tuple[int, ...]
        if payload is None:
            words = (int(self.data0[row]), int(self.data1[row]))
        else:
            mark = "<u4" if self.byte_order is ByteOrder.LITTLE else ">u4"
            words = tuple(np.frombuffer(payload, mark, len(payload) // _WORD_BYTES).tolist())
        return Event(
            time_ticks=int(self.time[row]),
            epoch=self.epoch,
            stream=int(self.stream[row]),
            cpu=int(self.cpu[row]),
            cls=int(self.cls[row]),
            event=int(self.event[row]),
            domain=int(self.domain[row]),
            truncated=bool(self.truncated[row]),
            host=bool(self.host[row]),
            ordinal=int(self.ordinal[row]),
            words=words,
            payload=payload,
        )

    def events(self) -> Iterator[Event]:
        """Yield all rows as objects; use columns for more than some thousands of events."""
        return (self.event_at(row) for row in range(len(self)))

    def take(self, rows: Rows | slice) -> Self:
        """Return the given rows; `payload` is shared, `gaps` are left out."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        values.pop("payload")
        names = [name for name, value in values.items() if isinstance(value, np.ndarray)]
        if isinstance(rows, slice):
            picked = {name: getattr(self, name)[rows] for name in names}
        else:
            picked = {name: getattr(self, name).take(rows) for name in names}  # faster than []
        return replace(self, gaps=(), **picked)


def split_columns(columns: EventColumns, row: int) -> tuple[EventColumns, EventColumns]:
    """Cut columns before `row`; a gap stays with the event after it."""
    head = columns.take(slice(0, row))
    tail = columns.take(slice(row, None))
    before = tuple(gap for gap in columns.gaps if gap.row < row)
    after = tuple(replace(gap, row=gap.row - row) for gap in columns.gaps if gap.row >= row)
    return replace(head, gaps=before), replace(tail, gaps=after)


def concatenate(parts: Sequence[EventColumns]) -> EventColumns:
    """Join columns of one epoch in order, with payloads and gaps.

    Args:
        parts: the columns; at least one.
    """
    if len(parts) == 1:
        return parts[0]
    rows = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    bases = np.cumsum([0, *(len(part.payload) for part in parts)]).tolist()
    offsets = [
        np.where(part.payload_offset < 0, part.payload_offset, part.payload_offset + base)
        for part, base in zip(parts, bases[:-1], strict=True)
    ]
    return EventColumns(
        epoch=parts[0].epoch,
        byte_order=parts[0].byte_order,
        header=np.concatenate([part.header for part in parts]),
        time=np.concatenate([part.time for part in parts]),
        data0=np.concatenate([part.data0 for part in parts]),
        data1=np.concatenate([part.data1 for part in parts]),
        ordinal=np.concatenate([part.ordinal for part in parts]),
        stream=np.concatenate([part.stream for part in parts]),
        payload_offset=np.concatenate(offsets),
        payload_bytes=np.concatenate([part.payload_bytes for part in parts]),
        payload=np.concatenate([part.payload for part in parts]),
        gaps=tuple(
            replace(gap, row=gap.row + first)
            for part, first in zip(parts, rows[:-1], strict=True)
            for gap in part.gaps
        ),
    )


@dataclass(slots=True)
class DecodeCounters:
    """Counters of a decoder. Every record is an event, a part of one, or in `lost_records`.

    Attributes:
        records: records decoded.
        events: events assembled from them.
        incomplete_events: combine events discarded because a record is missing, too many records
            are in between, or a record fits two events.
        orphan_records: CONTINUE or END records without their BEGIN.
        mismatched_events: combine events whose number of records does not match their length.
        lost_records: records without an event, for the three reasons above, or because the event
            was recorded again on another CPU.
        repeated_records: records with repeated ordinals, not used again; not in `records`.
        time_faults: buffers that begin before the last record of the previous buffer.
    """

    records: int = 0
    events: int = 0
    incomplete_events: int = 0
    orphan_records: int = 0
    mismatched_events: int = 0
    lost_records: int = 0
    repeated_records: int = 0
    time_faults: int = 0

    @property
    def whole(self) -> bool:
        """True if every event is complete."""
        return not (self.incomplete_events or self.orphan_records or self.mismatched_events)

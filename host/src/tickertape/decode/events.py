"""What decoding yields: columns for machines, single events for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of one ring's records that is not there.

    Attributes:
        row: index in the columns of the first event after it (may equal their length).
        stream, cpu: the ring.
        first_ordinal, end_ordinal: the missing ordinals, end not included.
        dropped, overwritten, damaged: how they were lost; the sum is their number.
    """

    row: int
    stream: int
    cpu: int
    first_ordinal: int
    end_ordinal: int
    dropped: int
    overwritten: int
    damaged: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event, simple or combine.

    Attributes:
        time_ticks: 64-bit time.
        epoch: boot of the target within the tape.
        stream: which stream brought it.
        cpu: which CPU, as its record says.
        cls: class number.
        event: event number inside the class.
        domain: 0 for the kernel core.
        truncated: the payload was cut when it was recorded.
        host: emitted by a host process.
        ordinal: ordinal of its (first) record in its ring.
        words: the two words of a simple event; all whole words of a payload.
        payload: the bytes of a combine event, None for a simple one.
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
    def name(self) -> str:
        """`CLASS EVENT` from the dictionary; numbers where it does not know them."""
        raise NotImplementedError

    @property
    def text(self) -> str | None:
        """The string of a payload, None where the event type has none; bad UTF-8 is replaced."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class EventColumns:
    """Events as columns of equal length, one row per event, in time order.

    A combine event is one row, at the place of its BEGIN; `data0` and `data1` are then the first
    two words of its payload.

    Attributes:
        epoch: boot of the target within the tape; all rows belong to it.
        byte_order: "<" or ">", for the words inside `payload`.
        header: u32, record headers of SIMPLE and BEGIN records.
        time: u64, ticks.
        data0, data1: u32.
        ordinal: u64, of the first record of the event, in its ring.
        stream: u8.
        payload_offset: i64, where the row's payload begins in `payload`; -1 for simple events.
        payload_bytes: u32, its exact length in bytes; 0 for simple events.
        payload: u8, the payloads of these rows and unrelated filling between them.
        gaps: what is missing before which row.

    Computed on first use from `header`, then kept: `cls` u8, `event` u16, `code` u16
    (class << 10 | event), `cpu` u8, `domain` u8, `truncated` and `host` bool.
    """

    epoch: int
    byte_order: str
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

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.header)

    def payload_of(self, row: int) -> bytes | None:
        """Return the payload bytes of a row, None for a simple event."""
        raise NotImplementedError

    def event_at(self, row: int) -> Event:
        """Return one row as an object."""
        raise NotImplementedError

    def events(self) -> Iterator[Event]:
        """Yield all rows as objects; about 10^5 a second, columns are for more."""
        raise NotImplementedError

    def take(self, rows: NDArray[np.intp] | slice) -> EventColumns:
        """Pick rows; gaps are left out, `payload` is shared."""
        raise NotImplementedError


def concatenate(parts: Sequence[EventColumns]) -> EventColumns:
    """Join columns of one epoch, one after the other; payloads and gaps are kept."""
    raise NotImplementedError


@dataclass(slots=True)
class DecodeCounters:
    """What decoding met. Every record is an event, a part of one, or counted here.

    Attributes:
        records: records looked at.
        events: events made of them.
        incomplete_events: combine events given up: a record is missing, or too many came between.
        orphan_records: CONTINUE or END records without their BEGIN.
        mismatched_events: combine events whose number of records does not fit their length.
        lost_records: records that belong to no event that was made (of the three kinds above).
        repeated_records: records whose ordinals had come before, not used again.
        time_faults: buffers whose time begins before the last record of the buffer before.
    """

    records: int = 0
    events: int = 0
    incomplete_events: int = 0
    orphan_records: int = 0
    mismatched_events: int = 0
    lost_records: int = 0
    repeated_records: int = 0
    time_faults: int = 0

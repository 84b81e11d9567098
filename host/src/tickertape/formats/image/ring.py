"""Determines the contents of a ring in a memory image taken between any two instructions.

firmware/core/ring.h describes the states of a buffer, docs/recover.md explains this algorithm. Each
step of the recorder changes several words. The law of loss

    closed = dropped + overwritten + sent + held

holds whenever no step is in progress. During a step, the difference between the two sides shows
which words the step has already changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from tickertape.decode.bodies import Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    RecordOf = Callable[[int], tuple[int, int] | None]

_WORD: Final = 1 << 32
_NUMBERS: Final = 1 << 30  # opening numbers in a tag
_STATE_BITS: Final = 2
_RECORD_BYTES: Final = 16
_STRUCT_SHIFT: Final = 30
_BEGIN: Final = 1
_SETTLE_LAP_RECORDS: Final = 3  # one more than the records that a step may have counted


class RingUnclearError(ValueError):
    """The counters of a ring contradict each other: the recorder never produces this state."""


class State(IntEnum):
    """State of a buffer, `tt_buffer_state_t`."""

    FREE = 0
    FILLING = 1
    FULL = 2
    SENDING = 3


@dataclass(frozen=True, slots=True)
class RingPlace:
    """Addresses and sizes of the parts of a ring.

    Attributes:
        buffers: address of the first descriptor.
        buffer_bytes: size of a descriptor.
        buffer_records: number of records per buffer.
        packs: whether the drain packs records in place.
        drain_part: address of the descriptor whose first records the drain has sent, with short
            steps of the drain (TT_CONFIG_DRAIN_SLICE); 0 for none, None without such steps.
        part_records: address of the records after those sent.
    """

    buffers: int
    buffer_bytes: int
    buffer_records: int
    packs: bool = False
    drain_part: int | None = None
    part_records: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    """Records of one buffer that the ring holds.

    Attributes:
        number: number of the buffer.
        begin: ordinal of the first record, and number of records dropped before it.
        ticks: 64-bit time, less than 2^32 ticks before the first record.
        sequence: number of the opening.
        parts: address and number of records of each part, oldest first.
        sending: whether the drain has the buffer.
        open: whether the newest record may be only partly written.
        lost: whether the drain may have changed the records.
    """

    number: int
    begin: tuple[int, int]
    ticks: int
    sequence: int
    parts: tuple[tuple[int, int], ...]
    sending: bool = False
    open: bool = False
    lost: bool = False

    @property
    def count(self) -> int:
        """Number of records."""
        return sum(count for _, count in self.parts)


@dataclass(frozen=True, slots=True)
class RingState:
    """Contents and counters of a ring.

    Attributes:
        start: receipt before the oldest held record.
        held: held records, in order of ordinal.
        end: receipt after the newest held record, as if all held records had been sent.
        overwritten: number of records overwritten so far.
    """

    start: Receipt
    held: tuple[Held, ...]
    end: Receipt
    overwritten: int


def read_ring(ring: Mapping[str, Any], place: RingPlace, record: RecordOf) -> RingState:
    """Determine the contents of a ring.

    Args:
        ring: values of a `tt_ring_t`.
        place: addresses and sizes of its parts.
        record: returns header and time of the record at an address; None when unknown.

    Raises:
        RingUnclearError: the counters contradict each other.
    """
    return _Reader(ring, place, record).state()


class _Reader:
    """Reads one ring."""

    def __init__(self, ring: Mapping[str, Any], place: RingPlace, record: RecordOf) -> None:
        self._ring = ring
        self._record = record
        self._place = place
        self._buffers: list[Mapping[str, Any]] = ring["buffers"]
        states = [State(buffer["tag"] % (1 << _STATE_BITS)) for buffer in self._buffers]
        self._full = [i for i, state in enumerate(states) if state is State.FULL]
        self._sending = self._only(i for i, state in enumerate(states) if state is State.SENDING)
        self._filling = self._only(i for i, state in enumerate(states) if state is State.FILLING)
        self._next, self._overwritten = ring["next_ordinal"], ring["overwritten"]
        self._sent = ring["settled"]["sent"]
        self._dropped = ring["dropped"]
        classes = sum(ring["dropped_by_class"])
        # A drop is counted by class first, so the sum over classes includes all drops.
        self._all_dropped = self._dropped + (classes - self._dropped) % _WORD
        self._fill = self._filled()
        self._held = [self._closed(i) for i in self._full]

    def state(self) -> RingState:
        """Return contents and counters of the ring."""
        is_lapped = bool(self._ring.get("lapped")) and self._fill is not None
        if is_lapped:
            sending = self._of_lap()
        elif self._fill:
            sending = self._of_open_buffer(self._fill)
        else:
            sending = self._of_no_record()
        start, pending = self._start(sending)
        held = tuple(sorted([*self._held, *pending], key=lambda one: one.begin))
        sent = start.sent + sum(one.count for one in held)
        offered = self._all_dropped + self._overwritten + sent
        end = Receipt(offered, self._all_dropped, sent)
        self._check(start, held, end)
        return RingState(start, held, end, self._overwritten)

    def _only(self, found: Iterable[int]) -> int | None:
        numbers = list(found)
        if len(numbers) > 1:
            raise RingUnclearError(f"{len(numbers)} buffers are in the same hands")
        return numbers[0] if numbers else None

    def _slot(self, number: int) -> int:
        """Return the address of the first record of a buffer."""
        size = self._place.buffer_records * _RECORD_BYTES
        address: int = self._ring["records"] + number * size
        return address

    def _filled(self) -> int | None:
        """Return the number of records in the open buffer; None when no buffer is open.

        A buffer whose claim is not complete counts as not open.
        """
        if self._filling is None:
            return None
        ring, buffer = self._ring, self._buffers[self._filling]
        here = self._place.buffers + self._filling * self._place.buffer_bytes
        fill, rest = divmod(ring["cursor"] - ring["base"], _RECORD_BYTES)
        is_claimed = (
            buffer["tag"] >> _STATE_BITS == buffer["sequence"] % _NUMBERS
            and ring["filling"] == here
            and ring["base"] == self._slot(self._filling)
            and rest == 0
            and 0 <= fill <= self._place.buffer_records
        )
        if not is_claimed:
            return None
        first = buffer["first_ordinal"]
        is_known = fill == 0 or ring.get("lapped") or self._next in (first, first + fill)
        return fill if is_known else None

    def _closed(self, number: int, count: int | None = None) -> Held:
        """Return the records of a closed buffer."""
        buffer, records = self._buffers[number], self._place.buffer_records
        count = buffer["count"] if count is None else count
        if not 0 < count <= records:
            raise RingUnclearError(f"a buffer has {count} records of {records}")
        oldest = buffer.get("first_slot", 0) % records
        first = min(count, records - oldest)
        slot = self._slot(number)
        parts = [(slot + oldest * _RECORD_BYTES, first), (slot, count - first)]
        return Held(
            number,
            (buffer["first_ordinal"], buffer["dropped"]),
            buffer["ticks"],
            buffer["sequence"],
            tuple(part for part in parts if part[1]),
            sending=number == self._sending,
        )

    def _difference(self, offered: int, dropped: int) -> int:
        """Return the number of records that are not sent, lost or in full buffers."""
        held = sum(one.count for one in self._held)
        left: int = offered - dropped - self._overwritten - self._sent - held
        return left

    def _possible_sending(self) -> list[int]:
        """Return the possible numbers of held records in the drain's buffer."""
        if self._sending is None:
            return [0]
        count = self._buffers[self._sending]["count"]
        if self._place.drain_part is not None and not self._is_part(self._sending):
            return list(range(self._place.buffer_records + 1))
        return [count, 0]

    def _is_part(self, number: int) -> bool:
        """Return whether the drain is between two steps of sending this buffer."""
        place = self._place
        return place.drain_part == place.buffers + number * place.buffer_bytes

    def _of_open_buffer(self, fill: int) -> int:
        """Add a buffer with records that is open or about to be closed; return `sending`.

        `sending` is the number of held records in the drain's buffer.
        """
        number = self._filling or 0
        buffer = self._buffers[number]
        begin = (buffer["first_ordinal"], buffer["dropped"])
        sending = self._difference(*begin)
        if sending not in self._possible_sending():
            raise RingUnclearError(f"{sending} records are in no buffer")
        is_open = self._next == begin[0]
        held = ((self._slot(number), fill),)
        self._held.append(
            Held(number, begin, buffer["ticks"], buffer["sequence"], held, open=is_open)
        )
        return sending

    def _of_no_record(self) -> int:
        """Read a ring without an open record; return `sending`."""
        left = self._difference(self._next, self._dropped)
        for (count, first), sending in product(self._possible_filling(), self._possible_sending()):
            if sending + count == left:
                self._keep_filling(count or self._just_closed(), first)
                return sending
        # Only one of two words counts these dropped records: a step is about to update the other.
        pending = {self._ring["pending_drops"], self._all_dropped - self._dropped} - {0}
        for sending, skew in product(self._possible_sending(), pending):
            if left - sending in (skew, -skew):
                return sending
        raise RingUnclearError(f"{left} records are in no buffer")

    def _possible_filling(self) -> list[tuple[int, int | None]]:
        """Return the possible numbers of closed records in the claimed buffer.

        Each has the ordinal of its first record, or None for the ordinal in the descriptor.
        """
        possible: list[tuple[int, int | None]] = [(0, None)]
        if self._filling is not None:
            buffer, records = self._buffers[self._filling], self._place.buffer_records
            count = buffer["count"]
            if 0 < count <= records:
                is_last = buffer["first_ordinal"] + count == self._next
                possible.insert(0 if is_last and self._fill is not None else 1, (count, None))
            if "lapped" in self._ring:
                possible.append((records, self._next - records))
        return possible

    def _just_closed(self) -> int:
        """Return the number of records in an open buffer whose cursor was already reset.

        A compiler may move the reset before the count. A buffer without a record looks the same,
        except that the records in its memory are older than its opening.
        """
        if self._filling is None or self._fill is None:
            return 0
        buffer, records = self._buffers[self._filling], self._place.buffer_records
        count, ticks = buffer["count"], buffer["ticks"] % _WORD
        # A close resets cursor and limit together, so room for a record means an empty buffer.
        has_room = self._ring["limit"] != self._ring["base"]
        if has_room or buffer["first_ordinal"] != self._next or not 0 < count <= records:
            return 0
        if self._place.packs:  # the memory of an empty buffer does not contain whole records
            raise RingUnclearError("a buffer was just opened, or is about to be closed")
        slot = self._slot(self._filling)
        rows = [self._record(slot + i * _RECORD_BYTES) for i in range(count)]
        # CONTINUE and END have the time of their BEGIN.
        times = [row[1] for row in rows if row is not None and row[0] >> _STRUCT_SHIFT <= _BEGIN]
        new = [(time - ticks) % _WORD < _WORD // 2 for time in times]
        if not new or (new[0] and not all(new)):
            raise RingUnclearError("a buffer is open whose records are of unknown age")
        return count if new[0] else 0

    def _keep_filling(self, count: int, first: int | None) -> None:
        """Add the records of a buffer that is about to be closed, overwritten or lapped."""
        if not count or self._filling is None:
            return
        held = self._closed(self._filling, count)
        if first is not None:
            begin = (first, held.begin[1])
            parts = ((self._slot(self._filling), count),)
            held = replace(held, begin=begin, parts=parts)
        self._held.append(held)

    def _of_lap(self) -> int:
        """Read a ring whose open buffer overwrites its own oldest records; return `sending`."""
        number, fill, ring = self._filling or 0, self._fill or 0, self._ring
        records = self._place.buffer_records
        left = self._difference(self._next, self._dropped)
        waiting = ring["settle_records"] - ring["settled_records"]
        for sending, done in product(self._possible_sending(), range(_SETTLE_LAP_RECORDS)):
            kept = waiting - done
            if kept >= 0 and left - sending == kept:
                self._keep_lap(number, kept, fill)
                return sending
        for sending in self._possible_sending():  # the lap has been counted already
            closed = left - sending - waiting
            if 0 < closed <= records and waiting >= 0 and fill in (0, closed):
                self._keep_lap(number, waiting, closed, closed=True)
                return sending
            if left - sending == records and fill == 0:
                self._keep_lap(number, 0, records, closed=True)
                return sending
        raise RingUnclearError(f"{left} records are in no buffer")

    def _keep_lap(self, number: int, kept: int, fill: int, *, closed: bool = False) -> None:
        """Add `kept` records of the previous lap and `fill` records of this one."""
        buffer, slot = self._buffers[number], self._slot(number)
        oldest = slot + (self._ring["settle_records"] - kept) * _RECORD_BYTES
        parts = tuple(part for part in ((oldest, kept), (slot, fill)) if part[1])
        if parts:
            first = self._next - (fill if closed else 0) - kept
            is_open = not closed and fill > 0
            begin = (first, buffer["dropped"])
            self._held.append(
                Held(number, begin, buffer["ticks"], buffer["sequence"], parts, open=is_open)
            )

    def _start(self, sending: int) -> tuple[Receipt, list[Held]]:
        """Return the receipt before the oldest record, and the held part of the drain's buffer."""
        settled = self._ring["settled"]
        receipt = Receipt(settled["ordinal"], settled["dropped"], self._sent)
        if self._sending is None:
            return receipt, []
        buffer = self._buffers[self._sending]
        first, dropped = buffer["first_ordinal"], buffer["dropped"]
        if not sending:  # the drain is about to release it
            return Receipt(first + buffer["count"], dropped, self._sent), []
        held = self._closed(self._sending, sending)
        if self._is_part(self._sending):
            held = replace(held, parts=((self._place.part_records, sending),))
        elif self._place.drain_part is not None:  # the descriptor may be only partly updated
            first = max(first, receipt.ordinal)
            held = replace(held, begin=(first, dropped))
        begin = Receipt(first, dropped, self._sent)
        return (receipt if receipt.leads_to(begin) else begin), [held]

    def _check(self, start: Receipt, held: Iterable[Held], end: Receipt) -> None:
        """Check that the receipts are consistent."""
        before = start
        for one in held:
            begin = Receipt(*one.begin, before.sent)
            if not before.leads_to(begin):
                raise RingUnclearError("the buffers contradict each other")
            before = Receipt(begin.ordinal + one.count, begin.dropped, begin.sent + one.count)
        if not before.leads_to(end) or not end.is_possible:
            raise RingUnclearError("the counters contradict the buffers")

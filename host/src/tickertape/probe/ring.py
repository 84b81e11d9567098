"""Drain one ring in the memory of a running target: read full buffers and release them.

firmware/core/ring.h describes the states of a buffer. With the policies DROP and UNTIL_FULL only
the drain changes a FULL buffer, and the probe acts as the drain. So the probe needs no
compare-and-swap: a buffer stays FULL until the probe stores FREE in its tag
(firmware/core/model/ring.pml).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tickertape.decode.bodies import Receipt
from tickertape.errors import LinkError
from tickertape.formats.image.recover import buffer_header
from tickertape.formats.image.ring import State
from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    CLASS_COUNTERS,
    CLASS_SHIFT,
    RECORD_BYTES,
    STATUS,
    Policy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.link.target_memory import Memory
    from tickertape.symbols.variables import Type

_STATUS: Final = Layout(STATUS)
_CLASS_COUNTERS: Final = Layout(CLASS_COUNTERS)
_POLICIES: Final = (Policy.DROP, Policy.UNTIL_FULL)
_STATES: Final = 4
_WORD: Final = 1 << 32
_WORD_BYTES: Final = 4
_COUNTER_BYTES: Final = 8


class ResetNoticedError(Exception):
    """The target was reset since the previous read, or its recorder is not initialised."""


class UnreachableError(Exception):
    """Memory cannot be read at present: the target sleeps, or is gone."""


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a ring.

    Attributes:
        stream: stream number of the ring.
        cpu: CPU number of the ring.
        address: address of its `tt_ring_t`.
        records: address of its records.
        buffer_records: number of records in a buffer.
    """

    stream: int
    cpu: int
    address: int
    records: int
    buffer_records: int


class ProbedRing:
    """A ring that the target has lent to the probe. Every call may raise UnreachableError.

    Attributes:
        place: location of the ring.
        ticks: opening time of the buffer taken last, in ticks; 0 before the first.
    """

    def __init__(self, memory: Memory, place: Place, kind: Type) -> None:
        """Read the receipt of the ring; the probe sends the records after it.

        Raises:
            ResetNoticedError: the recorder is not initialised.
            LinkError: the counters of the ring contradict each other.
        """
        self.place = place
        self._memory = memory
        self._kind = kind
        self._sequence = 0
        self.ticks = 0
        self._open: int | None = None
        self._settled = Receipt(0, 0, 0)
        values = self._read()
        if values["records"] != place.records:
            raise ResetNoticedError
        self._settled = _receipt(values)
        self._released = values["released"]
        self._sent_by_class: list[int] = list(values["sent_by_class"])
        if self._settled.ordinal > values["next_ordinal"]:
            raise LinkError(
                f"the counters of stream {place.stream}, CPU {place.cpu} contradict each other: "
                "the target was reset while the probe released a buffer",
                "reset the target again",
            )

    def first_status(self) -> bytes:
        """Return the body of a STATUS with the receipt read at the beginning."""
        return self._status(self._read(), self._settled, 0, final=False)

    def take(self) -> Iterator[bytes]:
        """Take and release the full buffers, oldest first; yield each as the body of a BUFFER.

        Buffers become full in the order of their opening. So the second read of the ring contains
        every buffer older than those full at the first read, and their complete descriptors.

        Raises:
            ResetNoticedError: the target was reset.
            LinkError: the policy is not one of DROP and UNTIL_FULL.
        """
        before = {buffer["tag"] for _, buffer in _full(self._checked())}
        if not before:
            return
        values = self._checked()
        for number, buffer in sorted(_full(values), key=lambda one: self._age(one[1]["tag"])):
            if buffer["tag"] not in before:
                return
            yield self._taken(number, buffer)

    def final_status(self, ticks: int, *, stopped: bool) -> bytes | None:
        """Return the body of the final STATUS if the ring is empty and unchanged; else None.

        Args:
            ticks: time of the newest buffer of all rings; a STATUS with less would mean a reset.
            stopped: the stream was stopped at a time before this call.
        """
        if not stopped:
            return None
        values = self._read()
        at_rest = (
            not values.get("deciding", 0)
            and values["opened"] == values["released"]
            and all(buffer["tag"] % _STATES == State.FREE for buffer in values["buffers"])
        )
        if not at_rest or self._read() != values:
            return None
        pending = values["pending_drops"]
        end = Receipt(values["next_ordinal"] + pending, values["dropped"] + pending, 0)
        return self._status(values, end, ticks, final=True)

    def ask_to_close(self) -> None:
        """Request that the target closes a buffer that was open at the previous call, too."""
        values = self._read()
        numbers = [
            buffer["tag"]
            for buffer in values["buffers"]
            if buffer["tag"] % _STATES == State.FILLING
        ]
        found = numbers[0] if numbers else None
        if found is not None and found == self._open:
            self._write("wants_flush", 1)
        self._open = found

    def _age(self, tag: int) -> int:
        """Return the sequence number of a buffer's opening, so that older buffers sort first."""
        return ((tag // _STATES) - self._sequence + _WORD // 8) % (_WORD // _STATES)

    def _checked(self) -> dict[str, Any]:
        """Read the ring; raise on a reset, and on a policy that the probe cannot drain."""
        values = self._read()
        ahead = (values["next_sequence"] - self._sequence) % _WORD
        if (
            values["records"] != self.place.records
            or _receipt(values) != self._settled
            or ahead >= _WORD // 2
        ):
            raise ResetNoticedError
        self._sequence = values["next_sequence"]
        if values["policy"] not in _POLICIES and self._sequence:
            raise LinkError(
                f"stream {self.place.stream} has the policy {Policy(values['policy']).name}: "
                "the target may write over a buffer while the probe reads it",
                "set DROP or UNTIL_FULL (tt_set_policy()), or capture by a link",
            )
        return values

    def _taken(self, number: int, buffer: Mapping[str, Any]) -> bytes:
        """Read one full buffer and release it; return the body of its BUFFER frame."""
        count = buffer["count"]
        first, dropped = buffer["first_ordinal"], buffer["dropped"]
        before = Receipt(first, dropped, self._settled.sent)
        if not self._settled.leads_to(before) or not 0 < count <= self.place.buffer_records:
            raise ResetNoticedError
        slot = self.place.records + number * self.place.buffer_records * RECORD_BYTES
        records = self._bytes(slot, count * RECORD_BYTES)
        # The first word of a record is its header, which contains the class.
        for begin in range(0, len(records), RECORD_BYTES):
            header = int.from_bytes(records[begin : begin + _WORD_BYTES], "little")
            kind = (header >> CLASS_SHIFT) % len(self._sent_by_class)
            self._sent_by_class[kind] = (self._sent_by_class[kind] + 1) % _WORD
        self._release(number, Receipt(first + count, dropped, before.sent + count))
        self.ticks = buffer["ticks"]
        head = buffer_header(before, buffer["ticks"], buffer["sequence"], count, number)
        return head + records

    def _release(self, number: int, settled: Receipt) -> None:
        """Release a buffer with the same stores as tt_ring_release(), in the same order."""
        offset, kind = self._member("settled")
        words = {"ordinal": settled.ordinal, "dropped": settled.dropped, "sent": settled.sent}
        data = bytearray(kind.size_bytes)
        for name, (begin, _) in (kind.members or {}).items():
            data[begin : begin + _COUNTER_BYTES] = words[name].to_bytes(_COUNTER_BYTES, "little")
        self._memory.write(self.place.address + offset, bytes(data))
        self._settled = settled
        offset, _ = self._member("sent_by_class")
        counts = b"".join(each.to_bytes(_WORD_BYTES, "little") for each in self._sent_by_class)
        self._memory.write(self.place.address + offset, counts)
        offset, buffers = self._member("buffers")
        if buffers.element is None or buffers.element.members is None:
            raise ResetNoticedError
        tag = offset + number * buffers.element.size_bytes + buffers.element.members["tag"][0]
        self._memory.write(self.place.address + tag, bytes(_WORD_BYTES))
        self._released = (self._released + 1) % _WORD
        self._write("released", self._released)

    def _status(self, values: Mapping[str, Any], end: Receipt, ticks: int, *, final: bool) -> bytes:
        """Return the body of a STATUS with the counters at `end`; no record before it waits."""
        sent = self._settled.sent
        head = _STATUS.build(
            {
                "settled_ordinal": end.ordinal,
                "settled_dropped": end.dropped,
                "settled_sent": sent,
                "offered": end.ordinal,
                "dropped": end.dropped,
                "overwritten": end.ordinal - end.dropped - sent,
                "ticks": ticks,
                "policy": values["policy"] % 256,
                "running": not final,
                "class_count": len(self._sent_by_class) if final else 0,
                "final": final,
                "high_water_buffers": values["high_water_buffers"],
            }
        )
        if not final:
            return head
        classes = zip(
            values["dropped_by_class"],
            values["overwritten_by_class"],
            self._sent_by_class,
            strict=True,
        )
        return head + b"".join(
            _CLASS_COUNTERS.build({"dropped": dropped, "overwritten": given_up, "sent": sent})
            for dropped, given_up, sent in classes
        )

    def _member(self, name: str) -> tuple[int, Type]:
        members = self._kind.members
        if members is None:
            raise ResetNoticedError
        return members[name]

    def _write(self, name: str, value: int) -> None:
        """Store a member of the ring in one access."""
        offset, kind = self._member(name)
        self._memory.write(self.place.address + offset, value.to_bytes(kind.size_bytes, "little"))

    def _read(self) -> dict[str, Any]:
        values: Any = self._kind.values(self._bytes(self.place.address, self._kind.size_bytes))
        return dict(values)

    def _bytes(self, address: int, count: int) -> bytes:
        data = self._memory.read(address, count)
        if len(data) < count:
            raise UnreachableError
        return data


def _full(values: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return number and descriptor of the full buffers."""
    return [
        (number, buffer)
        for number, buffer in enumerate(values["buffers"])
        if buffer["tag"] % _STATES == State.FULL
    ]


def _receipt(values: Mapping[str, Any]) -> Receipt:
    settled = values["settled"]
    return Receipt(settled["ordinal"], settled["dropped"], settled["sent"])

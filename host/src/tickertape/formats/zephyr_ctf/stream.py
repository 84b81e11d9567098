"""Reads the events of a CTF stream of Zephyr: packets, circular RAM, damage, times.

    for item in EventStream(metadata, data).items(): ...    # Event, or Loss

A stream without packets is one row of events. In a stream with packets, each packet states its
size, and may name its CPU and the events that Zephyr discarded so far; packets of several CPUs lie
in one file in any order. A dump of circular RAM has packets of one size in the order of their
slots, with sequence numbers.

At an event that the metadata does not describe, or whose time is impossible, bytes are missing or
wrong: the reader searches for the next row of events and reports a loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator

    from tickertape.formats.zephyr_ctf.tsdl import EventClass, Layout, Metadata

Value = int | bytes

MAGIC: Final = 0xC1FC1FC1
_MAGIC_BYTES: Final = {"<": MAGIC.to_bytes(4, "little"), ">": MAGIC.to_bytes(4, "big")}
_BYTE_BITS: Final = 8
_ZEROS_AT_ONCE: Final = 1 << 16
_ROW: Final = 8
_SECOND: Final = 1_000_000_000
_LONGEST_PAUSE_S: Final = 3600
_LONGEST_STEP_NS: Final = 2_000_000_000
_WIDE: Final = 64


class Event(NamedTuple):
    """An event of a stream.

    Attributes:
        what: its type.
        values: values of the header, its context and the fields, in this order.
        raw: bytes of the fields.
        time: full time in ticks.
        cpu: CPU that the packet names; None without packets.
        offset: offset of its begin in the file.
    """

    what: EventClass
    values: tuple[Value, ...]
    raw: bytes
    time: int
    cpu: int | None
    offset: int


@dataclass(frozen=True, slots=True)
class Loss:
    """Events are missing before the next one of a CPU.

    Attributes:
        cpu: the CPU; None for all.
        why: `discarded` events, `skipped` bytes, or `overwritten` packets.
        count: number of discarded events, skipped bytes or overwritten packets.
        offset: offset in the file.
        unknown_id: number of the unknown event; None for another reason.
    """

    cpu: int | None
    why: str
    count: int
    offset: int
    unknown_id: int | None = None


class Clock:
    """Extends the time stamps of one CPU to full times.

    A 32-bit stamp wraps. A 64-bit stamp that is computed from a 32-bit cycle counter falls back to
    nearly 0 when the counter wraps; the time continues from the last stamp then.

    Attributes:
        falls: number of times that a 64-bit stamp fell back.
    """

    def __init__(self, bits: int) -> None:
        """Start without a time."""
        self.falls = 0
        self._bits = bits
        self._last: int | None = None
        self._raw = 0
        self._base = 0

    def time(self, stamp: int) -> int:
        """Extend a time stamp; a smaller step back stays one."""
        last = self._last
        if last is None:
            now = stamp
        elif self._bits == _WIDE:
            if stamp < self._raw // 2 and self._raw - stamp > _SECOND:
                self._base += self._raw
                self.falls += 1
            now = self._base + stamp
        else:
            period = 1 << self._bits
            step = (stamp - last) % period
            now = max(last + (step if step < period // 2 else step - period), 0)
        self._last, self._raw = now, stamp
        return now

    def is_plausible(self, stamp: int) -> bool:
        """Return whether a 64-bit time stamp follows the previous one within an hour, or wraps."""
        if self._bits != _WIDE or self._last is None:
            return True
        return abs(stamp - self._raw) < _LONGEST_PAUSE_S * _SECOND or stamp < self._raw


class EventStream:
    """Events of a stream in the order of the file, or of the sequence numbers of its packets.

    Attributes:
        clocks: clock of each CPU.
        cut_bytes: size of a truncated event at the end.
        zero_bytes: size of the unused memory at the end, which is zeros.
        read_bytes: bytes read so far.
    """

    def __init__(self, facts: Metadata, data: mmap.mmap | bytes) -> None:
        """Store the whole stream."""
        self._facts = facts
        self._data = data
        header = facts.header
        self._unpack, self._size = header.form.unpack_from, header.size
        self._at_id = header.names.index("id")
        self._at_time = header.names.index("timestamp") if facts.time_bits else None
        self._order = header.form.format[0]
        self.clocks: dict[int | None, Clock] = {}
        self.cut_bytes = self.zero_bytes = self.read_bytes = 0

    def items(self) -> Iterator[Event | Loss]:
        """Yield events and losses."""
        layout = self._facts.packet
        if layout is None:
            zeros_from = _end_of_content(self._data)
            yield from self._row(0, len(self._data), None, zeros_from=zeros_from)
        else:
            yield from self._packets(layout)

    def _row(
        self, begin: int, end: int, cpu: int | None, *, zeros_from: int
    ) -> Iterator[Event | Loss]:
        """Yield the events between two offsets."""
        data, events, size, unpack = self._data, self._facts.events, self._size, self._unpack
        at_id, at_time = self._at_id, self._at_time
        clock = self.clocks.setdefault(cpu, Clock(self._facts.time_bits))
        at, held = begin, None
        while at + size <= end:
            head = unpack(data, at)
            what = events.get(head[at_id])
            if what is None and at >= zeros_from:
                break
            is_jump = at_time is not None and not clock.is_plausible(head[at_time])
            if what is None or (is_jump and not self._is_row(at, end)):
                # Bytes that are missing in the last event make it reach into the next ones.
                first = at + 1 if held is None else held.offset + 1
                after = self._search(first, end)
                if held is not None and after >= at:
                    yield held
                held = None
                yield Loss(cpu, "skipped", after - at, at, head[at_id] if what is None else None)
                at = after
                continue
            stop = at + size + what.fields.form.size
            if stop > end:
                break
            if held is not None:
                yield held
            now = 0 if at_time is None else clock.time(head[at_time])
            values = head + what.fields.form.unpack_from(data, at + size)
            held = Event(what, values, data[at + size : stop], now, cpu, at)
            at = stop
        if held is not None:
            yield held
        if at < zeros_from or at == end:
            self.cut_bytes += end - at
        else:
            self.zero_bytes += end - at
        self.read_bytes = end

    def _search(self, begin: int, end: int) -> int:
        """Return the offset of the next row of events, else the end."""
        for at in range(begin, end):
            if self._is_row(at, end):
                return at
        return end

    def _is_row(self, at: int, end: int) -> bool:
        """Return whether events follow each other from an offset on, in order of their times."""
        data, events, last = self._data, self._facts.events, None
        for found in range(_ROW):
            if at == end:
                return found > 1
            if at + self._size > end:
                return False
            head = self._unpack(data, at)
            what = events.get(head[self._at_id])
            if what is None:
                return False
            if self._at_time is not None:
                now = head[self._at_time]
                step = 0 if last is None else (now - last) % (1 << self._facts.time_bits)
                if step > _LONGEST_STEP_NS:
                    return False
                last = now
            at += self._size + what.fields.form.size
        return True

    def _packets(self, layout: Layout) -> Iterator[Event | Loss]:
        """Yield the events of all packets; a dump of circular RAM in order of its numbers."""
        found: list[_Packet] = []
        skipped: list[Loss] = []
        for item in self._packet_heads(layout):
            if isinstance(item, Loss):
                skipped.append(item)
            else:
                found.append(item)
        used = [one for one in found if one.content > layout.size]
        before = 0
        for number, one in sorted((one.number, one) for one in used if one.number is not None):
            if number - before > 1:
                yield Loss(None, "overwritten", number - before - 1, one.begin)
            before = number
            yield from self._row(one.first, one.begin + one.content, None, zeros_from=one.end)
        discarded: dict[int | None, int] = {}
        losses = iter([*skipped, None])
        loss = next(losses)
        for one in found:
            if one.number is not None:
                continue
            while loss is not None and loss.offset < one.begin:
                yield loss
                loss = next(losses)
            lost = one.discarded - discarded.get(one.cpu, 0)
            discarded[one.cpu] = one.discarded
            if lost > 0:
                yield Loss(one.cpu, "discarded", lost, one.begin)
            yield from self._row(one.first, one.begin + one.content, one.cpu, zeros_from=one.end)
        while loss is not None:
            yield loss
            loss = next(losses)
        self.read_bytes = len(self._data)

    def _packet_heads(self, layout: Layout) -> Iterator[_Packet | Loss]:
        """Yield the packets in the order of the file, and the bytes between them."""
        data, at = self._data, 0
        magic = _MAGIC_BYTES[self._order]
        while at < len(data):
            packet = self._packet_at(layout, at)
            if packet is not None:
                yield packet
                at = packet.end
                continue
            after = data.find(magic, at + 1)
            while after >= 0 and self._packet_at(layout, after) is None:
                after = data.find(magic, after + 1)
            if after < 0:
                if any(data[at:]):
                    self.cut_bytes += len(data) - at
                else:
                    self.zero_bytes += len(data) - at
                return
            yield Loss(None, "skipped", after - at, at)
            at = after

    def _packet_at(self, layout: Layout, at: int) -> _Packet | None:
        data = self._data
        if at + layout.size > len(data) or data[at : at + 4] != _MAGIC_BYTES[self._order]:
            return None
        values = dict(zip(layout.names, layout.form.unpack_from(data, at), strict=True))
        content, whole = values["content_size"], values["packet_size"]
        if content % _BYTE_BITS or whole % _BYTE_BITS or not content <= whole:
            return None
        content, whole = content // _BYTE_BITS, whole // _BYTE_BITS
        if content < layout.size:
            return None
        end = min(at + whole, len(data))
        return _Packet(
            at,
            at + layout.size,
            min(content, end - at),
            end,
            values.get("cpu_id"),
            values.get("events_discarded", 0),
            values.get("packet_seq_num"),
        )


class _Packet(NamedTuple):
    """A packet: offsets of its begin, its first event and its end; size of its content."""

    begin: int
    first: int
    content: int
    end: int
    cpu: int | None
    discarded: int
    number: int | None


def _end_of_content(data: mmap.mmap | bytes) -> int:
    """Return the offset after the last byte that is not zero."""
    end = len(data)
    while end:
        begin = max(end - _ZEROS_AT_ONCE, 0)
        content = len(data[begin:end].rstrip(b"\0"))
        if content:
            return begin + content
        end = begin
    return 0

"""Decode the packets of ITM and DWT, the trace unit of a Cortex-M, from SWO bytes.

    decoder = ItmDecoder()
    decoder.receive(data)
    for packet in decoder.packets(): ...

Source: Armv7-M Architecture Reference Manual (DDI 0403E), appendix D4, "Debug ITM and DWT Packet
Protocol". The bytes are those of an SWO pin; `decode/tpiu.py` removes TPIU framing.

No I/O. The input is not trusted: a packet has at most seven bytes, so the decoder holds no more.
It skips invalid bytes up to the next synchronization packet, and counts them.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Relation(IntEnum):
    """Relation of a local time stamp to the packets before it (TC)."""

    EXACT = 0
    """The packets were generated at the time of the time stamp."""
    LATE_STAMP = 1
    """The time stamp was delayed: its time is later than that of the packets."""
    LATE_PACKET = 2
    """The packet was delayed: its event is earlier than the time stamp."""
    LATE_BOTH = 3
    """Both were delayed."""


class Step(IntEnum):
    """Action of an exception (FN)."""

    ENTERED = 1
    EXITED = 2
    RETURNED = 3
    """The processor has returned to the exception; number 0: to a thread."""


@dataclass(frozen=True, slots=True)
class Sync:
    """Synchronization packet: at least 47 zero bits and a one."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """An unknown number of packets was lost before this one."""


@dataclass(frozen=True, slots=True)
class LocalTimestamp:
    """Time of the packets since the previous local time stamp.

    Attributes:
        ticks: ticks of the time stamp clock since the previous local time stamp.
        relation: precision of the time.
    """

    ticks: int
    relation: Relation


@dataclass(frozen=True, slots=True)
class GlobalTimestamp:
    """Bits of the global time stamp.

    Attributes:
        value: the bits, at their positions in the time stamp.
        first_bit: 0 for the low part (26 bits at most), 26 for the high part.
        bits: number of bits in the packet; the other bits are unchanged.
        clock_changed: the clock ratio has changed (ClkCh).
        wrapped: the high part has changed and follows (Wrap).
    """

    value: int
    first_bit: int
    bits: int
    clock_changed: bool = False
    wrapped: bool = False


@dataclass(frozen=True, slots=True)
class Extension:
    """Page of the stimulus ports in later packets (`is_hardware` False), or reserved (True)."""

    value: int
    is_hardware: bool


@dataclass(frozen=True, slots=True)
class Instrumentation:
    """A software write to a stimulus port.

    Attributes:
        port: port number in the page set last, 0 ... 31.
        value: the value written.
        size: size of the value in bytes: 1, 2 or 4.
    """

    port: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class EventCounters:
    """Profiling counters that have wrapped: bits 0 CPI, 1 Exc, 2 Sleep, 3 LSU, 4 Fold, 5 Cyc."""

    bits: int


@dataclass(frozen=True, slots=True)
class ExceptionTrace:
    """Entry to an exception, exit from it or return to it."""

    number: int
    step: Step


@dataclass(frozen=True, slots=True)
class PcSample:
    """Sample of the program counter; None while the processor sleeps."""

    pc: int | None


class DataPart(IntEnum):
    """Part of an access in a data trace packet."""

    PC = 0
    """Address of the instruction."""
    ADDRESS = 1
    """Low half of the address accessed."""
    READ = 2
    """The value read."""
    WRITE = 3
    """The value written."""


@dataclass(frozen=True, slots=True)
class DataTrace:
    """An access that a comparator watches.

    Attributes:
        comparator: comparator number, 0 ... 3.
        part: part of the access in this packet.
        value: content of the part.
        size: size of `value` in bytes.
    """

    comparator: int
    part: DataPart
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class OtherHardware:
    """A packet of the DWT that the architecture does not describe."""

    discriminator: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Bytes that are not packets: an unknown number of packets was lost. `AlignedItm` yields it.

    Attributes:
        count: number of bytes.
    """

    count: int


Packet: TypeAlias = (
    Sync
    | Skipped
    | Overflow
    | LocalTimestamp
    | GlobalTimestamp
    | Extension
    | Instrumentation
    | EventCounters
    | ExceptionTrace
    | PcSample
    | DataTrace
    | OtherHardware
)

_MORE: Final = 0x80
_SEVEN: Final = 0x7F
_SYNC_ZEROS: Final = 5  # zero bytes; then a byte 0x80 has seven more zero bits and the one
_OVERFLOW: Final = 0x70
_GTS1, _GTS2 = 0x94, 0xB4
_GTS_SPLIT: Final = 26
_GTS1_BYTES: Final = 4
_GTS2_SIZES: Final = frozenset({4, 6})  # for time stamps of 48 and of 64 bits
_LOCAL_BYTES: Final = 4
_SIZES: Final = {1: 1, 2: 2, 3: 4}
_EXCEPTION, _PC = 1, 2
_DATA_PC_ADDRESS, _DATA_VALUE = 1, 2
_MOST_BYTES: Final = 7


# Groups of _WHOLE: a packet of a source, a local time stamp; any other byte is in no group.
_SOURCE, _STAMP = 1, 2
LOCAL_TIMESTAMP: Final = (
    rb"(?:[\xc0\xd0\xe0\xf0][\x80-\xff]{0,3}[\x00-\x7f]|[\x10\x20\x30\x40\x50\x60])"
)
"""Pattern of a complete local time stamp."""


def packets_of(heads: Iterable[int]) -> bytes:
    """Return the pattern of a complete source packet that begins with one of `heads`."""
    known = set(heads)
    by_size = {
        size: b"".join(re.escape(bytes([head])) for head in sorted(known) if head & 3 == bits)
        for bits, size in _SIZES.items()
    }
    bodies = [rb"[%b].{%d}" % (found, size) for size, found in by_size.items() if found]
    return rb"(?:%b)" % b"|".join(bodies)


_SOURCES: Final = frozenset(head for head in range(256) if head & 3)
_DATA_HEADS: Final = frozenset(
    head
    for head in _SOURCES
    if head & 4
    and (
        head >> 6 == _DATA_VALUE or (head >> 6 == _DATA_PC_ADDRESS and head & 0x0B in {0x03, 0x0A})
    )
)
STIMULUS_HEADS: Final = frozenset(head for head in _SOURCES if not head & 4)
"""First bytes of packets of the stimulus ports."""

KNOWN_HARDWARE: Final = rb"(?:%b|\x0e.[%b])" % (
    packets_of(_DATA_HEADS | {0x05, 0x15, 0x17}),
    b"".join(re.escape(bytes([byte])) for byte in range(256) if byte >> 4 & 3),
)
"""Pattern of a complete DWT packet that the architecture describes."""

_WHOLE: Final = re.compile(rb"(%b)|(%b)|." % (packets_of(_SOURCES), LOCAL_TIMESTAMP), re.DOTALL)


class ItmDecoder:
    """Decodes bytes to packets; input may be cut at any byte.

    Attributes:
        skipped: number of bytes that are not a packet, by reason.
    """

    def __init__(self, *, synchronized: bool = True) -> None:
        """Start decoding.

        Args:
            synchronized: True if the first byte begins a packet. Else the decoder skips all bytes
                up to the first synchronization packet.
        """
        self.skipped: Counter[str] = Counter()
        self._packets: deque[Packet] = deque()
        self._held = bytearray()
        self._zeros = 0
        self._is_synchronized = synchronized
        self._why = "before the first synchronization"

    @property
    def held_bytes(self) -> int:
        """Number of bytes of an incomplete packet; at most seven."""
        return len(self._held)

    @property
    def is_synchronized(self) -> bool:
        """Whether packet boundaries are known; else the decoder waits for synchronization."""
        return self._is_synchronized

    @property
    def is_between_packets(self) -> bool:
        """Whether the next byte begins a packet."""
        return self._is_synchronized and not self._held and not self._zeros

    def receive(self, data: bytes) -> None:
        """Decode the next bytes."""
        place = 0
        while place < len(data):
            if self.is_between_packets:
                place = self._whole_packets(data, place)
            if place < len(data):
                self._receive_byte(data[place])
                place += 1

    def _whole_packets(self, data: bytes, place: int) -> int:
        """Decode consecutive complete packets of common kinds; return the offset after them."""
        add = self._packets.append
        for found in _WHOLE.finditer(data, place):
            kind = found.lastindex
            if kind == _SOURCE:
                head = data[place]
                value = int.from_bytes(data[place + 1 : found.end()], "little")
                size, which = _SIZES[head & 3], head >> 3
                if head & 4:
                    add(_hardware(which, value, size))
                else:
                    add(Instrumentation(which, value, size))
            elif kind == _STAMP:
                add(local_timestamp(found.group()))
            else:
                break
            place = found.end()
        return place

    def _receive_byte(self, byte: int) -> None:
        if not self._is_synchronized or (self._zeros and not self._held):
            self._look_for_sync(byte)
        elif not self._held and byte == 0:
            self._zeros = 1
        else:
            self._take(byte)

    def packets(self) -> Iterator[Packet]:
        """Yield the complete packets, each once."""
        while self._packets:
            yield self._packets.popleft()

    def finish(self) -> None:
        """End the input: the bytes of an incomplete packet count as skipped."""
        rest = len(self._held) + self._zeros
        if rest:
            self.skipped["cut at the end" if self._is_synchronized else self._why] += rest
        self._held.clear()
        self._zeros = 0

    def _look_for_sync(self, byte: int) -> None:
        """Count zero bytes up to the byte that ends a synchronization packet."""
        if byte == 0:
            self._zeros += 1
        elif byte == _MORE and self._zeros >= _SYNC_ZEROS:
            extra = 0 if self._is_synchronized else self._zeros - _SYNC_ZEROS
            if extra:
                self.skipped[self._why] += extra
            self._zeros, self._is_synchronized = 0, True
            self._packets.append(Sync())
        else:
            zeros, self._zeros = self._zeros, 0
            self._lose(zeros + 1, "zeros without synchronization")

    def _lose(self, count: int, why: str) -> None:
        if self._is_synchronized:
            self._is_synchronized, self._why = False, why
        self.skipped[self._why] += count

    def _take(self, byte: int) -> None:
        self._held.append(byte)
        head = self._held[0]
        if head & 3:
            if len(self._held) == 1 + _SIZES[head & 3]:
                self._source_packet(head, int.from_bytes(self._held[1:], "little"))
        elif not (byte & _MORE and len(self._held) < _MOST_BYTES):
            self._protocol_packet(head, bytes(self._held[1:]))

    def _done(self, packet: Packet | None) -> None:
        """Add the packet of the held bytes; None for a packet that the architecture reserves."""
        count = len(self._held)
        self._held.clear()
        if packet is None:
            self._lose(count, "reserved packets")
        else:
            self._packets.append(packet)

    def _protocol_packet(self, head: int, payload: bytes) -> None:
        """Decode a packet of the ITM itself: overflow, time stamps, extensions."""
        if payload and payload[-1] & _MORE:
            self._done(None)  # longer than any packet
        elif head == _OVERFLOW:
            self._done(Overflow())
        elif head & 0x0F == 0:
            self._done(_local(head, payload))
        elif head in {_GTS1, _GTS2}:
            self._done(_global(head, payload))
        elif head & 0x08:
            self._done(_extension(head, payload))
        else:
            self._done(None)

    def _source_packet(self, head: int, value: int) -> None:
        """Decode a packet of a stimulus port or of the DWT."""
        size, which = _SIZES[head & 3], head >> 3
        if not head & 4:
            self._done(Instrumentation(which, value, size))
        else:
            self._done(_hardware(which, value, size))


def _groups(payload: bytes) -> int:
    """Return the number made of groups of seven bits, the lowest first."""
    return sum((byte & _SEVEN) << 7 * place for place, byte in enumerate(payload))


@lru_cache(1 << 12)
def local_timestamp(packet: bytes) -> LocalTimestamp:
    """Decode a complete local time stamp.

    Raises:
        ValueError: `packet` is not a local time stamp.
    """
    found = _local(packet[0], packet[1:])
    if found is None:
        raise ValueError(f"{packet.hex()} is not a local time stamp")
    return found


def _local(head: int, payload: bytes) -> LocalTimestamp | None:
    if not head & _MORE:
        return LocalTimestamp(head >> 4, Relation.EXACT)
    if not head & 0x40 or len(payload) > _LOCAL_BYTES:
        return None
    return LocalTimestamp(_groups(payload), Relation(head >> 4 & 3))


def _global(head: int, payload: bytes) -> Packet | None:
    bits = 7 * len(payload)
    if head == _GTS2:
        if len(payload) not in _GTS2_SIZES:
            return None
        return GlobalTimestamp(_groups(payload) << _GTS_SPLIT, _GTS_SPLIT, bits)
    if len(payload) > _GTS1_BYTES:
        return None
    is_whole = len(payload) == _GTS1_BYTES
    flags = payload[-1] if is_whole else 0
    value = _groups(payload) & ((1 << _GTS_SPLIT) - 1)
    return GlobalTimestamp(value, 0, min(bits, _GTS_SPLIT), bool(flags & 0x20), bool(flags & 0x40))


def _extension(head: int, payload: bytes) -> Packet:
    return Extension(head >> 4 & 7 | _groups(payload) << 3, bool(head & 4))


def _hardware(which: int, value: int, size: int) -> Packet:
    kind, comparator, is_odd = which >> 3, which >> 1 & 3, which & 1
    found: Packet = OtherHardware(which, value, size)
    if (which, size) == (0, 1):
        found = EventCounters(value & 0x3F)
    elif (which, size) == (_EXCEPTION, 2) and value >> 12 & 3:
        found = ExceptionTrace(value & 0x1FF, Step(value >> 12 & 3))
    elif which == _PC and size in {1, 4}:
        found = PcSample(value if size > 1 else None)
    elif (kind, is_odd, size) == (_DATA_PC_ADDRESS, 0, 4):
        found = DataTrace(comparator, DataPart.PC, value, size)
    elif (kind, is_odd, size) == (_DATA_PC_ADDRESS, 1, 2):
        found = DataTrace(comparator, DataPart.ADDRESS, value, size)
    elif kind == _DATA_VALUE:
        part = DataPart.WRITE if is_odd else DataPart.READ
        found = DataTrace(comparator, part, value, size)
    return found

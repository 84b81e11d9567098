"""Reads the packets in which the two tracers of the S.Ha.R.K. kernel send their records.

    reader = PacketReader("original")
    records = reader.take(datagram)
    reader.report

A packet of the first tracer is a count (u16) and this number of records. A packet of FTrace has a
header of 24 bytes ("TRACER-V1.0" with a terminating zero, number of the packet from 1, records,
bytes; u32 each, little-endian) and records of 16 bytes. A reader accepts packets of one tracer, the
tracer of the first packet.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

import numpy as np
from construct import Bytes, Int32ul, Struct

from tickertape.formats.shark.layout import LAYOUTS
from tickertape.protocol.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

FTRACE_MAGIC: Final = b"TRACER"
FTRACE_HEADER: Final = Layout(
    Struct("magic" / Bytes(12), "number" / Int32ul, "records" / Int32ul, "bytes" / Int32ul)
)
FTRACE_RECORD_BYTES: Final = 16
FTRACE_PORT: Final = 20000
"""UDP port to which FTrace sends."""

MOST_PACKET_BYTES: Final = 1500
"""Most bytes of records in a packet of the first tracer."""

_BACK: Final = 1 << 31
_NEAR: Final = 1024  # a number further back means that the sender restarted


class Oddity(Enum):
    """Anomaly of packets; the value is printed after a count."""

    FOREIGN = "pieces are not packets of this tracer; left out"
    HALF = "packets end before their last record; the whole records are read"
    SURPLUS = "packets are longer than their count; the surplus is left out"
    MISSING = "packets are missing"
    DOUBLED = "packets came twice; the second one is left out"
    LATE = "packets came late; their records are in order of arrival"
    RESTART = "packets begin a new trace"
    BACK = "packets begin before the one in front of them ended; is their order right?"


@dataclass(slots=True)
class PacketReport:
    """Counts and anomalies of the packets read.

    Attributes:
        tracer: "shark" or "ftrace"; None before the first packet.
        packets: number of packets read, truncated ones included.
        records: number of records in these packets.
        bytes: number of bytes of all input, packets or not.
        counts: number of occurrences of each anomaly.
        first: byte offset of the first packet with each anomaly.
        left_out: number of bytes that are in no record.
    """

    tracer: str | None = None
    packets: int = 0
    records: int = 0
    bytes: int = 0
    left_out: int = 0
    counts: dict[Oddity, int] = field(default_factory=dict)
    first: dict[Oddity, int] = field(default_factory=dict)

    def note(self, oddity: Oddity, offset: int, number: int = 1) -> None:
        """Add `number` occurrences of an anomaly in the packet at `offset`."""
        self.counts[oddity] = self.counts.get(oddity, 0) + number
        self.first.setdefault(oddity, offset)

    def remarks(self) -> Iterator[str]:
        """Yield one line per anomaly, with count and offset of the first."""
        for oddity, number in self.counts.items():
            if number:
                yield f"{number} {oddity.value} (first at byte {self.first[oddity]})"
        if self.left_out:
            yield f"{self.left_out} bytes are in no record; left out"


class PacketReader:
    """Extracts the records from packets of arbitrary contents; does no I/O."""

    def __init__(self, layout: str = "original") -> None:
        """Create a reader.

        Args:
            layout: layout of the first tracer's records, one of `LAYOUTS`; the count has the same
                byte order.
        """
        self._dtype = LAYOUTS[layout]
        self._order = ">" if self._dtype["time"] == np.dtype(">u4") else "<"
        self._numbers = _Numbers()
        self._last_us: int | None = None
        self.report = PacketReport()

    def take(self, packet: bytes) -> bytes:
        """Return the whole records of a packet; count its anomalies."""
        report = self.report
        offset = report.bytes
        report.bytes += len(packet)
        tracer = "ftrace" if packet.startswith(FTRACE_MAGIC) else "shark"
        records: bytes | None = None
        if report.tracer in {None, tracer}:
            records = self._ftrace(packet, offset) if tracer == "ftrace" else self._shark(packet)
        if records is None:
            report.bytes = offset
            return self.skip(packet)
        report.tracer = tracer
        return records

    def skip(self, data: bytes) -> bytes:
        """Count bytes that are not a packet and contain no records."""
        report = self.report
        report.note(Oddity.FOREIGN, report.bytes)
        report.bytes += len(data)
        report.left_out += len(data)
        return b""

    def _shark(self, packet: bytes) -> bytes | None:
        size = self._dtype.itemsize
        if len(packet) < 2:  # noqa: PLR2004 - the count
            return None
        (count,) = struct.unpack_from(f"{self._order}H", packet)
        if not 0 < count <= MOST_PACKET_BYTES // size:
            return None
        data = self._cut(packet, 2, count, size)
        records = np.frombuffer(data, self._dtype)
        if len(records):
            first, last = int(records["time"][0]), int(records["time"][-1])
            if self._last_us is not None and (first - self._last_us) % (1 << 32) >= _BACK:
                self.report.note(Oddity.BACK, self._offset(packet))
            self._last_us = last
        return data

    def _ftrace(self, packet: bytes, offset: int) -> bytes | None:
        if len(packet) < FTRACE_HEADER.size:
            return None
        _, number, count, _ = FTRACE_HEADER.parse(packet)
        if not self._numbers.take(number, offset, self.report):
            self.report.left_out += len(packet)
            return b""
        return self._cut(packet, FTRACE_HEADER.size, count, FTRACE_RECORD_BYTES)

    def _cut(self, packet: bytes, begin: int, count: int, size: int) -> bytes:
        """Return the whole records of a packet that should have `count` records."""
        there = len(packet) - begin
        whole = min(count, there // size)
        if there < count * size:
            self.report.note(Oddity.HALF, self._offset(packet))
        elif there > count * size:
            self.report.note(Oddity.SURPLUS, self._offset(packet))
        self.report.left_out += there - whole * size
        self.report.packets += 1
        self.report.records += whole
        return packet[begin : begin + whole * size]

    def _offset(self, packet: bytes) -> int:
        return self.report.bytes - len(packet)


@dataclass(slots=True)
class _Numbers:
    """Checks the packet numbers of FTrace."""

    _next: int = 1
    _started: bool = False
    _missing: set[int] = field(default_factory=set)

    def take(self, number: int, offset: int, report: PacketReport) -> bool:
        """Check the next number; return False for a duplicate packet."""
        if not self._started:
            self._next, self._started = (1 if number <= _NEAR else number), True
        ahead = number - self._next
        if ahead < -_NEAR or (number == 1 and self._next > 1 and 1 not in self._missing):
            report.note(Oddity.RESTART, offset)
            self._missing.clear()
            self._next, ahead = number, 0
        if ahead < 0:
            is_late = number in self._missing
            self._missing.discard(number)
            report.note(Oddity.LATE if is_late else Oddity.DOUBLED, offset)
            if is_late:
                report.counts[Oddity.MISSING] -= 1
            return is_late
        if ahead:
            report.note(Oddity.MISSING, offset, ahead)
            near = range(max(self._next, number - _NEAR), number)
            self._missing = {one for one in self._missing if one >= number - _NEAR} | set(near)
        self._next = number + 1
        return True

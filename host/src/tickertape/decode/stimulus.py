"""Extract the bytes of an ITM stimulus port from an SWO stream.

    port = StimulusPort(1)
    frames.receive(port.receive(data))

A debugger may connect in the middle of a packet, and synchronization packets are usually missing.
When the decoder loses the packet boundary, it searches for the next place where several packets of
the port follow each other. A wrong match does no harm: its bytes fail the CRC of the frame.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.itm import (
    KNOWN_HARDWARE,
    LOCAL_TIMESTAMP,
    STIMULUS_HEADS,
    Extension,
    Instrumentation,
    ItmDecoder,
    LocalTimestamp,
    OtherHardware,
    Overflow,
    Relation,
    local_timestamp,
    packets_of,
)

if TYPE_CHECKING:
    from tickertape.decode.itm import Packet

PORTS: Final = 32
"""Number of stimulus ports of an ITM, 0 ... 31. No Cortex-M has more than one page of ports."""

_WORD_PACKET: Final = 5  # a head, and four bytes
_WORDS_AT_ONCE: Final = 1024
_IN_A_ROW: Final = 5
_EXACT: Final = Relation.EXACT
# A local time stamp may follow a packet: at most five bytes.
_TIME: Final = rb"%b?" % LOCAL_TIMESTAMP
_LONGEST_ROW: Final = _IN_A_ROW * (_WORD_PACKET + 5)


class StimulusPort:
    """Extracts the bytes of one port from packets of the trace unit; input may be cut at any byte.

    Attributes:
        overflows: number of places where the trace unit lost packets.
        other_ports: number of packets of other stimulus ports, by port.
        skipped: number of bytes that are not packets.
        keeps_packets: whether `packets` is filled.
        packets: all packets of other kinds, in order, with `keeps_packets`. Bytes that are not
            packets add an Overflow. The consumer takes the list and puts an empty one in its place.
    """

    def __init__(self, port: int, *, keeps_packets: bool = False) -> None:
        """Start at the begin of a packet; if that is wrong, the decoder resynchronizes.

        Args:
            port: number of the port, 0 ... 31.
            keeps_packets: whether the consumer takes `packets`.
        """
        self.packets: list[Packet] = []
        self.keeps_packets = keeps_packets
        self.overflows = 0
        self.other_ports: Counter[int] = Counter()
        self.skipped = 0
        self._port = port
        self._word_head = port << 3 | 3
        self._row = _row_of(port)
        word = re.escape(bytes([self._word_head])) + rb"(.{4})"
        self._word_and_stamp = re.compile(rb"%b(%b)" % (word, LOCAL_TIMESTAMP), re.DOTALL)
        ports = packets_of(STIMULUS_HEADS - {self._word_head})
        other = rb"(?:%b|%b|%b)" % (ports, KNOWN_HARDWARE, LOCAL_TIMESTAMP)
        self._others = re.compile(rb"%b{2,%d}" % (other, _WORDS_AT_ONCE), re.DOTALL)
        self._stamped = re.compile(
            rb"(?:%b%b){2,%d}" % (word, LOCAL_TIMESTAMP, _WORDS_AT_ONCE), re.DOTALL
        )
        self._decoder: ItmDecoder | None = ItmDecoder()
        self._searched = b""

    def receive(self, data: bytes) -> bytes:
        """Decode the next bytes of SWO; return the bytes of the port."""
        out = bytearray()
        place = 0
        while place < len(data):
            if self._decoder is None:
                data, place = self._search(data[place:]), 0
            else:
                place = self._decode(self._decoder, data, place, out)
        return bytes(out)

    def finish(self) -> None:
        """End the input: the held bytes count as skipped."""
        if self._decoder is None:
            self.skipped += len(self._searched)
            self._searched = b""
        else:
            self._decoder.finish()
            self.skipped += self._decoder.skipped.total()

    def _decode(self, decoder: ItmDecoder, data: bytes, place: int, out: bytearray) -> int:
        """Decode several packets at once, or else one byte; return the offset of the next byte."""
        if decoder.is_between_packets and data[place] == self._word_head:
            stamped = self._stamped.match(data, place)
            if stamped is not None:
                self._take_stamped(stamped.group(), out)
                return stamped.end()
            count = self._words_at(data, place)
            if count:
                end = place + count * _WORD_PACKET
                row = np.frombuffer(data, np.uint8, end - place, place)
                out += row.reshape(count, _WORD_PACKET)[:, 1:].tobytes()
                return end
        end = place + 1
        if decoder.is_between_packets:
            others = self._others.match(data, place)
            end = others.end() if others is not None else end
        decoder.receive(data[place:end])
        is_lost = not decoder.is_synchronized
        for packet in decoder.packets():
            is_lost = is_lost or not self._take(packet, out)
        if is_lost:
            if self.keeps_packets:
                self.packets.append(Overflow())
            self.skipped += decoder.skipped.total()
            self._decoder = None
        return end

    def _take_stamped(self, row: bytes, out: bytearray) -> None:
        """Extract words of the port with time stamps; merge all stamps after the first one."""
        words, stamps = zip(*self._word_and_stamp.findall(row), strict=True)
        out += b"".join(words)
        if self.keeps_packets:
            first, *others = map(local_timestamp, stamps)
            self.packets.append(first)
            if others:
                self.packets.append(LocalTimestamp(sum(one.ticks for one in others), _EXACT))

    def _words_at(self, data: bytes, place: int) -> int:
        """Count the consecutive packets with a word of the port."""
        most = min((len(data) - place) // _WORD_PACKET, _WORDS_AT_ONCE)
        heads = np.frombuffer(data, np.uint8, most * _WORD_PACKET, place)[::_WORD_PACKET]
        others = heads != self._word_head
        return int(others.argmax()) if others.any() else most

    def _take(self, packet: Packet, out: bytearray) -> bool:
        """Process a packet; False for one that no Cortex-M sends, so the boundary was wrong."""
        match packet:
            case Instrumentation(port, value, size) if port == self._port:
                out += value.to_bytes(size, "little")
                return True
            case Instrumentation(port):
                self.other_ports[port] += 1
            case Overflow():
                self.overflows += 1
            case Extension() | OtherHardware():
                return False
        if self.keeps_packets:
            self.packets.append(packet)
        return True

    def _search(self, data: bytes) -> bytes:
        """Search for a packet boundary; return the bytes after it, or none."""
        data = self._searched + data
        found = self._row.search(data)
        if found is None:
            self._searched = data[-_LONGEST_ROW:]
            self.skipped += len(data) - len(self._searched)
            return b""
        self._searched, self._decoder = b"", ItmDecoder()
        self.skipped += found.start()
        return data[found.start() :]


def _row_of(port: int) -> re.Pattern[bytes]:
    """Return the pattern of a packet boundary: synchronization, or several packets of a port."""
    word, half, byte = (re.escape(bytes([port << 3 | bits])) for bits in (3, 2, 1))
    packet = rb"(?:%b.{4}|%b.{2}|%b.)%b" % (word, half, byte, _TIME)
    return re.compile(rb"\x00{5}\x80|(?:%b){%d}" % (packet, _IN_A_ROW), re.DOTALL)

"""Split the frames of a TPIU formatter into the bytes of each trace source. No I/O.

Source: Arm CoreSight Architecture Specification (IHI 0029), "Trace Formatter". A frame has 16
bytes. If bit 0 of an even byte is 1, the other bits are the number of the next source. If it is 0,
the byte is data, and its own bit 0 is in the last byte of the frame. For a change of the source, a
1 in the last byte means that the next byte still belongs to the previous source.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

FRAME_BYTES: Final = 16
FULL_SYNC: Final = b"\xff\xff\xff\x7f"
_HALF_SYNC: Final = b"\xff\x7f"
_HALVES: Final = FRAME_BYTES // 2


class Unformatter:
    """Sorts the bytes of a trace port by source; input may be cut at any byte."""

    def __init__(self, source: int = 0) -> None:
        """Start at the begin of a frame or of a synchronization packet.

        Args:
            source: source of the bytes before the first number of a source; 0 drops them.
        """
        self._source = source
        self._frame = bytearray()
        self._held = b""

    def receive(self, data: bytes) -> dict[int, bytes]:
        """Add the next bytes; return the bytes of each source, without synchronization."""
        data = self._held + data
        out: defaultdict[int, bytearray] = defaultdict(bytearray)
        place = 0
        while place + 2 <= len(data):
            half = data[place : place + 2]
            if not self._frame and half == FULL_SYNC[:2]:
                if place + len(FULL_SYNC) > len(data):
                    break
                if data.startswith(FULL_SYNC, place):
                    place += len(FULL_SYNC)
                    continue
            place += 2
            if half != _HALF_SYNC:
                self._frame += half
            if len(self._frame) == FRAME_BYTES:
                self._source = _take(self._frame, self._source, out)
                self._frame.clear()
        self._held = data[place:]
        return {number: bytes(found) for number, found in out.items() if number}


def unformatted(data: bytes, begin: int) -> dict[int, bytes]:
    """Return the bytes of each source, without synchronization.

    Args:
        data: bytes of the trace port.
        begin: offset of the first frame.
    """
    return Unformatter().receive(data[begin:])


def _take(frame: bytearray, source: int, out: defaultdict[int, bytearray]) -> int:
    """Sort the bytes of a frame; return the source at its end."""
    for pair in range(_HALVES):
        first, second = frame[2 * pair], frame[2 * pair + 1]
        late = frame[-1] >> pair & 1
        before = source
        if first & 1:
            source = first >> 1
        else:
            out[source].append(first | late)
        if pair < _HALVES - 1:  # the last odd byte holds the low bits, not data
            out[before if first & 1 and late else source].append(second)
    return source

"""Frames of a TPIU's formatter to the bytes of each trace source. No I/O.

Source: Arm CoreSight Architecture Specification (IHI 0029), "Trace Formatter". A frame has 16
bytes. Of an even byte bit 0 is 1 where the rest is the number of the next source; else the byte is
data, and its bit 0 is in the last byte of the frame. There, for a change of the source, a 1 lets
the next byte belong to the source before.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

FRAME_BYTES: Final = 16
FULL_SYNC: Final = b"\xff\xff\xff\x7f"
_HALF_SYNC: Final = b"\xff\x7f"
_HALVES: Final = FRAME_BYTES // 2


class Unformatter:
    """Sorts the bytes of a trace port by source, however they are cut."""

    def __init__(self) -> None:
        """Begin with a frame or with synchronization."""
        self._source = 0
        self._frame = bytearray()
        self._held = b""

    def receive(self, data: bytes) -> dict[int, bytes]:
        """Take the next bytes and return those of each source; synchronization is left out."""
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
    """Return the bytes of each source.

    Args:
        data: of the trace port; synchronization is left out.
        begin: where a frame begins.
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
        if pair < _HALVES - 1:  # the last odd byte has the bits
            out[before if first & 1 and late else source].append(second)
    return source

"""Frames that wait for one caller of a shared link: in order, only so many, the rest is counted."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import BadBodyError, parse_buffer_header
from tickertape.decode.packed import unpack
from tickertape.protocol.wire import FrameType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.decode.frames import Frame
    from tickertape.protocol.wire import ByteOrder

RECORDS: Final = frozenset({FrameType.BUFFER, FrameType.PACKED})
DEFAULT_MOST_BYTES: Final = 4 << 20
# What is no record has so much more room: counters and names, each of which counts, and replies.
_SPARE_BYTES: Final = 1 << 18
_FRAME_BYTES: Final = 64  # of a frame beside its body, in memory
_COUNT_PLACE: Final = 5  # of `count` among the varints of PACKED


class Outbox:
    """What one caller is to be sent. Any thread puts frames in, one takes them out.

    Frames are numbered as they are put in. One that finds no room is thrown away with its number,
    so the caller sees that it is missing, and receipts in later ones tell how many records it had.

    Attributes:
        lost_records: those thrown away.
    """

    def __init__(self, most_bytes: int = DEFAULT_MOST_BYTES) -> None:
        """Begin with nothing.

        Args:
            most_bytes: that wait at most, records alone.
        """
        self.lost_records = 0
        self._most_bytes = most_bytes
        self._came = threading.Condition()
        self._frames: deque[Frame] = deque()
        self._bytes = 0
        self._sequence = 0
        self._closed = False

    def put(self, frame: Frame) -> None:
        """Let a frame wait for the caller, or throw it away; never waits."""
        size = len(frame.body) + _FRAME_BYTES
        is_record = frame.type in RECORDS
        limit = self._most_bytes + (0 if is_record else _SPARE_BYTES)
        with self._came:
            number, self._sequence = self._sequence, self._sequence + 1
            if self._bytes + size > limit:
                self.lost_records += _record_count(frame) if is_record else 0
                return
            self._frames.append(replace(frame, sequence=number))
            self._bytes += size
            self._came.notify()

    def begin_again(self) -> None:
        """Number what follows from 0, as a target does that was reset."""
        with self._came:
            self._sequence = 0

    def take(self, timeout_s: float) -> list[Frame]:
        """Give what waits, oldest first; wait up to `timeout_s` for the first."""
        with self._came:
            self._came.wait_for(lambda: self._frames or self._closed, timeout_s)
            frames = list(self._frames)
            self._frames.clear()
            return frames

    def sent(self, frame: Frame) -> None:
        """Say that a frame that was taken is on its way: it takes no room any more."""
        with self._came:
            self._bytes -= len(frame.body) + _FRAME_BYTES

    def close(self) -> None:
        """Wake who takes; nothing will follow."""
        with self._came:
            self._closed = True
            self._came.notify()


def unpacked(frames: Iterable[Frame], byte_order: ByteOrder) -> list[Frame]:
    """Replace packed buffers by raw ones; one that makes no sense stays as it is."""
    frames = list(frames)
    buffers = iter(unpack([frame.body for frame in frames if frame.type == FrameType.PACKED]))
    result = []
    for frame in frames:
        buffer = next(buffers) if frame.type == FrameType.PACKED else None
        if buffer is None or isinstance(buffer, BadBodyError):
            result.append(frame)
        else:
            body = buffer.body(byte_order)
            result.append(replace(frame, type=FrameType.BUFFER, body=body))
    return result


def _record_count(frame: Frame) -> int:
    """Count the records of a buffer; 0 where it makes no sense."""
    if frame.type == FrameType.BUFFER:
        try:
            return parse_buffer_header(frame.body).count
        except BadBodyError:
            return 0
    value = shift = place = 0
    for byte in frame.body[:64]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            if place == _COUNT_PLACE:
                return value
            value, shift, place = 0, 0, place + 1
    return 0

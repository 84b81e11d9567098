"""Frames that wait for one caller of a shared link, in order; frames beyond a limit are counted."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import BadBodyError, parse_buffer_header
from tickertape.decode.packed import unpack
from tickertape.protocol.wire import MAX_STREAMS, FrameType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.decode.frames import Frame
    from tickertape.protocol.wire import ByteOrder

RECORDS: Final = frozenset({FrameType.BUFFER, FrameType.PACKED})
DEFAULT_MOST_BYTES: Final = 4 << 20
# Extra room for frames without records: counters, names and replies.
_SPARE_BYTES: Final = 1 << 18
_FRAME_BYTES: Final = 64  # of a frame beside its body, in memory
_COUNT_PLACE: Final = 5  # of `count` among the varints of PACKED


class Outbox:
    """What one caller is to be sent. Any thread puts frames in, one takes them out.

    Frames are numbered. One that finds no room is discarded, and its number is
    skipped, so the caller detects the gap, and later receipts count its records. A waiting
    announcement of the target is replaced by the next one: in virtual time they come faster than a
    caller can read. Counters of a ring stay where they are when records of the stream are queued
    after them: receipts must precede the records.

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
        self._waiting: dict[object, _Entry] = {}
        self._urgent = False  # records or replies wait
        self._bytes = 0
        self._put_count = 0
        self._kept_records = [0] * MAX_STREAMS  # frames with records that found room
        self._skip = 0  # frames thrown away since the last that waits
        self._again = False  # the target was reset since
        self._sequence = 0
        self._closed = False

    def put(self, frame: Frame) -> None:
        """Let a frame wait for the caller, or throw it away; never waits."""
        size = len(frame.body) + _FRAME_BYTES
        is_record = frame.type in RECORDS
        limit = self._most_bytes + (0 if is_record else _SPARE_BYTES)
        with self._came:
            self._put_count += 1
            key = self._key_of(frame) or self._put_count
            before = self._waiting.get(key)
            if before is not None and before.again:
                key = self._put_count  # where a boot begins has to stay where it is
            elif before is not None:
                del self._waiting[key]
                self._bytes -= len(before.frame.body) + _FRAME_BYTES
                self._skip += before.skip  # the numbers left out before it stay so
            if self._bytes + size > limit:
                self.lost_records += _record_count(frame) if is_record else 0
                self._skip += 1
                return
            self._waiting[key] = _Entry(frame, self._skip, self._again)
            self._skip, self._again = 0, False
            self._bytes += size
            if is_record:
                self._kept_records[frame.stream % MAX_STREAMS] += 1
            if is_record or frame.type == FrameType.REPLY:
                self._urgent = True
                self._came.notify()

    def _key_of(self, frame: Frame) -> object:
        """Return the subject of a frame that a later frame may replace; else None."""
        match frame.type:
            case FrameType.HELLO:
                return (frame.type,)
            case FrameType.STATUS:
                kept = self._kept_records[frame.stream % MAX_STREAMS]
                return (frame.type, frame.stream, frame.cpu, kept)
            case FrameType.NAME:
                return (frame.type, frame.body[0:1], frame.body[4:8])
            case _:
                return None

    def begin_again(self) -> None:
        """Number what follows from 0, as a target does that was reset."""
        with self._came:
            self._skip, self._again = 0, True

    def take(self, timeout_s: float) -> list[Frame]:
        """Return what waits, oldest first; wait up to `timeout_s` for a record or a reply."""
        with self._came:
            self._came.wait_for(lambda: self._urgent or self._closed, timeout_s)
            entries, self._waiting = list(self._waiting.values()), {}
            self._urgent = False
            return [self._numbered(entry) for entry in entries]

    def _numbered(self, entry: _Entry) -> Frame:
        if entry.again:
            self._sequence = 0
        number = self._sequence + entry.skip
        self._sequence = number + 1
        return replace(entry.frame, sequence=number)

    def sent(self, frame: Frame) -> None:
        """Release the room of a frame that was taken and sent."""
        with self._came:
            self._bytes -= len(frame.body) + _FRAME_BYTES

    def close(self) -> None:
        """Wake who takes; nothing will follow."""
        with self._came:
            self._closed = True
            self._came.notify()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A frame that waits.

    Attributes:
        frame: without its number.
        skip: frames before it that were thrown away.
        again: it is the first after a reset of the target.
    """

    frame: Frame
    skip: int
    again: bool


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

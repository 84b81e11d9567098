"""Bounded queue of frames for one caller of a shared link; counts the records it discards."""

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
_FRAME_BYTES: Final = 64  # memory of a frame beside its body
_COUNT_PLACE: Final = 5  # of `count` among the varints of PACKED


class Outbox:
    """Queue of frames for one caller. Any thread may enqueue; one thread dequeues.

    `take` numbers the frames. A frame without room is discarded and its number is skipped, so the
    caller detects the gap, and later receipts count its records. A newer HELLO, NAME or STATUS
    replaces the waiting one about the same subject, because in virtual time they arrive faster than
    a caller can read. A waiting STATUS keeps its place once records of its stream are queued after
    it: receipts must precede the records.

    Attributes:
        lost_records: number of records discarded because the queue was full.
    """

    def __init__(self, most_bytes: int = DEFAULT_MOST_BYTES) -> None:
        """Begin with an empty queue.

        Args:
            most_bytes: size limit for records, in bytes; other frames have some spare room above.
        """
        self.lost_records = 0
        self._most_bytes = most_bytes
        self._came = threading.Condition()
        self._waiting: dict[object, _Entry] = {}
        self._urgent = False  # records or replies wait
        self._bytes = 0
        self._put_count = 0
        self._kept_records = [0] * MAX_STREAMS  # number of queued frames with records, by stream
        self._skip = 0  # frames discarded since the last queued frame
        self._again = False  # the target was reset since the last queued frame
        self._sequence = 0
        self._closed = False

    def put(self, frame: Frame) -> None:
        """Queue a frame, or discard it if there is no room; never waits."""
        size = len(frame.body) + _FRAME_BYTES
        is_record = frame.type in RECORDS
        limit = self._most_bytes + (0 if is_record else _SPARE_BYTES)
        with self._came:
            self._put_count += 1
            key = self._key_of(frame) or self._put_count
            before = self._waiting.get(key)
            if before is not None and before.again:
                key = self._put_count  # the first frame of a boot keeps its place
            elif before is not None:
                del self._waiting[key]
                self._bytes -= len(before.frame.body) + _FRAME_BYTES
                self._skip += before.skip  # the numbers skipped before it stay skipped
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
        """Return the subject of a frame; a later frame on it replaces this one. None: never."""
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
        """Number the following frames from 0, as a target does after a reset."""
        with self._came:
            self._skip, self._again = 0, True

    def take(self, timeout_s: float) -> list[Frame]:
        """Dequeue all frames, oldest first; wait up to `timeout_s` for a record or a reply."""
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
        """Release the room of a dequeued frame after it was sent."""
        with self._came:
            self._bytes -= len(frame.body) + _FRAME_BYTES

    def close(self) -> None:
        """Wake the dequeuing thread; no frame will follow."""
        with self._came:
            self._closed = True
            self._came.notify()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A queued frame.

    Attributes:
        frame: the frame, not numbered yet.
        skip: number of frames discarded directly before it.
        again: it is the first frame after a reset of the target.
    """

    frame: Frame
    skip: int
    again: bool


def unpacked(frames: Iterable[Frame], byte_order: ByteOrder) -> list[Frame]:
    """Replace packed buffers by raw ones; a malformed one stays packed."""
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
    """Return the number of records in a BUFFER or PACKED frame; 0 if it is malformed."""
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

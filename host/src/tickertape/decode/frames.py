"""Convert link bytes to frames and back: COBS, CRC-32, resynchronisation. No I/O.

    decoder = FrameDecoder()
    decoder.receive(data)
    for frame in decoder.frames(): ...

Damaged bytes cost only the frames that they are in: decoding starts again at the next delimiter.
protocol/SPEC.md, "Frames on a link", has the format.
"""

from __future__ import annotations

import zlib
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cobs import cobs

from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import FRAME_HEADER, FRAME_HEADER_BYTES, MAX_FRAME_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

_DELIMITER = b"\0"
_CRC_BYTES = 4
_SHORTEST_BYTES = FRAME_HEADER_BYTES + _CRC_BYTES
_HEADER = Layout(FRAME_HEADER)
# COBS adds one byte, and another one for each full 254.
_COBS_BLOCK_BYTES = 254


@dataclass(frozen=True, slots=True)
class Frame:
    """One checked unit of a link.

    Attributes:
        type: number of a frame type; may be one that this program does not know.
        stream: stream number; 0 if the frame has none.
        cpu: CPU number; 0 if the frame has none.
        sequence: number of earlier frames in this direction since reset, modulo 2^32.
        body: bytes after the frame header, without the CRC.
        crc: CRC-32 of header and body.
        boot_tag: low byte of the target's `boot_id`; 0 if unknown.
    """

    type: int
    stream: int
    cpu: int
    sequence: int
    body: bytes
    crc: int
    boot_tag: int = 0


@dataclass(slots=True)
class LinkCounters:
    """Counters of received and missing frames of a link.

    Attributes:
        bytes: bytes received.
        frames: good frames.
        bad_frames: pieces between delimiters with a bad length, CRC or content. Bytes before
            the first delimiter are not counted: a capture may begin in the middle of a frame.
        noise_bytes: bytes outside of good frames, without delimiters.
        missed_frames: frames missing according to the sequence numbers.
        doubled_frames: frames received again, and not used again.
        late_frames: frames that arrived after a later one, and were not used.
        unknown_frames: good frames of a type that this program does not know.
    """

    bytes: int = 0
    frames: int = 0
    bad_frames: int = 0
    noise_bytes: int = 0
    missed_frames: int = 0
    doubled_frames: int = 0
    late_frames: int = 0
    unknown_frames: int = 0


def encode_frame(
    kind: int, sequence: int, body: bytes, *, stream: int = 0, cpu: int = 0, boot_tag: int = 0
) -> bytes:
    """Return the bytes of one frame on a link, with the delimiter after it.

    Args:
        kind: a `FrameType`.
        sequence: number of earlier frames in this direction; taken modulo 2^32.
        body: bytes after the frame header.
        stream: stream number; 0 if the frame has none.
        cpu: CPU number; 0 if the frame has none.
        boot_tag: low byte of the target's `boot_id`; 0 if unknown.
    """
    data = _HEADER.build(
        {
            "type": kind,
            "stream": stream,
            "cpu": cpu,
            "boot_tag": boot_tag,
            "sequence": sequence & 0xFFFF_FFFF,
        }
    )
    data += body
    encoded: bytes = cobs.encode(data + zlib.crc32(data).to_bytes(_CRC_BYTES, "little"))
    return encoded + _DELIMITER


class FrameDecoder:
    """Finds frames in a byte stream with lost, repeated or changed bytes.

    Besides complete frames that wait to be taken, it holds at most the bytes of one frame.
    """

    def __init__(
        self, *, counters: LinkCounters | None = None, max_frame_bytes: int = MAX_FRAME_BYTES
    ) -> None:
        """Start a stream.

        Args:
            counters: counters to increment; new ones by default.
            max_frame_bytes: size of the longest frame: header, body and CRC.
        """
        self.counters = counters if counters is not None else LinkCounters()
        self._max_frame_bytes = max_frame_bytes
        self._max_piece_bytes = max_frame_bytes + 1 + max_frame_bytes // _COBS_BLOCK_BYTES
        self._tail = b""  # bytes after the last delimiter
        self._overlong = False  # the current piece is too long; its bytes are counted as noise
        self._in_step = False  # a delimiter was seen
        self._ready: deque[Frame] = deque()

    @property
    def held_bytes(self) -> int:
        """Number of held bytes of an unfinished frame."""
        return len(self._tail)

    def receive(self, data: bytes) -> None:
        """Decode received bytes, cut at any place; call `frames()` afterwards."""
        self.counters.bytes += len(data)
        *complete, rest = data.split(_DELIMITER)
        for piece in complete:
            self._take_piece(piece)
        self._hold(rest)

    def frames(self) -> Iterator[Frame]:
        """Yield the complete frames, oldest first, each once."""
        while self._ready:
            yield self._ready.popleft()

    def finish(self) -> None:
        """End the input: an unfinished frame counts as bad."""
        if self._tail or self._overlong:
            self._reject(len(self._tail))
        self._tail = b""
        self._overlong = False

    def refuse(self, frame: Frame) -> None:
        """Count a good frame as bad, because its body is invalid."""
        self.counters.frames -= 1
        self.counters.bad_frames += 1
        self.counters.noise_bytes += _SHORTEST_BYTES + len(frame.body)

    def _hold(self, rest: bytes) -> None:
        if self._overlong:
            self.counters.noise_bytes += len(rest)
            return
        self._tail += rest
        if len(self._tail) > self._max_piece_bytes:
            self.counters.noise_bytes += len(self._tail)
            self._tail = b""
            self._overlong = True

    def _take_piece(self, end: bytes) -> None:
        """Decode the held bytes together with the rest of the piece."""
        self._hold(end)
        piece, self._tail = self._tail, b""
        if self._overlong:
            self._overlong = False
            self._reject(0)
        elif piece:
            frame = self._decode(piece)
            if frame is None:
                self._reject(len(piece))
            else:
                self.counters.frames += 1
                self._ready.append(frame)
        self._in_step = True

    def _reject(self, noise_bytes: int) -> None:
        self.counters.noise_bytes += noise_bytes
        self.counters.bad_frames += self._in_step

    def _decode(self, piece: bytes) -> Frame | None:
        try:
            data: bytes = cobs.decode(piece)
        except cobs.DecodeError:
            return None
        if not _SHORTEST_BYTES <= len(data) <= self._max_frame_bytes:
            return None
        crc = int.from_bytes(data[-_CRC_BYTES:], "little")
        if zlib.crc32(data[:-_CRC_BYTES]) != crc:
            return None
        header = _HEADER.parse(data)
        body = data[FRAME_HEADER_BYTES:-_CRC_BYTES]
        return Frame(
            header.type, header.stream, header.cpu, header.sequence, body, crc, header.boot_tag
        )

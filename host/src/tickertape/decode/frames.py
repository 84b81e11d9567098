"""Link bytes to frames: COBS, CRC-32, resynchronisation. No I/O.

    decoder = FrameDecoder()
    decoder.receive(data)
    for frame in decoder.frames(): ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Frame:
    """One checked unit of a link.

    Attributes:
        type: number of a frame type; may be one that this program does not know.
        stream: which stream, 0 where none.
        cpu: which CPU, 0 where none.
        sequence: counts the frames of this direction since reset, modulo 2^32.
        body: what follows the frame header, without the CRC.
    """

    type: int
    stream: int
    cpu: int
    sequence: int
    body: bytes


@dataclass(slots=True)
class LinkCounters:
    """What came over a link, and what did not.

    Attributes:
        bytes: bytes received.
        frames: good frames.
        bad_frames: pieces between delimiters with a bad length, CRC or content.
        noise_bytes: bytes that belonged to no good frame.
        missed_frames: gaps in the frame sequence.
        doubled_frames: frames that had come before, and were not used again.
        late_frames: frames overtaken by a later one, and not used.
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


class FrameDecoder:
    """Finds frames in a stream of bytes that may be lost, doubled or flipped."""

    counters: LinkCounters

    def receive(self, data: bytes) -> None:
        """Take bytes as they came, in portions of any size."""
        raise NotImplementedError

    def frames(self) -> Iterator[Frame]:
        """Yield the frames that are complete, oldest first; each one once."""
        raise NotImplementedError

"""Collect frames until a batch is large or old enough to be decoded.

Packed buffers unpack ten times as fast together as one by one, so frames wait up to `GATHER_S`.
Before the first HELLO, frames wait for it (a target sends one per second), because only HELLO
defines the byte order of packed records on the tape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.protocol.wire import FrameType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.collector.intake import Arrival
    from tickertape.decode.frames import Frame

GATHER_S: Final = 0.05
_GATHER_BYTES: Final = 1 << 16
# Limits before the first HELLO.
_MEET_S: Final = 1.5
_MEET_BYTES: Final = 1 << 22


class Gathering:
    """Batch of waiting frames with the time of their arrival, in order."""

    def __init__(self) -> None:
        """Begin without frames."""
        self._frames: list[tuple[Frame, Arrival]] = []
        self._bytes = 0
        self._since_s = 0.0
        self._met = False

    def __len__(self) -> int:
        """Return the number of waiting frames."""
        return len(self._frames)

    def add(self, frames: Iterable[Frame], arrival: Arrival, now_s: float) -> None:
        """Add frames that arrived together, at `now_s` of a monotonic clock."""
        if not self._frames:
            self._since_s = now_s
        for frame in frames:
            self._frames.append((frame, arrival))
            self._bytes += len(frame.body)
            self._met = self._met or frame.type == FrameType.HELLO

    def is_ready(self, now_s: float, *, idle: bool) -> bool:
        """Return whether the batch is complete.

        Args:
            now_s: time of the same clock as in `add`.
            idle: the last read of the link returned no bytes.
        """
        age_s = now_s - self._since_s
        if self._met:
            return idle or age_s >= GATHER_S or self._bytes >= _GATHER_BYTES
        return age_s >= _MEET_S or self._bytes >= _MEET_BYTES

    def take(self) -> list[tuple[Frame, Arrival]]:
        """Return the frames and begin a new batch."""
        frames, self._frames, self._bytes = self._frames, [], 0
        return frames

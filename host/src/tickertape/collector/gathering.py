"""Collect frames until a batch is complete enough to be decoded.

Packed buffers unpack ten times as fast together as one by one, so frames wait a moment for more.
Before the first HELLO they wait for it (it comes once a second): only HELLO defines
the byte order of packed records on the tape.
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
# Before the first HELLO.
_MEET_S: Final = 1.5
_MEET_BYTES: Final = 1 << 22


class Gathering:
    """Frames with their arrival, in order."""

    def __init__(self) -> None:
        """Begin with none."""
        self._frames: list[tuple[Frame, Arrival]] = []
        self._bytes = 0
        self._since_s = 0.0
        self._met = False

    def __len__(self) -> int:
        """Count the frames that wait."""
        return len(self._frames)

    def add(self, frames: Iterable[Frame], arrival: Arrival, now_s: float) -> None:
        """Let frames wait that arrived together."""
        if not self._frames:
            self._since_s = now_s
        for frame in frames:
            self._frames.append((frame, arrival))
            self._bytes += len(frame.body)
            self._met = self._met or frame.type == FrameType.HELLO

    def is_ready(self, now_s: float, *, idle: bool) -> bool:
        """Return whether to take the frames now.

        Args:
            now_s: the same clock as for `add`.
            idle: nothing is coming at the moment.
        """
        age_s = now_s - self._since_s
        if self._met:
            return idle or age_s >= GATHER_S or self._bytes >= _GATHER_BYTES
        return age_s >= _MEET_S or self._bytes >= _MEET_BYTES

    def take(self) -> list[tuple[Frame, Arrival]]:
        """Return the frames, and begin with none."""
        frames, self._frames, self._bytes = self._frames, [], 0
        return frames

"""Channels that carry commands and frames: an own link, or a link that another thread reads."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

from tickertape.decode.frames import FrameDecoder
from tickertape.errors import LinkLost

if TYPE_CHECKING:
    from tickertape.decode.frames import Frame
    from tickertape.link.base import Link

_READ_BYTES: Final = 65_536
_KEPT_FRAMES: Final = 256


class Channel(Protocol):
    """Way to a target: bytes out, frames in."""

    @property
    def name(self) -> str:
        """Name for messages."""
        ...

    def send(self, data: bytes) -> None:
        """Send all of `data`.

        Raises:
            LinkError: the link is gone or carries no commands.
        """
        ...

    def frames(self, timeout_s: float) -> list[Frame]:
        """Return the frames that have arrived; wait up to `timeout_s` for the first.

        Raises:
            LinkLost: the link has ended.
        """
        ...


class LinkChannel:
    """A link that only this client reads. Implements `Channel`."""

    def __init__(self, link: Link) -> None:
        """Read and write `link`; it is not closed here."""
        self._link = link
        self._decoder = FrameDecoder()

    @property
    def name(self) -> str:
        """Name for messages."""
        return self._link.name

    def send(self, data: bytes) -> None:
        """Send all of `data`; see `Channel`."""
        self._link.write(data)

    def frames(self, timeout_s: float) -> list[Frame]:
        """Return the frames that have arrived; see `Channel`."""
        deadline = time.monotonic() + timeout_s
        while True:
            wait_s = max(0.0, deadline - time.monotonic())
            self._decoder.receive(self._link.read(_READ_BYTES, wait_s))
            frames = list(self._decoder.frames())
            if frames:
                return frames
            if self._link.at_end:
                raise LinkLost(f"{self.name} has ended", "start the target or the capture again")
            if wait_s == 0.0:
                return []


class SharedChannel:
    """A link that another thread reads; that thread passes on the frames. Implements `Channel`."""

    def __init__(self, link: Link) -> None:
        """Write to `link`; it is neither read nor closed here."""
        self._link = link
        self._came = threading.Condition()
        self._frames: deque[Frame] = deque(maxlen=_KEPT_FRAMES)
        self._closed = False

    @property
    def name(self) -> str:
        """Name for messages."""
        return self._link.name

    def take(self, frame: Frame) -> None:
        """Queue a frame from the reader of the link; never waits. The newest 256 are kept."""
        with self._came:
            self._frames.append(frame)
            self._came.notify_all()

    def close(self) -> None:
        """Report the end of the link and wake waiting threads."""
        with self._came:
            self._closed = True
            self._came.notify_all()

    def send(self, data: bytes) -> None:
        """Send all of `data`; see `Channel`."""
        self._link.write(data)

    def frames(self, timeout_s: float) -> list[Frame]:
        """Return the frames that have arrived; see `Channel`."""
        with self._came:
            self._came.wait_for(lambda: self._frames or self._closed, timeout_s)
            if self._closed:
                raise LinkLost(f"the capture from {self.name} has ended", "start it again")
            frames = list(self._frames)
            self._frames.clear()
        return frames

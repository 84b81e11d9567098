"""The channel of commands and frames: a link of its own, or one that another thread reads."""

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
    """Both directions of a conversation with a target."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    def send(self, data: bytes) -> None:
        """Send all of `data`.

        Raises:
            LinkError: the link is gone or carries no commands.
        """
        ...

    def frames(self, timeout_s: float) -> list[Frame]:
        """Return the frames that have come; wait up to `timeout_s` for the first.

        Raises:
            LinkLost: nothing will come any more.
        """
        ...


class LinkChannel:
    """A link that only this client reads. Implements `Channel`."""

    def __init__(self, link: Link) -> None:
        """Use `link`, which is not closed."""
        self._link = link
        self._decoder = FrameDecoder()

    @property
    def name(self) -> str:
        """For people."""
        return self._link.name

    def send(self, data: bytes) -> None:
        """Send all of `data`; see `Channel`."""
        self._link.write(data)

    def frames(self, timeout_s: float) -> list[Frame]:
        """Return the frames that have come; see `Channel`."""
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
    """A link whose bytes another thread reads; it hands us the frames. Meets `Channel`."""

    def __init__(self, link: Link) -> None:
        """Write to `link`, which is neither read nor closed."""
        self._link = link
        self._came = threading.Condition()
        self._frames: deque[Frame] = deque(maxlen=_KEPT_FRAMES)
        self._closed = False

    @property
    def name(self) -> str:
        """For people."""
        return self._link.name

    def take(self, frame: Frame) -> None:
        """Take a frame from the reader of the link; never blocks."""
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
        """Return the frames that have come; see `Channel`."""
        with self._came:
            self._came.wait_for(lambda: self._frames or self._closed, timeout_s)
            if self._closed:
                raise LinkLost(f"the capture from {self.name} has ended", "start it again")
            frames = list(self._frames)
            self._frames.clear()
        return frames

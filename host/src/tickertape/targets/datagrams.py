"""Link to a process of this machine that sends its trace in datagrams.

Unlike a connection, datagrams do not show the end of their sender. So the link also ends when the
process has ended and all its datagrams were read.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tickertape.link.base import LiveLink

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.link.udp import UdpLink

_LOOK_S: Final = 0.1


class ProcessDatagrams(LiveLink):
    """A UDP link that ends with a process. Implements `link.base.Link` and `Remarking`."""

    def __init__(self, link: UdpLink, is_gone: Callable[[], bool], name: str) -> None:
        """Read from `link`.

        Args:
            link: UDP link whose port only the process knows.
            is_gone: returns whether the process has ended.
            name: name for messages.
        """
        super().__init__(name)
        self._link = link
        self._is_gone = is_gone
        self._over = False

    @property
    def at_end(self) -> bool:
        """True once the process has ended and all its datagrams were read."""
        return self._over or self._link.at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        deadline = time.monotonic() + timeout_s
        while not self.at_end:
            gone = self._is_gone()  # before the read, which then sees all that the process sent
            left = _LOOK_S if gone else max(0.0, min(deadline - time.monotonic(), _LOOK_S))
            data = self._link.read(max_bytes, left)
            self._over = gone and not data and not self._link.waits
            if data or (time.monotonic() >= deadline and not gone):
                return data
        return b""

    def write(self, data: bytes) -> None:
        """Send `data` to the target; see `Link.write`."""
        self._link.write(data)

    def remarks(self) -> list[str]:
        """Return remarks about lost, late and repeated datagrams."""
        return self._link.remarks()

    def close(self) -> None:
        """Close the socket. May be called twice."""
        self._link.close()

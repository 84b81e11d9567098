"""Links over a connected stream socket of any address family."""

from __future__ import annotations

import select
import socket

from tickertape.errors import LinkLost
from tickertape.link.base import LiveLink


class SocketLink(LiveLink):
    """A connected socket. Implements `link.base.Link`."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        """Take ownership of a connected socket; `name` is for messages."""
        super().__init__(name)
        connection.settimeout(None)
        self._connection = connection
        self._at_end = False

    @property
    def at_end(self) -> bool:
        """True once the peer has closed."""
        return self._at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        if self._at_end or not select.select([self._connection], [], [], timeout_s)[0]:
            return b""
        try:
            data = self._connection.recv(max_bytes)
        except ConnectionError:
            # An emulator that is killed resets the connection; that is a normal end.
            data = b""
        self._at_end = not data
        return data

    def write(self, data: bytes) -> None:
        """Send all of `data`; see `Link.write`."""
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise LinkLost(
                f"{self._name} closed the connection", "start the target again"
            ) from error

    def write_some(self, data: bytes | memoryview, timeout_s: float) -> int:
        """Send as many bytes of `data` as possible now; wait up to `timeout_s` for the first.

        Returns:
            Number of bytes sent; 0 when the peer accepted none in time.

        Raises:
            LinkLost: the peer has closed.
        """
        if not select.select([], [self._connection], [], timeout_s)[1]:
            return 0
        try:
            return self._connection.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise LinkLost(
                f"{self._name} closed the connection", "start the target again"
            ) from error

    def close(self) -> None:
        """Close the connection. May be called twice."""
        self._at_end = True
        self._connection.close()

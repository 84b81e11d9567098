"""Links that only read: recorded bytes, named pipes, standard input."""

from __future__ import annotations

import os
import select

from tickertape.errors import LinkDenied, LinkError, LinkMissing
from tickertape.link.base import OneWay


class DescriptorLink(OneWay):
    """Bytes from a file descriptor, in one direction."""

    def __init__(self, descriptor: int, name: str, *, live: bool, owned: bool = True) -> None:
        """Read from `descriptor`.

        Args:
            descriptor: file descriptor, open for reading.
            name: name for messages.
            live: False for a regular file.
            owned: whether `close` closes the descriptor.
        """
        super().__init__(name)
        self._descriptor = descriptor
        self._live = live
        self._owned = owned
        self._at_end = False
        self._closed = False

    @property
    def live(self) -> bool:
        """False for a regular file."""
        return self._live

    @property
    def byte_rate(self) -> float:
        """Always 0: not limited."""
        return 0.0

    @property
    def at_end(self) -> bool:
        """True once nothing more can be read."""
        return self._at_end or self._closed

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        if self.at_end:
            return b""
        if self._live and not select.select([self._descriptor], [], [], timeout_s)[0]:
            return b""
        data = os.read(self._descriptor, max_bytes)
        self._at_end = not data
        return data

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self._owned and not self._closed:
            os.close(self._descriptor)
        self._closed = True


def open_path(path: str, name: str, *, live: bool) -> DescriptorLink:
    """Open a file or a named pipe for reading.

    Opening a pipe does not wait for its writer.

    Raises:
        LinkMissing: there is no such file.
        LinkDenied: the user may not read the file.
        LinkError: another reason.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    if live:
        flags |= getattr(os, "O_NONBLOCK", 0)
    try:
        return DescriptorLink(os.open(path, flags), name, live=live)
    except FileNotFoundError as error:
        raise LinkMissing(f"there is no file {path}", "check the path") from error
    except PermissionError as error:
        raise LinkDenied(f"{path} may not be read", "check its permissions") from error
    except OSError as error:
        raise LinkError(f"{path} cannot be opened ({error.strerror})", "check the path") from error

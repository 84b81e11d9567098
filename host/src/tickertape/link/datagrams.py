"""Receive raw datagrams of other formats; `link.udp` receives those of tickertape."""

from __future__ import annotations

import select
from typing import Final

from tickertape.closing import Closing
from tickertape.errors import LinkLost
from tickertape.link.address import Kind, parse_address
from tickertape.link.udp import bind

_LIMIT: Final = 1 << 16


class Datagrams(Closing):
    """A UDP socket of this machine; use it as a context manager."""

    def __init__(self, url: str) -> None:
        """Bind a socket to the address of `udp://host:port`.

        Raises:
            UsageError: the address is malformed, or there is no such host.
            LinkBusy: the port is taken.
            LinkDenied: the user may not use the port.
        """
        address = parse_address(url)
        self._url = url
        self._socket = bind(address.host, address.port)
        self._socket.settimeout(0)

    def receive(self, timeout_s: float) -> bytes | None:
        """Return the next datagram; None when none arrives in time.

        Raises:
            LinkLost: the socket fails.
        """
        if not select.select([self._socket], [], [], timeout_s)[0]:
            return None
        try:
            return self._socket.recv(_LIMIT)
        except BlockingIOError:  # the system discarded a datagram with a wrong checksum
            return None
        except OSError as error:
            raise LinkLost(f"{self._url} cannot be read", "start again") from error

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def is_datagrams(url: str) -> bool:
    """Return whether an address is `udp://…`."""
    return url.startswith("udp:") and parse_address(url).kind is Kind.DATAGRAMS

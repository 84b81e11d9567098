"""Links over TCP: an emulator's UART, a serial server, or an incoming connection."""

from __future__ import annotations

import errno
import select
import socket
import time
from typing import TypeVar

from tickertape.errors import LinkBusy, LinkDenied, LinkError, LinkMissing, UsageError
from tickertape.link.stream_socket import SocketLink

_RETRY_S = 0.05
_LOOPBACK = "127.0.0.1"
_WAITING_CALLERS = 16


class TcpLink(SocketLink):
    """A TCP connection."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        """Take ownership of a connected socket; `name` is for messages."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(connection, name)


_Kind = TypeVar("_Kind", bound=TcpLink)


def connect(host: str, port: int, name: str, wait_s: float, kind: type[_Kind]) -> _Kind:
    """Connect to a listener; keep trying for `wait_s` seconds while it refuses.

    Args:
        host: host of the listener.
        port: port of the listener.
        name: name of the link, for messages.
        wait_s: time limit, in seconds.
        kind: class of the link to return.

    Raises:
        UsageError: there is no such host.
        LinkMissing: no program listens there.
    """
    missing = LinkMissing(
        f"no program listens at {host}:{port}", "start the target first, or check host and port"
    )
    return kind(dial(host, port, wait_s, missing), name)


def dial(host: str, port: int, wait_s: float, missing: LinkMissing) -> socket.socket:
    """Connect; keep trying for `wait_s` seconds while the listener refuses.

    Raises:
        UsageError: there is no such host.
        LinkMissing: `missing`, when no program listens there.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return socket.create_connection((host, port), timeout=max(wait_s, 1.0))
        except socket.gaierror as error:
            raise UsageError(f"there is no host named {host}", "check the address") from error
        except OSError as error:
            if time.monotonic() >= deadline:
                raise missing from error
        time.sleep(_RETRY_S)


def listen(host: str, port: int, name: str, wait_s: float) -> TcpLink:
    """Wait `wait_s` seconds for one connection; the listener is closed afterwards.

    Raises:
        UsageError: there is no such host.
        LinkBusy: the port is taken.
        LinkDenied: the user may not listen at this port.
        LinkMissing: no connection arrived in time.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise UsageError(f"there is no host named {host}", "check the address") from error
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(place)
            listener.listen(1)
        except OSError as error:
            raise listen_error(error, host, port) from error
        listener.settimeout(wait_s)
        try:
            connection, _ = listener.accept()
        except TimeoutError as error:
            raise LinkMissing(
                f"no connection to {host}:{port} arrived within {wait_s:g} s",
                "start the target sooner, or check host and port",
            ) from error
    return TcpLink(connection, name)


class TcpListener:
    """A listening port of 127.0.0.1: open to every program of this machine, of any user."""

    def __init__(self, port: int) -> None:
        """Listen at `port` of 127.0.0.1; 0 lets the system choose.

        Raises:
            LinkBusy: the port is taken.
            LinkDenied: the user may not listen at this port.
            LinkError: another reason.
        """
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((_LOOPBACK, port))
            self._socket.listen(_WAITING_CALLERS)
        except OSError as error:
            self._socket.close()
            raise listen_error(error, _LOOPBACK, port) from error

    @property
    def address(self) -> str:
        """The address that callers open."""
        return f"socket://{_LOOPBACK}:{self._socket.getsockname()[1]}"

    def accept(self, timeout_s: float) -> TcpLink | None:
        """Wait up to `timeout_s` for a caller; None when none arrived."""
        if not select.select([self._socket], [], [], timeout_s)[0]:
            return None
        try:
            connection, _ = self._socket.accept()
            return TcpLink(connection, self.address)
        except OSError:  # the caller has gone already, or this process has no free descriptor
            return None

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


def listen_error(error: OSError, host: str, port: int) -> LinkError:
    """Return the error for an address at which listening failed."""
    place = f"port {port} of {host}"
    if error.errno == errno.EADDRINUSE:
        return LinkBusy(f"{place} is taken by another program", "choose another port")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return LinkDenied(f"you may not listen at {place}", "choose a port above 1023")
    return LinkError(f"cannot listen at {place} ({error.strerror})", "choose another address")

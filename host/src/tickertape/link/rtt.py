"""RTT links through SEGGER's J-Link software, which serves one channel per connection.

The server first sends lines of text that identify it. For 100 ms it waits for the number of a
channel (SEGGER's wiki, "J-Link RTT TELNET Channel"). OpenOCD instead serves each channel at its own
port, without a greeting: use `socket://` for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tickertape.errors import LinkMissing
from tickertape.link.tcp import TcpLink, connect

if TYPE_CHECKING:
    import socket

_GREETING: Final = b"SEGGER J-Link"
# Complete lines of text, and the beginning of a line. The first frame of a trace does not match.
_LINES: Final = re.compile(rb"(?:[ -~\t]*\r\n)*")
_TEXT: Final = re.compile(rb"[ -~\t]*\r?")
_MOST_GREETING: Final = 1024


class RttLink(TcpLink):
    """A connection to J-Link's RTT server; `read` skips the greeting."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        """Take ownership of a connected socket; `name` is for messages."""
        super().__init__(connection, name)
        self._held: bytes | None = b""

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived after the greeting; see `Link.read`."""
        data = super().read(max_bytes, timeout_s)
        if self._held is None or not data:
            return data
        data = self._held + data
        rest = _behind_greeting(data)
        self._held = data if rest is None else None
        return rest or b""


def _behind_greeting(data: bytes) -> bytes | None:
    """Return the bytes after the greeting; None while the greeting may be incomplete."""
    if not data.startswith(_GREETING[: len(data)]):
        return data
    lines = _LINES.match(data)
    rest = data[lines.end() :] if lines else data
    may_go_on = _TEXT.fullmatch(rest) and len(data) <= _MOST_GREETING
    return None if may_go_on else rest


def connect_rtt(host: str, port: int, channel: int, name: str, wait_s: float) -> RttLink:
    """Connect to J-Link's server and request a channel; keep trying for `wait_s` seconds.

    Raises:
        UsageError: there is no such host.
        LinkMissing: no program listens there.
    """
    try:
        link = connect(host, port, name, wait_s, RttLink)
    except LinkMissing as error:
        raise LinkMissing(
            f"no RTT server of J-Link listens at {host}:{port}",
            "start JLinkGDBServer or J-Link Commander and connect to the target; with OpenOCD use "
            "socket://host:port of its 'rtt server start'",
        ) from error
    link.write(f"$$SEGGER_TELNET_ConfigStr=RTTCh;{channel}$$".encode())
    return link

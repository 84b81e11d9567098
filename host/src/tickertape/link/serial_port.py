"""Links over a serial device, a pseudo terminal or another address of pyserial."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import serial

from tickertape.errors import LinkBusy, LinkDenied, LinkError, LinkLost, LinkMissing
from tickertape.link.base import LiveLink

if TYPE_CHECKING:
    from typing import Any

_BITS_PER_BYTE = 10  # 8 data bits, start and stop bit
_WRITE_TIMEOUT_S = 5.0


class SerialLink(LiveLink):
    """A port that pyserial opened, 8 data bits, no parity, 1 stop bit, no flow control."""

    def __init__(self, port: serial.Serial, name: str, *, ends: bool) -> None:
        """Take ownership of an open port.

        Args:
            port: open port with a time-out of 0.
            name: name for messages.
            ends: the peer is a program (at a pseudo terminal), and the link ends when it exits.
                When False, a device that disappears is an error.
        """
        super().__init__(name)
        self._port = port
        self._ends = ends
        self._at_end = False

    @property
    def byte_rate(self) -> float:
        """Bytes per second on the line; 0 for a pseudo terminal, which has no line."""
        return 0.0 if self._ends else self._port.baudrate / _BITS_PER_BYTE

    @property
    def at_end(self) -> bool:
        """True once the peer has gone, or after `close`."""
        return self._at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        if self._at_end:
            return b""
        try:
            if timeout_s > 0:
                # Each change makes pyserial configure the port again; over RFC 2217 every setting
                # costs a round trip.
                if self._port.timeout != timeout_s:
                    self._port.timeout = timeout_s
            elif not self._port.in_waiting:
                return b""
            first: bytes = self._port.read(1)
            if not first:
                return b""
            waiting = min(self._port.in_waiting, max_bytes - 1)
            return first + (self._port.read(waiting) if waiting else b"")
        except (OSError, TypeError) as error:
            # pyserial raises TypeError when it uses a descriptor that it has closed.
            return self._gone(error)

    def _gone(self, error: Exception) -> bytes:
        self._at_end = True
        if self._ends:
            return b""
        raise LinkLost(
            f"{self._name} was disconnected", "plug it in again and start a new capture"
        ) from error

    def write(self, data: bytes) -> None:
        """Send all of `data`; see `Link.write`."""
        try:
            self._port.write(data)
        except OSError as error:
            self._at_end = True
            raise LinkLost(
                f"{self._name} accepts no bytes", "check the cable and start a new capture"
            ) from error

    def close(self) -> None:
        """Close the port. May be called twice."""
        self._at_end = True
        self._port.close()


def open_serial(path: str, name: str, baud: int) -> SerialLink:
    """Open a serial device or pseudo terminal for this program alone.

    Raises:
        LinkMissing, LinkBusy, LinkDenied, LinkError: the error of the device.
    """
    return _open(path, name, baud, ends=os.path.realpath(path).startswith("/dev/pts/"))


def open_serial_url(url: str, name: str, baud: int) -> SerialLink:
    """Open one of pyserial's own addresses, such as `rfc2217://host:port`.

    Raises:
        LinkMissing, LinkBusy, LinkDenied, LinkError: the error of pyserial.
    """
    return _open(url, name, baud, ends=False)


def _open(url: str, name: str, baud: int, *, ends: bool) -> SerialLink:
    # Open for exclusive use where supported: two readers of a device would each get half the bytes.
    more: dict[str, Any] = {} if "://" in url or os.name == "nt" else {"exclusive": True}
    # pyserial does not support a write time-out over RFC 2217.
    if not url.startswith("rfc2217:"):
        more["write_timeout"] = _WRITE_TIMEOUT_S
    try:
        port = serial.serial_for_url(url, baudrate=baud, timeout=0, **more)
    except (OSError, ValueError) as error:
        raise _open_error(error, name) from error
    return SerialLink(port, name, ends=ends)


def _open_error(error: Exception, name: str) -> LinkError:
    number = getattr(error, "errno", None)
    text = str(error).lower()
    if number in {errno.EBUSY, errno.EAGAIN} or "exclusively lock" in text:
        return LinkBusy(
            f"{name} is in use by another program", "close that program (a terminal?) and retry"
        )
    if number in {errno.EACCES, errno.EPERM} or "access is denied" in text:
        return LinkDenied(
            f"you may not open {name}", "add yourself to its group, e.g. dialout, and log in again"
        )
    if number in {errno.ENOENT, errno.ENXIO, errno.ENODEV} or "filenotfound" in text:
        return LinkMissing(f"there is no device {name}", "plug the device in, or check its name")
    return LinkError(f"{name} cannot be opened ({error})", "check address and baud rate")

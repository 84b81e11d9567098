"""Access the memory of a running target through OpenOCD's Tcl server (port 6666).

OpenOCD reads and writes through the access port of the debug unit; the target is not halted. A
request is a line of Tcl. Request and answer end in the byte 0x1a.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

from tickertape.errors import LinkError, LinkLost, LinkMissing
from tickertape.link.base import Patience
from tickertape.link.tcp import dial

if TYPE_CHECKING:
    import socket

DEFAULT_PORT: Final = 6666
_END: Final = b"\x1a"
_WORD_BYTES: Final = 4
_MOST_BYTES: Final = 4096  # memory per request
_PATIENCE_S: Final = 10.0
_RECEIVE_BYTES: Final = 1 << 16


class OpenOcdMemory:
    """Memory through OpenOCD. Implements `link.target_memory.Memory`."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        """Take ownership of a connection to the server; `name` is for messages."""
        self._patience = Patience(_PATIENCE_S)
        self._connection = connection
        self._name = name
        self._at_end = False

    @property
    def at_end(self) -> bool:
        """True once the server is gone."""
        return self._at_end

    def access(self) -> AbstractContextManager[object]:
        """Return an empty context: the target keeps running; see `Memory`."""
        return nullcontext()

    def end_by(self, end_s: float) -> None:
        """Wait for no answer after this time; see `link.base.Awaiting`."""
        self._patience.end_s = end_s

    def find(self) -> int | None:
        """Return None: this memory has no link; see `Memory`."""
        return None

    def read(self, place: int, count: int) -> bytes:
        """Read memory; empty if it cannot be read at present, e.g. in deep sleep."""
        data = b""
        while len(data) < count:
            part = min(count - len(data), _MOST_BYTES)
            found = self._read(place + len(data), part)
            if len(found) < part:
                return b""
            data += found
        return data

    def write(self, place: int, data: bytes) -> None:
        """Write memory, each aligned word in one access.

        Raises:
            LinkError: the memory cannot be written.
        """
        width = _width(place, len(data))
        words = " ".join(
            f"{int.from_bytes(data[i : i + width], 'little'):#x}"
            for i in range(0, len(data), width)
        )
        if self._ask(f"write_memory {place:#x} {width * 8} {{{words}}}") is None:
            raise LinkError(
                f"{self._name}: the memory at {place:#x} cannot be written",
                "check that the target runs and is not asleep",
            )

    def close(self) -> None:
        """Close the connection. May be called twice."""
        self._at_end = True
        self._connection.close()

    def _read(self, place: int, count: int) -> bytes:
        width = _width(place, count)
        answer = self._ask(f"read_memory {place:#x} {width * 8} {count // width}")
        try:
            numbers = [int(word, 0) for word in (answer or "").split()]
            return b"".join(number.to_bytes(width, "little") for number in numbers)
        except (ValueError, OverflowError) as error:
            raise LinkError(
                f"{self._name} answers '{(answer or '')[:60]}'",
                "name the port for Tcl of OpenOCD 0.12 or newer (tcl_port, 6666)",
            ) from error

    def _ask(self, command: str) -> str | None:
        """Return the result of a command; None when it failed."""
        line = f'set tickertape [catch {{{command}}} result]; format "%s %s" $tickertape $result'
        received = b""
        try:
            self._connection.sendall(line.encode() + _END)
            while not received.endswith(_END):
                self._connection.settimeout(self._patience.left_s)
                part = self._connection.recv(_RECEIVE_BYTES)
                if not part:
                    self._at_end = True
                    return None
                received += part
        except TimeoutError as error:
            self._at_end = True
            raise LinkLost(
                f"{self._name} does not answer", "name the port for Tcl of OpenOCD (tcl_port, 6666)"
            ) from error
        except OSError:
            self._at_end = True
            return None
        failed, _, result = received[:-1].decode(errors="replace").partition(" ")
        return result if failed == "0" else None


def connect_openocd(host: str, port: int, name: str, wait_s: float) -> OpenOcdMemory:
    """Connect to OpenOCD; keep trying for `wait_s` seconds while it refuses.

    Raises:
        UsageError: there is no such host.
        LinkMissing: no program listens there.
    """
    missing = LinkMissing(
        f"no OpenOCD listens at {host}:{port}", "start it; its port for Tcl is 6666 (tcl_port)"
    )
    return OpenOcdMemory(dial(host, port, wait_s, missing), name)


def _width(place: int, count: int) -> int:
    """Return the bytes per access: 4 if place and count are aligned, else 1."""
    return _WORD_BYTES if place % _WORD_BYTES == 0 and count % _WORD_BYTES == 0 else 1

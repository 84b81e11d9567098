"""Access the memory of a target through the GDB server of a debug probe or an emulator.

Uses the Remote Serial Protocol of GDB, as OpenOCD, pyOCD, J-Link's GDB server and QEMU implement
it. The server accepts requests only while the target is halted, so each access halts the target
for some requests.
"""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tickertape.errors import LinkError, LinkLost, LinkMissing
from tickertape.link.base import Patience
from tickertape.link.tcp import dial
from tickertape.protocol.wire import MEMORY_LINK_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES: Final = 1024  # memory per request: 2048 digits, which every server accepts
_PATIENCE_S: Final = 30.0
_OPEN_PATIENCE_S: Final = 5.0
_RECEIVE_BYTES: Final = 1 << 16
_LEAST_RUN_S: Final = 0.02  # the target runs at least so long between two halts
_STOPPED: Final = (b"S", b"T")
_ENDED: Final = (b"W", b"X")
_ADVICE: Final = "check the address after ?at=, which 'nm' prints for trace_memory"


class GdbMemory:
    """Memory through a GDB server. Implements `link.target_memory.Memory`."""

    def __init__(
        self, connection: socket.socket, place: int, name: str, advice: str = _ADVICE
    ) -> None:
        """Take ownership of a connection to a server. Read memory as a test; the target then runs.

        Args:
            connection: socket connected to the server.
            place: address of the link's head.
            name: name of the link, for messages.
            advice: what to do if memory cannot be read.

        Raises:
            LinkLost: the server does not answer.
            LinkError: the server cannot read memory at `place`.
        """
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._patience = Patience(_OPEN_PATIENCE_S)
        self._connection = connection
        self._place = place
        self._name = name
        self._advice = advice
        self._received = b""
        self._resumed_s = 0.0
        self._at_end = False
        self._send(b"?")  # a server halts the target when a program connects
        self._wait_for_halt()
        # A server may report the halt twice; both reports precede the answer to this request.
        self._ask(b"qSupported")
        self.read(place, MEMORY_LINK_BYTES)
        self._patience = Patience(_PATIENCE_S)
        self._resume()

    @property
    def at_end(self) -> bool:
        """True once the target or its server is gone."""
        return self._at_end

    @contextmanager
    def access(self) -> Iterator[None]:
        """Halt the target in this context; before, it runs at least 20 ms; see `Memory`."""
        time.sleep(max(self._resumed_s + _LEAST_RUN_S - time.monotonic(), 0.0))
        self._put(b"\x03")
        self._wait_for_halt()
        try:
            yield
        finally:
            self._resume()

    def end_by(self, end_s: float) -> None:
        """Wait for no answer after this time; see `link.base.Awaiting`."""
        self._patience.end_s = end_s

    def find(self) -> int | None:
        """Return the address of the head, as given; see `Memory`."""
        return self._place

    def read(self, place: int, count: int) -> bytes:
        """Read memory; see `Memory`."""
        data = b""
        while len(data) < count and not self._at_end:
            part = min(count - len(data), _MOST_BYTES)
            data += self._bytes(self._ask(b"m%x,%x" % (place + len(data), part)), part)
        return data

    def write(self, place: int, data: bytes) -> None:
        """Write memory; see `Memory`."""
        answer = self._ask(b"M%x,%x:%s" % (place, len(data), data.hex().encode()))
        if not self._at_end and answer != b"OK":
            raise LinkError(
                f"{self._name}: the memory at {place:#x} cannot be written", "check the address"
            )

    def close(self) -> None:
        """Detach, so that the target continues to run. May be called twice."""
        if not self._at_end:
            self._put(b"\x03")
            self._wait_for_halt()
            self._ask(b"D")
        self._at_end = True
        self._connection.close()

    def _bytes(self, answer: bytes, count: int) -> bytes:
        """Return the `count` bytes in the answer to an `m` request; empty once `at_end`."""
        if self._at_end:
            return b""
        try:
            data = bytes.fromhex(answer.decode("ascii"))
        except ValueError:
            data = b""
        if len(data) != count:
            raise LinkError(
                f"{self._name}: the server cannot read the target's memory",
                self._advice,
            )
        return data

    def _resume(self) -> None:
        if not self._at_end:
            self._send(b"c")
            self._resumed_s = time.monotonic()

    def _wait_for_halt(self) -> None:
        """Wait until the server reports that the target is halted or gone."""
        while not self._at_end:
            packet = self._packet()
            if packet.startswith(_ENDED):
                self._at_end = True
            elif packet.startswith(_STOPPED):
                return

    def _ask(self, request: bytes) -> bytes:
        if self._at_end:
            return b""
        self._send(request)
        answer = self._packet()
        while answer.startswith(_STOPPED):
            answer = self._packet()
        return answer

    def _send(self, request: bytes) -> None:
        self._put(b"$%s#%02x" % (request, sum(request) % 256))

    def _put(self, data: bytes) -> None:
        """Send bytes; if the server is gone, the link is at its end."""
        if self._at_end:
            return
        try:
            self._connection.sendall(data)
        except OSError:
            self._at_end = True

    def _packet(self) -> bytes:
        """Acknowledge and return the next packet; empty when the server is gone."""
        while not self._at_end:
            begin = self._received.find(b"$")
            end = self._received.find(b"#", begin + 1)
            if begin >= 0 and 0 <= end <= len(self._received) - 3:
                packet = self._received[begin + 1 : end]
                self._received = self._received[end + 3 :]
                self._put(b"+")
                return packet
            self._receive()
        return b""

    def _receive(self) -> None:
        try:
            self._connection.settimeout(self._patience.left_s)
            data = self._connection.recv(_RECEIVE_BYTES)
        except TimeoutError as error:
            self._at_end = True
            raise LinkLost(
                f"{self._name} does not answer", "check that it is a GDB server, and start it again"
            ) from error
        except OSError:
            data = b""
        self._received += data
        self._at_end = not data


def connect_gdb(
    host: str, port: int, place: int, name: str, wait_s: float, advice: str = _ADVICE
) -> GdbMemory:
    """Connect to a GDB server; keep trying for `wait_s` seconds while it refuses.

    Raises:
        UsageError: there is no such host.
        LinkMissing: no program listens there.
    """
    missing = LinkMissing(
        f"no GDB server listens at {host}:{port}",
        "start OpenOCD, JLinkGDBServer, pyocd gdbserver or QEMU with -gdb",
    )
    return GdbMemory(dial(host, port, wait_s, missing), place, name, advice)

"""A link in memory that a broker shares."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tickertape.broker import Place, sharing
from tickertape.collector import CaptureOptions, capture
from tickertape.errors import LinkError
from tickertape.link.stream_socket import SocketLink

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.collector import CaptureResult


WAIT_S = 100.0


class Line:
    """A link that the test feeds; other threads capture and share it until `close`."""

    def __init__(self, tape: Path | None, place: Place, most_bytes: int) -> None:
        ours, self._theirs = socket.socketpair()
        self._link = SocketLink(ours, "the target")
        self._tape, self._place, self._most_bytes = tape, place, most_bytes
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self.addresses: list[str] = []
        self.result: CaptureResult | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            with sharing(
                self._link, self._place, most_bytes=self._most_bytes, on_ready=self._note
            ) as on_frame:
                self.result = capture(self._link, self._tape, CaptureOptions(on_frame=on_frame))
        except LinkError as error:
            self._failure = error
        self._ready.set()

    def _note(self, addresses: list[str]) -> None:
        self.addresses = addresses
        self._ready.set()

    def begin(self) -> None:
        self._thread.start()
        assert self._ready.wait(WAIT_S)
        if self._failure is not None:
            self.hang_up()
            raise self._failure

    def feed(self, data: bytes) -> None:
        self._theirs.sendall(data)

    def receive(self) -> bytes:
        """Wait for bytes to the target and return them; empty at the end."""
        try:
            return self._theirs.recv(65_536)
        except ConnectionError:
            return b""

    def close(self) -> None:
        """End the link."""
        self._theirs.shutdown(socket.SHUT_RDWR)

    def hang_up(self) -> None:
        with suppress(OSError):
            self.close()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        self._link.close()
        self._theirs.close()


@contextmanager
def shared(
    path: Path, tape: Path | None = None, *, most_bytes: int = 4 << 20, port: int | None = None
) -> Iterator[Line]:
    line = Line(tape, Place(str(path), port), most_bytes)
    line.begin()
    try:
        yield line
    finally:
        line.hang_up()

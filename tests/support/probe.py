"""A simulated server of a debug probe that relays the trace of a program to a client.

The bytes are those of a real firmware; this module adds what a probe does to them.
"""

from __future__ import annotations

import selectors
import socket
import subprocess
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

WAIT_S = 60.0


class Probe:
    """Serves one client, for which it starts the program. Use it as a context manager.

    Attributes:
        url: host and port for the client.
        asked: bytes that the client sent before the trace began.
    """

    def __init__(
        self,
        program: Path,
        *words: str,
        framed: Callable[[bytes], bytes] = bytes,
        greeting: bytes = b"",
        end_of_question: bytes = b"",
    ) -> None:
        """Listen for a client.

        Args:
            program: path of a native firmware.
            words: options of the program.
            framed: converts the bytes of the trace before they are sent to the client.
            greeting: bytes to send to the client first.
            end_of_question: end of the client's first message; empty: there is no such message.
        """
        self._command = [str(program), *words, "--trace"]
        self._framed = framed
        self._greeting = greeting
        self._end = end_of_question
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(WAIT_S)
        self.url = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.asked = b""
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        """Start the thread that serves the client."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Wait for the end of that thread."""
        self._listener.close()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:
            return  # no client connected
        with client, socket.create_server(("127.0.0.1", 0)) as place:
            client.settimeout(WAIT_S)
            client.sendall(self._greeting)
            while self._end and not self.asked.endswith(self._end):
                self.asked += client.recv(1)
            address = f"tcp:127.0.0.1:{place.getsockname()[1]}"
            with subprocess.Popen([*self._command, address]):
                place.settimeout(WAIT_S)
                trace, _ = place.accept()
                with trace:
                    self._pass_on(trace, client)

    def _pass_on(self, trace: socket.socket, client: socket.socket) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(trace, selectors.EVENT_READ)
            ready.register(client, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select(WAIT_S):
                    if key.fileobj is client:
                        trace.sendall(client.recv(4096))
                    elif data := trace.recv(4096):
                        client.sendall(self._framed(data))
                    else:
                        return

"""A board as a process: a target at a serial port, and a switch for power, image and faults.

    python -m tests.lab.board TARGET raw|pty

It prints JSON {"serial": TCP port or path of a terminal, "switch": TCP port}. The switch takes one
command per connection and answers with a line. As on a real board, the firmware does not wait for
a reader; only bytes that the line cannot accept yet are held back.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import threading
import tty
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import TargetError
from tickertape.targets import find_target
from tickertape.targets.base import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.targets.base import Run

DURATION_S = 0.2
LOOK_S = 0.05
GARBAGE = bytes(range(1, 256)) * 20


class RawLine:
    """A TCP serial server with one client."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.serial: object = self._listener.getsockname()[1]
        self._client: socket.socket | None = None

    def _accept(self) -> socket.socket | None:
        """Return the newest client; accepts every client whose connect() has returned."""
        while select.select([self._listener], [], [], 0)[0]:
            self._client = self._listener.accept()[0]
        return self._client

    def send(self, data: bytes) -> bytes:
        client = self._accept()
        try:
            if client is not None:
                client.sendall(data)
        except OSError:
            self._client = None
        return b""

    def receive(self) -> bytes:
        client = self._accept()
        if client is None or not select.select([client], [], [], 0)[0]:
            return b""
        try:
            data = client.recv(4096)
        except OSError:
            data = b""
        if not data:
            self._client = None
        return data

    def unplug(self) -> None:
        client = self._accept()
        assert client is not None
        client.shutdown(socket.SHUT_RDWR)


class TerminalLine:
    """A pseudo terminal."""

    def __init__(self) -> None:
        self._ours, self._theirs = os.openpty()  # both kept open, so the line survives its readers
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.serial: object = os.ttyname(self._theirs)

    def send(self, data: bytes) -> bytes:
        """Send bytes; return those for which the terminal has no room."""
        if not select.select([], [self._ours], [], LOOK_S)[1]:
            return data
        try:
            return data[os.write(self._ours, data) :]
        except BlockingIOError:
            return data

    def receive(self) -> bytes:
        return os.read(self._ours, 4096) if select.select([self._ours], [], [], 0)[0] else b""

    def unplug(self) -> None:
        raise NotImplementedError


class Board:
    """The board that the switch controls."""

    def __init__(self, target: str, line: RawLine | TerminalLine) -> None:
        self._target = find_target(target)
        self._line = line
        self._image: Path | None = None
        self._endless = False
        self._run: Run | None = None
        self._pump: threading.Thread | None = None
        self._halted = threading.Event()

    def on(self) -> None:
        self._start()

    def off(self) -> None:
        self._halted.set()
        if self._pump is not None:
            self._pump.join()
        if self._run is not None:
            self._run.__exit__(None, None, None)
        self._run = self._pump = None

    def reset(self) -> None:
        self.off()
        self._start()

    def load(self, image: str) -> None:
        """Turn the board off and store a new image; the next reset starts it."""
        self.off()
        self._image, self._endless = Path(image), False

    def endless(self) -> None:
        """Run the firmware in real time without end from the next reset, until the next image."""
        self._endless = True

    def erase(self) -> None:
        self.off()
        self._image = None

    def garbage(self) -> None:
        self._line.send(GARBAGE)

    def unplug(self) -> None:
        self._line.unplug()

    def _start(self) -> None:
        if self._image is None:
            return
        image = Image("first_tape", self._target.name, self._image)
        self._halted.clear()
        try:
            self._run = self._target.start(
                image, duration_s=None if self._endless else DURATION_S, realtime=self._endless
            )
        except TargetError:
            return  # the image does not boot
        self._pump = threading.Thread(target=self._carry, args=[self._run], daemon=True)
        self._pump.start()

    def _carry(self, run: Run) -> None:
        link, data = run.link, b""
        while not self._halted.is_set() and (data or not link.at_end):
            data = data or link.read(4096, LOOK_S)
            data = self._line.send(data) if data else data
            words = self._line.receive()
            if words:
                link.write(words)


def main(target: str, kind: str) -> None:
    """Serve commands until the process is killed."""
    line = RawLine() if kind == "raw" else TerminalLine()
    board = Board(target, line)
    listener = socket.create_server(("127.0.0.1", 0))
    places = {"serial": line.serial, "switch": listener.getsockname()[1]}
    print(json.dumps(places), flush=True)  # noqa: T201 - a program
    while True:
        caller, _ = listener.accept()
        with caller, caller.makefile("rw", encoding="utf-8") as lines:
            verb, _, rest = lines.readline().strip().partition(" ")
            act: Callable[..., None] = getattr(board, verb)
            act(*([rest] if rest else []))
            lines.write("done\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

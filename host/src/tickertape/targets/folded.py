"""Sum up an instruction profile while an emulator writes it.

The emulator writes a line for each change of function, `main;drain;encode 17`: 1.2 GB for 5 s of a
target. It writes to a named pipe, and the reader keeps one sum per stack.
"""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable

_END_S = 60.0


def fold(lines: Iterable[bytes]) -> dict[bytes, int]:
    """Return the sum of the counts by stack, from lines `STACK COUNT`; skip incomplete lines."""
    sums: dict[bytes, int] = {}
    for line in lines:
        stack, _, count = line.rstrip().rpartition(b" ")
        if stack and count.isdigit() and line.endswith(b"\n"):
            sums[stack] = sums.get(stack, 0) + int(count)
    return sums


class FoldedProfile:
    """A file of folded stacks, written after the emulator has ended."""

    def __init__(self, path: Path) -> None:
        """Make the pipe for the emulator.

        Args:
            path: path of the file for the sums, which are sorted by stack.
        """
        self._path = path
        self._folder = tempfile.TemporaryDirectory(prefix="tickertape-")
        self.pipe = Path(self._folder.name) / "profile"
        """Where the emulator writes."""
        os.mkfifo(self.pipe)
        self._sums: dict[bytes, int] = {}
        self._thread = threading.Thread(target=self._read, name="profile", daemon=True)

    def start(self) -> None:
        """Start the thread that reads the pipe."""
        self._thread.start()

    def _read(self) -> None:
        pipe: BinaryIO
        with self.pipe.open("rb") as pipe:
            self._sums = fold(pipe)

    def finish(self) -> None:
        """Write the file. Call it after the emulator has ended. May be called twice."""
        if not self.pipe.exists():
            return
        # If the emulator never opened the pipe, end the wait of the reading thread.
        with suppress(OSError):
            os.close(os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK))
        self._thread.join(_END_S)
        lines = (b"%s %d\n" % (stack, count) for stack, count in sorted(self._sums.items()))
        self._path.write_bytes(b"".join(lines))
        self._folder.cleanup()

"""Run tests/firmware/core/memory_link_driver.c: a recorder with a link in a memory file."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Final, Self

from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from pathlib import Path

FILE_BYTES: Final = 65_536
OVERWRITE, DROP = 0, 1
"""Policies."""


class Driver:
    """The driver as a process, and the memory file that it maps.

    Attributes:
        memory: path of the file.
        begin: address at which the driver maps the file, for pointers.
    """

    def __init__(self, program: Path, memory: Path, policy: int = DROP) -> None:
        memory.write_bytes(bytes(FILE_BYTES))
        self.memory = memory
        self._process = subprocess.Popen(
            [program, memory, str(FILE_BYTES), str(policy)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.begin = self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._process.communicate(timeout=HANG_S)
        finally:
            self._process.kill()
        assert self._process.returncode == 0

    def step(self, letter: str, count: int = 0) -> int:
        """Send a one-letter command to the driver; return the number of records offered so far."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{letter} {count}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

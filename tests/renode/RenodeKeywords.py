"""The keywords of renode-test 1.16.1 that our suites use, on a QEMU machine.

A dry run of Robot Framework checks names and arguments against these keywords. A run executes the
commands that the substitute for Renode (fake_renode.py) supports.
"""

from __future__ import annotations

import threading
import time

from tests.renode.fake_renode import Machine

# ruff: noqa: N803, N999, FBT001, FBT002, PLR0913, PLR0917 - Renode's own names and arguments

_POLL_S = 0.02


class RenodeKeywords:
    """One emulation; renode-test makes one for each test."""

    ROBOT_LIBRARY_SCOPE = "TEST"

    def __init__(self) -> None:
        """Start without a machine."""
        self._log: list[str] = []
        self._machine = Machine(self._log.append)

    def execute_command(self, command: str, machine: str | None = None) -> str:
        """Execute a monitor command."""
        del machine
        self._machine.execute(command)
        if command == "Clear":
            self._machine = Machine(self._log.append)
        return ""

    def start_emulation(self) -> None:
        """Start the machine."""
        self._machine.start()

    def create_log_tester(
        self, timeout: float, defaultPauseEmulation: bool = False, maxLogEntries: int = 0
    ) -> None:
        """Clear the log, for `Wait For Log Entry`."""
        del timeout, defaultPauseEmulation, maxLogEntries
        self._log.clear()

    def wait_for_log_entry(
        self,
        pattern: str,
        timeout: float | None = None,
        keep: bool = False,
        treatAsRegex: bool = False,
        pauseEmulation: bool = False,
        level: str | None = None,
        startEmulation: bool = True,
    ) -> None:
        """Wait until a log line contains `pattern`; fail after `timeout` s."""
        del keep, treatAsRegex, pauseEmulation, level, startEmulation
        deadline = time.monotonic() + (timeout or 0)
        while not any(pattern in line for line in self._log):
            assert time.monotonic() < deadline, f"{pattern!r} is not in {self._log}"
            threading.Event().wait(_POLL_S)

"""A firmware that runs as a process of this machine and sends its trace through a socket pair.

The process gets one end as an open descriptor: no port number to agree on, nobody else can
connect, and its end is seen as the end of the link.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from tickertape.errors import TargetError
from tickertape.link.descriptor import DescriptorLink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from tickertape.link.base import Link

# Time to end by itself after the link is closed, and to obey, in seconds.
_END_S = 10.0
_STOP_S = 2.0


def tied_to_us(command: Sequence[str]) -> list[str]:
    """Wrap a command so that the kernel ends it when this program dies, even by SIGKILL."""
    tie = shutil.which("setpriv")
    return [tie, "--pdeathsig", "KILL", "--", *command] if tie else list(command)


class ProcessRun:
    """A running process and the link to it. Meets `targets.base.Run`."""

    def __init__(self, name: str, command: Callable[[int], Sequence[str]], log: Path) -> None:
        """Start a process.

        Args:
            name: for people.
            command: makes the command line from the descriptor that the process shall use.
            log: takes what the process prints; its last line is the reason when it fails.

        Raises:
            TargetError: it cannot be started.
        """
        self._name = name
        self._log = log
        ours, theirs = socket.socketpair()
        with theirs, ours:
            number = theirs.fileno()
            try:
                log.parent.mkdir(parents=True, exist_ok=True)
                with log.open("wb") as output:
                    self._process = subprocess.Popen(
                        tied_to_us(command(number)),
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                        pass_fds=[number],
                        # Ctrl-C is for us: we end the capture in order, then the process.
                        process_group=0,
                    )
            except OSError as error:
                raise TargetError(
                    f"cannot start {name}: {error}", "check that it is installed: make setup"
                ) from error
            self._link = DescriptorLink(ours.detach(), name, live=True)

    @property
    def link(self) -> Link:
        """Where the trace comes from."""
        return self._link

    def finish(self) -> None:
        """Wait until the process has ended by itself.

        Raises:
            TargetError: it failed, or does not end.
        """
        try:
            code = self._process.wait(_END_S)
        except subprocess.TimeoutExpired as error:
            raise TargetError(
                f"{self._name} closed its link but does not end", "stop it and look at its console"
            ) from error
        if code != 0:
            raise TargetError(
                f"{self._name} ended with code {code}: {self._last_words()}",
                f"see what it printed in {self._log}",
            )

    def stop(self) -> None:
        """End the process and close the link. May be called twice."""
        self._link.close()
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "no message")
        return "no message"

    def __enter__(self) -> Self:
        """Run until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop whatever happened."""
        self.stop()

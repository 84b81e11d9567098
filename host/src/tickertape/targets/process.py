"""Run a firmware as a process of this machine that connects to the host by TCP or UDP.

The host listens at a port of the loopback interface, which the system chooses, and the process
connects. The link ends when the process ends.
"""

from __future__ import annotations

import select
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from tickertape.errors import TargetError
from tickertape.link.tcp import TcpLink
from tickertape.link.udp import receive
from tickertape.targets.datagrams import ProcessDatagrams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from tickertape.link.base import Link

# Time limits in seconds: for connecting, for ending after the link has ended, for a termination.
_CONNECT_S = 20.0
_END_S = 10.0
_STOP_S = 2.0
_LOOK_S = 0.1
_FATAL = "fatal:"


def tied_to_us(command: Sequence[str]) -> list[str]:
    """Wrap a command so that the operating system kills it when this program ends in any way."""
    tie = shutil.which("setpriv")
    return [tie, "--pdeathsig", "KILL", "--", *command] if tie else list(command)


class ProcessRun:
    """A running process and the link to it. Implements `targets.base.Run`."""

    def __init__(
        self,
        name: str,
        command: Callable[[int], Sequence[str]],
        log: Path,
        *,
        datagrams: bool = False,
    ) -> None:
        """Start a process.

        Args:
            name: name for messages.
            command: returns the command line for a port of 127.0.0.1, to which the process connects
                (TCP) or sends (UDP).
            log: file for the output of the process; its last line is the reason of a failure.
            datagrams: the process sends its trace over UDP.

        Raises:
            TargetError: the process cannot be started, or does not connect.
        """
        self._name = name
        self._log = log
        self._link: Link = self._receive(command) if datagrams else self._connect(command)

    def _receive(self, command: Callable[[int], Sequence[str]]) -> ProcessDatagrams:
        link = receive("127.0.0.1", 0, self._name)
        try:
            self._process = self._launch(command(link.port))
        except BaseException:
            link.close()
            raise
        return ProcessDatagrams(link, lambda: self._process.poll() is not None, self._name)

    def _connect(self, command: Callable[[int], Sequence[str]]) -> TcpLink:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
            self._process = self._launch(command(port))
            try:
                return TcpLink(self._accept(listener), self._name)
            except BaseException:
                self._end()
                raise

    def _launch(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("wb") as output:
                return subprocess.Popen(
                    tied_to_us(command),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    # Keep Ctrl-C from the process: the host ends the capture, then the process.
                    process_group=0,
                )
        except OSError as error:
            raise TargetError(
                f"cannot start {self._name}: {error}", "check that it is installed: make setup"
            ) from error

    def _accept(self, listener: socket.socket) -> socket.socket:
        deadline = time.monotonic() + _CONNECT_S
        while not select.select([listener], [], [], _LOOK_S)[0]:
            if self._process.poll() is not None:
                raise self._failure(self._process.returncode)
            if time.monotonic() > deadline:
                raise TargetError(
                    f"{self._name} did not connect within {_CONNECT_S:g} s",
                    f"see what it printed in {self._log}",
                )
        return listener.accept()[0]

    @property
    def link(self) -> Link:
        """Link that carries the trace."""
        return self._link

    def finish(self) -> None:
        """Close the link and wait until the process has ended by itself.

        Raises:
            TargetError: the process failed, or does not end within 10 s.
        """
        # The process waits until we close the link, so that none of its bytes is lost.
        self._link.close()
        try:
            code = self._process.wait(_END_S)
        except subprocess.TimeoutExpired as error:
            raise TargetError(
                f"{self._name} closed its link but still runs",
                f"see what it printed in {self._log}",
            ) from error
        if code != 0:
            raise self._failure(code)

    def stop(self) -> None:
        """End the process and close the link. May be called twice."""
        self._link.close()
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _failure(self, code: int) -> TargetError:
        return TargetError(
            f"{self._name} ended with code {code}: {self._last_words()}",
            f"see what it printed in {self._log}",
        )

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
            said = [line.strip() for line in lines if line.strip()]
            # QEMU prints its registers after the reason.
            fatal = (line for line in said if _FATAL in line)
            return next(fatal, said[-1] if said else "no message")
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
        """Stop the process, also after an error."""
        self.stop()

"""Run the reference firmware in Renode: three MPS2 boards and the STM32F4 Discovery.

Renode runs without a window. It reads commands of its monitor from standard input, and writes its
log, which includes the board's console, to standard output. It serves the trace at a TCP port of
this machine. The host connects before the target starts, because Renode discards bytes sent
without a connection.

A firmware that ends halts its processor and reports its exit code in the log, but Renode keeps
running. So the link makes Renode close the connection once the log has that line and all bytes
were read.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from tickertape.errors import LinkMissing, TargetError
from tickertape.link.tcp import TcpLink, connect
from tickertape.targets.base import STREAM
from tickertape.targets.firmware import ARM_COMPILER, build_image, project_root
from tickertape.targets.folded import FoldedProfile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from tickertape.targets.base import Image

EMULATOR: Final = "renode"
INSTALL: Final = "install Renode 1.16 and put its folder on the PATH; see renode/README.md"
PLATFORMS: Final[Mapping[str, str]] = {
    "mps2-an385": "",
    "mps2-an386": "",
    "mps2-an521": "TT_CONFIG_CPUS=1 KERNEL_CPUS=1",
    "stm32f4": "",
}
"""DEFINES of the firmware by platform. renode/platforms has a file per platform.

AN521 uses one CPU: Renode has no model of the hardware that starts the second one.
"""
_MS_PER_S = 1000
# Times in seconds. Connect: Renode compiles our models and loads the image. Quiet: after the end of
# the firmware, no byte arrives for this time before the link is closed. End: Renode ends after
# `quit`. Look, poll: time between two checks.
_CONNECT_S = 60.0
_QUIET_S = 0.5
_END_S = 10.0
_LOOK_S = 0.1
_POLL_S = 0.02
_EXIT = re.compile(rb"Program exited with reason \S+ and return code (\d+)")
_COMPLAINT: Final = b"There was an error executing command"

# The command `renode` may be a script whose child is the program. This shell leads their process
# group and kills the group on SIGTERM: from us, or from the operating system after our end. (A
# shell gives a background program no standard input, unless by another descriptor.)
_GROUP: Final = 'trap "kill -KILL 0" TERM; exec 3<&0; "$@" <&3 3<&- & wait $!; exit $?'


class RenodeTarget:
    """A platform of Renode. Implements `targets.base.Target`."""

    def __init__(self, platform: str = "mps2-an385", *, profile: Path | None = None) -> None:
        """Use a platform.

        Args:
            platform: name of a platform in `PLATFORMS`.
            profile: path of a file for the instruction profile, as folded stacks; None: no profile.
        """
        self.platform = platform
        self._profile = profile

    @property
    def name(self) -> str:
        """Name for messages."""
        return f"Renode {self.platform}"

    def build(self, example: str) -> Image:
        """Build an example; see `Target`."""
        return build_image(example, self.platform, ARM_COMPILER, defines=PLATFORMS[self.platform])

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = False,
    ) -> RenodeRun:
        """Start an image; see `Target`. Only a UART carries a trace here."""
        if image.link != STREAM:
            raise TargetError(
                "Renode has no model of the board's Ethernet controller",
                "use --link stream, or --target qemu",
            )
        emulator = shutil.which(EMULATOR)
        if emulator is None:
            raise TargetError(f"{EMULATOR} is not installed", INSTALL)
        words = ["idle_wfi=1"]
        if duration_s is not None:
            words.append(f"duration_ms={round(duration_s * _MS_PER_S)}")
        words += [f"{name}={value}" for name, value in (options or {}).items()]
        folder, family = project_root() / "renode", self.platform.split("-")[0]
        port = _free_port()
        script = [
            f"$platform={at(folder / 'platforms' / f'{self.platform}.repl')}",
            f"$image={at(image.path)}",
            f"$port={port}",
            f'$options="{" ".join(words)}"',
            f"include {at(folder / 'scripts' / f'{family}.resc')}",
        ]
        if not realtime:
            script.append("emulation SetGlobalAdvanceImmediately true")
        profile = None if self._profile is None else FoldedProfile(self._profile)
        if profile is not None:
            script.append(f"cpu EnableProfilerCollapsedStack {at(profile.pipe)} true")
        return RenodeRun(
            f"{EMULATOR} {self.platform}",
            [emulator, "--disable-gui", "--console", "--plain"],
            script,
            port,
            image.log,
            profile,
        )


def at(path: Path) -> str:
    """Return a path in the syntax of Renode's monitor.

    Raises:
        TargetError: the path contains a character that the monitor cannot read.
    """
    text = str(path.resolve())
    if any(c in text for c in ";\t\n\"'"):
        raise TargetError(f"Renode cannot read the path {text}", "move it to another folder")
    return "@" + text.replace(" ", "\\ ")


def _free_port() -> int:
    """Return a TCP port that is free at present; Renode itself cannot choose one."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class _Monitor:
    """Renode as a process: commands in, log out."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self._name = name
        self.log = log
        self.exit_code: int | None = None  # exit code of the firmware; None while it runs
        self.complaint = ""
        tie = shutil.which("setpriv")
        group = ["/bin/sh", "-c", _GROUP, "sh", *command]
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            self._process = subprocess.Popen(
                [tie, "--pdeathsig", "TERM", "--", *group] if tie else group,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # Keep Ctrl-C from Renode: the host ends the capture, then Renode.
                process_group=0,
            )
        except OSError as error:
            raise TargetError(f"cannot start {name}: {error}", INSTALL) from error
        self._reader = threading.Thread(target=self._read_log, name="renode-log", daemon=True)
        self._reader.start()

    def _read_log(self) -> None:
        """Store the log, and find the exit code of the firmware and the first error in it."""
        output = self._process.stdout
        with self.log.open("wb", buffering=0) as file:
            for line in output or ():
                file.write(line)
                if (found := _EXIT.search(line)) is not None:
                    self.exit_code = int(found[1])
                elif _COMPLAINT in line and not self.complaint:
                    self.complaint = line.decode(errors="replace").strip()

    def send(self, *commands: str) -> None:
        """Send commands to the monitor, which executes them one after the other."""
        with suppress(OSError):  # Renode has ended; `ended` reports it
            if self._process.stdin is not None:
                self._process.stdin.write("".join(f"{c}\n" for c in commands).encode())
                self._process.stdin.flush()

    @property
    def ended(self) -> bool:
        """True once Renode itself has ended."""
        # Not poll(), which would reap the process: until end() has killed the group, the process
        # number must not be reused.
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return (
            self._process.returncode is not None
            or os.waitid(os.P_PID, self._process.pid, look) is not None
        )

    def failure(self, what: str) -> TargetError:
        """Return the error for Renode, with its first error message if it printed one."""
        reason = f": {self.complaint}" if self.complaint else ""
        return TargetError(f"{self._name} {what}{reason}", f"see what it printed in {self.log}")

    def end(self) -> None:
        """End Renode by `quit`, then kill the rest of its process group. May be called twice."""
        if self._process.returncode is not None:
            return
        self.send("quit")
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        deadline = time.monotonic() + _END_S
        while not self.ended and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


class RenodeLink(TcpLink):
    """Link to a machine in Renode; ends after the firmware has ended and all bytes were read."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        """Take ownership of a connected socket; `name` is for messages."""
        super().__init__(connection, name)
        self.monitor: _Monitor | None = None
        self._last_byte_s = time.monotonic()
        self._asked = False

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        deadline = time.monotonic() + timeout_s
        while True:
            left = deadline - time.monotonic()
            data = super().read(max_bytes, max(0.0, min(left, _LOOK_S)))
            if data:
                self._last_byte_s = time.monotonic()
            elif not self.at_end:
                self._ask_for_the_end()
            if data or self.at_end or left <= 0:
                return data

    def _ask_for_the_end(self) -> None:
        """Make Renode close the connection once the firmware has ended and the link is quiet."""
        monitor = self.monitor
        quiet = time.monotonic() - self._last_byte_s > _QUIET_S
        if monitor is not None and monitor.exit_code is not None and quiet and not self._asked:
            self._asked = True
            monitor.send("Clear")


class RenodeRun:
    """A firmware that runs in Renode. Implements `targets.base.Run`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        script: Sequence[str],
        port: int,
        log: Path,
        profile: FoldedProfile | None,
    ) -> None:
        """Start Renode, connect to the trace, then start the machine.

        Args:
            name: name for messages.
            command: command line of Renode.
            script: monitor commands that make the machine, with its trace at `port`.
            port: TCP port of 127.0.0.1.
            log: file for the output of Renode.
            profile: reader of the instruction profile; None: no profile.

        Raises:
            TargetError: Renode cannot be started, or cannot make the machine.
        """
        self._profile = profile
        if profile is not None:
            profile.start()
        self._monitor = _Monitor(name, command, log)
        try:
            self._monitor.send(*script)
            self._link = self._connect(port, name)
            self._link.monitor = self._monitor
            self._monitor.send("start")
        except BaseException:
            self._end()
            raise

    def _connect(self, port: int, name: str) -> RenodeLink:
        deadline = time.monotonic() + _CONNECT_S
        while True:
            if self._monitor.ended:
                raise self._monitor.failure("ended before the target started")
            if self._monitor.complaint:
                raise self._monitor.failure("cannot make the machine")
            with suppress(LinkMissing):
                return connect("127.0.0.1", port, name, _LOOK_S, RenodeLink)
            if time.monotonic() > deadline:
                raise self._monitor.failure(f"opened no port for the trace in {_CONNECT_S:g} s")

    @property
    def link(self) -> RenodeLink:
        """Link that carries the trace."""
        return self._link

    def finish(self) -> None:
        """End Renode, and raise TargetError unless the firmware ended with code 0; see `Run`."""
        self._link.close()
        code, complaint = self._monitor.exit_code, self._monitor.complaint
        self._end()
        if code is None:
            raise self._monitor.failure("closed the trace before the firmware ended")
        if complaint:
            raise self._monitor.failure("did not execute a command")
        if code != 0:
            raise self._monitor.failure(f"ran a firmware that ended with code {code}")

    def stop(self) -> None:
        """End Renode and close the link. May be called twice."""
        self._link.close()
        self._end()

    def _end(self) -> None:
        self._monitor.end()
        if self._profile is not None:
            self._profile.finish()

    def __enter__(self) -> Self:
        """Run until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop Renode, also after an error."""
        self.stop()

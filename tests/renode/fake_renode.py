"""A substitute for Renode: the monitor's commands that our scripts use, with QEMU as the machine.

It behaves at its edges as Renode 1.16.1 does: commands on standard input, an error line for one
that it does not know, a TCP terminal that drops what no client reads, one log line when the
firmware exits, and no end of its own then. Run as a program named `renode`. What a test wants to
go wrong is in FAKE_RENODE: `crash` ends it after the machine has started, `deaf` ignores quit.
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.targets.qemu import MACHINES

if TYPE_CHECKING:
    from collections.abc import Callable

MODE = os.environ.get("FAKE_RENODE", "")
PLATFORMS = ("mps2-an385", "mps2-an386", "mps2-an521", "stm32f4")
UARTS = {"uart0": 0, "usart2": 1}  # of QEMU's options -serial


def print_log(line: str) -> None:
    """Print a line of the log."""
    sys.stdout.write(f"12:00:00.0000 [INFO] {line}\n")
    sys.stdout.flush()


class Machine:
    """What the commands have made so far."""

    def __init__(self, log: Callable[[str], None] = print_log) -> None:
        """Begin with nothing; `log` gets the lines of the log."""
        self._log = log
        self._console = "null"
        self._uart = 0
        self.variables: dict[str, str] = {}
        self.folders: list[Path] = []
        self.platform = self.image = self.arguments = ""
        self.client: socket.socket | None = None
        self.listener: socket.socket | None = None
        self.program: subprocess.Popen[bytes] | None = None

    def execute(self, line: str) -> None:  # noqa: C901, PLR0912 - one case a command
        """Execute one command.

        Raises:
            ValueError: it is none, or cannot be executed.
        """
        line = line.strip()
        if line.startswith("$"):
            name, value = line.split("=", 1)
            if not name.endswith("?"):
                self.variables[name] = value
            else:
                self.variables.setdefault(name[:-1], value)
            return
        words = [self._value(word) for word in shlex.split(line)]
        match words:
            case ["include", path] if path.endswith(".cs"):
                Path(path).read_text(encoding="utf-8")
            case ["include", path]:
                self._include(Path(path))
            case ["mach", "create", _] | ["cpu", "PerformanceInMips", "1000"]:
                pass
            case ["machine", "LoadPlatformDescription", path]:
                self.platform = Path(path).stem
                if not Path(path).is_file() or self.platform not in PLATFORMS:
                    raise ValueError(path)
            case ["cpu.semihosting", "ProgramArguments", text]:
                self.arguments = text
            case ["emulation", "CreateServerSocketTerminal", port, "trace", "false"]:
                self.listener = socket.create_server(("127.0.0.1", int(port)))
                threading.Thread(target=self._accept, daemon=True).start()
            case ["connector", "Connect", uart, "trace"]:
                self._uart = UARTS[uart.removeprefix("sysbus.")]
            case ["showAnalyzer", "sysbus.uart1"] | ["runMacro", _]:
                pass
            case ["sysbus", "LoadELF", path]:
                self.image = path
                Path(path).read_bytes()
            case ["emulation", "SetGlobalAdvanceImmediately", "true"]:
                pass
            case ["cpu", "EnableProfilerCollapsedStack", path, "true"]:
                with Path(path).open("w", encoding="ascii") as file:
                    file.write("main;drain 7\nmain 1\nmain;drain 35\nmain;cut")
            case ["sysbus.uart1", "CreateFileBackend", path, "true"]:
                self._console = f"file:{path}"
            case ["start"]:
                self.start()
            case ["Clear"]:
                self.close()
            case ["quit"]:
                if MODE != "deaf":
                    self.close()
                    sys.exit(0)
            case _:
                raise ValueError(line)

    def _value(self, word: str) -> str:
        for name, value in self.variables.items():
            word = word.replace(name, shlex.split(value)[0] if value else "")
        if self.folders:
            word = word.replace("$ORIGIN", str(self.folders[-1]))
        return word.removeprefix("@")

    def _include(self, path: Path) -> None:
        self.folders.append(path.parent)
        lines = path.read_text(encoding="utf-8").splitlines()
        begin = lines.index("macro reset")
        end = lines.index('"""', begin + 2)
        body = lines[begin + 2 : end]
        for line in [*lines[:begin], *body, *lines[end + 1 :]]:
            if line and not line.startswith("#"):
                # Variables that a script defaults are relative to it.
                self.execute(line.replace("$ORIGIN", str(path.parent)))
        self.folders.pop()

    def _accept(self) -> None:
        if self.listener is not None:
            self.client, _ = self.listener.accept()

    def start(self) -> None:
        """Let time pass."""
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        # QEMU loses timer interrupts while the processor waits.
        arguments = [word for word in self.arguments.split() if word != "idle_wfi=1"]
        words = "".join(f",arg={word}" for word in ("x", *arguments))
        with socket.create_server(("127.0.0.1", 0)) as server:
            uart = f"tcp:127.0.0.1:{server.getsockname()[1]}"
            serial = ["null", uart] if self._uart else [uart, self._console]
            self.program = subprocess.Popen(
                [
                    *("qemu-system-arm", "-M", MACHINES[self.platform].name, "-kernel", self.image),
                    *("-display", "none", "-monitor", "none", "-icount", "shift=0,sleep=off"),
                    *("-semihosting-config", f"enable=on,target=native{words}"),
                    *("-serial", serial[0], "-serial", serial[1]),
                ],
                stdin=subprocess.DEVNULL,
            )
            connection, _ = server.accept()
        if MODE == "crash":
            time.sleep(0.2)
            os._exit(3)
        threading.Thread(target=self._commands, args=[connection], daemon=True).start()
        while data := connection.recv(65536):
            if self.client is not None:
                self.client.sendall(data)
        connection.close()
        code = self.program.wait()
        self._log(
            "cpu.semihosting: Program exited with reason ADP_Stopped_ApplicationExit(0x20026) "
            f"and return code {code}"
        )

    def _commands(self, connection: socket.socket) -> None:
        while self.client is not None and (data := self.client.recv(4096)):
            connection.sendall(data)

    def close(self) -> None:
        """End the machine and close its sockets."""
        if self.listener is not None:
            self.listener.close()
        if self.client is not None:
            with suppress(OSError):  # the client has gone
                self.client.shutdown(socket.SHUT_RDWR)
            self.client = None
        if self.program is not None:
            self.program.kill()


def main() -> None:
    """Execute the commands of standard input; wait without end when it ends, as a machine would."""
    assert sys.argv[1:] == ["--disable-gui", "--console", "--plain"]
    machine = Machine()
    for line in sys.stdin:
        try:
            machine.execute(line)
        except (ValueError, OSError) as error:
            print_log(f"There was an error executing command '{line.strip()}': {error}")
    while True:
        time.sleep(1)


if __name__ == "__main__":
    main()

"""A substitute for Renode: the monitor commands that our scripts use, on a QEMU machine.

Its interface is that of Renode 1.16.1: it reads commands from standard input, prints an error line
for an unknown command, has a TCP terminal that drops data without a client, prints a log line when
the firmware exits, and continues to run then. Run it as a program named `renode`. The environment
variable FAKE_RENODE selects a fault: `crash` exits after the machine has started, `deaf` ignores
quit.
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
UARTS = {"uart0": 0, "usart2": 1}  # index among QEMU's -serial options


def print_log(line: str) -> None:
    """Print a log line."""
    sys.stdout.write(f"12:00:00.0000 [INFO] {line}\n")
    sys.stdout.flush()


class Machine:
    """State of the emulation that the commands set up."""

    def __init__(self, log: Callable[[str], None] = print_log) -> None:
        """Start without a platform; `log` receives the log lines."""
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
            ValueError: the command is unknown or cannot be executed.
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
                # Default values of variables contain the folder of their script.
                self.execute(line.replace("$ORIGIN", str(path.parent)))
        self.folders.pop()

    def _accept(self) -> None:
        if self.listener is not None:
            self.client, _ = self.listener.accept()

    def start(self) -> None:
        """Start QEMU in a thread."""
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        # Without idle_wfi: QEMU loses timer interrupts while the processor waits.
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
            with suppress(OSError):  # the client has disconnected
                self.client.shutdown(socket.SHUT_RDWR)
            self.client = None
        if self.program is not None:
            self.program.kill()


def main() -> None:
    """Execute the commands of standard input; at its end, run on like Renode."""
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

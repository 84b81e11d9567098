"""A labgrid on this machine: coordinator, two exporters and two boards, each its own process.

Board `one` is the native target with a TCP serial server. Board `two` is an emulated Cortex-M3 at a
pseudo terminal, which its exporter shares by Debian's ser2net.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.patience import HANG_S
from tickertape.targets import find_target
from tools import lab as environment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BIN = environment.FOLDER / "bin"
BOARDS = {"one": ("native", "raw"), "two": ("qemu:mps2-an385", "pty")}
SPEC = """
requirements:
- no_losses: true
- response: control
  max: 1 ns
"""
LAB = """
imports: [tickertape.lab, {switch}]
options: {{coordinator_address: "{coordinator}"}}
images: {{one: {images[one]}, two: {images[two]}}}
targets:
"""
BOARD = """
  {name}:
    resources: {{RemotePlace: {{name: {name}}}}}
    drivers:
      BoardSwitch: {{port: {switch}}}
      TickertapeDriver: {{folder: tapes}}
      TickertapeStrategy:
        {{image: {name}, spec: spec.yaml, duration_s: {hang}, until_final: true}}
"""


@contextmanager
def process(*words: object, folder: Path, log: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program; kill it and its children at the end of the context."""
    with (folder / f"{log}.log").open("w") as errors:
        started = subprocess.Popen(
            [str(word) for word in words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        yield started
    finally:
        with suppress(ProcessLookupError):  # all of them have ended
            os.killpg(started.pid, signal.SIGKILL)
        started.communicate()


@dataclass
class Lab:
    """A running lab.

    Attributes:
        folder: folder of configuration, tapes and logs.
        images: ELF files by board name.
        exporters: processes of the exporters by board name.
        coordinator: address of the coordinator.
        switches: TCP ports of the power switches by board name.
    """

    folder: Path
    images: dict[str, Path]
    exporters: dict[str, subprocess.Popen[str]]
    coordinator: str
    switches: dict[str, int]

    def tell(self, board: str, command: str) -> None:
        """Send a command to the switch of a board (tests/lab/board.py)."""
        with socket.create_connection(("127.0.0.1", self.switches[board])) as switch:
            switch.sendall(f"{command}\n".encode())
            assert switch.makefile().readline() == "done\n"

    def client(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run labgrid-client."""
        return subprocess.run(
            [BIN / "labgrid-client", "-x", self.coordinator, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )

    def session(self, name: str, *arguments: object, where: str = "lab.yaml") -> dict[str, Any]:
        """Run a session to its end and return its facts; facts of a board are by board name."""
        with self.running(name, where, *arguments) as started:
            return self.facts(started, name)

    @contextmanager
    def running(self, name: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
        """Start a session; its log is `name`.log."""
        words = (environment.python_of(), "-m", "tests.lab.session", name, *arguments)
        with process(*words, folder=self.folder, log=name) as started:
            yield started

    def facts(self, started: subprocess.Popen[str], name: str) -> dict[str, Any]:
        """Wait for the end of a session and return its facts."""
        out, _ = started.communicate(timeout=HANG_S)
        assert started.returncode == 0, (self.folder / f"{name}.log").read_text()
        facts: dict[str, Any] = {}
        for line in out.splitlines():
            one = json.loads(line)
            facts.update({one["board"]: one} if "board" in one else one)
        return facts


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@dataclass
class Coordinator:
    """labgrid's coordinator: its address and its process id."""

    address: str
    pid: int


@contextmanager
def coordinator(folder: Path) -> Iterator[Coordinator]:
    """Run labgrid's coordinator at a free port."""
    deadline = time.monotonic() + HANG_S
    while True:
        address = f"127.0.0.1:{free_port()}"
        words = (BIN / "labgrid-coordinator", "-l", address)
        with process(*words, folder=folder, log="coordinator") as started:
            while started.poll() is None:
                try:
                    socket.create_connection(address.rsplit(":", 1)).close()  # type: ignore[arg-type]
                except ConnectionRefusedError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
                    continue
                yield Coordinator(address, started.pid)
                return
        assert time.monotonic() < deadline, (folder / "coordinator.log").read_text()


@contextmanager
def laboratory(folder: Path) -> Iterator[Lab]:
    """Run a lab with its files in a folder; this user acquires its places."""
    images = {
        name: find_target(target).build("first_tape").path for name, (target, _) in BOARDS.items()
    }
    switches, exporters = {}, {}
    with ExitStack() as stack:
        address = stack.enter_context(coordinator(folder)).address
        for name, (target, kind) in BOARDS.items():
            words = (environment.python_of(), "-m", "tests.lab.board", target, kind)
            board = stack.enter_context(process(*words, folder=folder, log=f"board-{name}"))
            assert board.stdout is not None
            places = json.loads(board.stdout.readline())
            switches[name] = places["switch"]
            resource: dict[str, object] = {"RawSerialPort": {"port": places["serial"]}}
            if kind == "raw":
                way = {"host": "127.0.0.1", "port": places["serial"], "protocol": "raw"}
                resource = {"NetworkSerialPort": way}
            (folder / f"{name}.yaml").write_text(json.dumps({f"board-{name}": resource}))
            words = (BIN / "labgrid-exporter", "-c", address, "-n", f"host-{name}")
            more = ("--hostname", "127.0.0.1", f"{name}.yaml")
            exporters[name] = stack.enter_context(
                process(*words, *more, folder=folder, log=f"exporter-{name}")
            )
        (folder / "spec.yaml").write_text(SPEC)
        switch = ROOT / "tests/lab/switch.py"
        text = LAB.format(switch=switch, coordinator=address, images=images)
        for name, port in switches.items():
            text += BOARD.format(name=name, switch=port, hang=HANG_S)
        (folder / "lab.yaml").write_text(text)
        made = Lab(folder, images, exporters, address, switches)
        made.session("places", where=address)
        yield made

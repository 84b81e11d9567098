"""Start firmware in QEMU for a GDB client that reads its memory."""

from __future__ import annotations

import socket
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tests.support.workbench import qemu_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOARD: Final = "mps2-an385"


def address_of(firmware: Path, name: str) -> int:
    """Return the address of a symbol."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", firmware], check=True, capture_output=True, text=True
    ).stdout
    return next(int(line[:8], 16) for line in listing.splitlines() if line.endswith(f" {name}"))


@contextmanager
def emulator(firmware: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start the firmware, halted until a GDB client resumes it; yield process and server port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = f"socket,id=gdb,fd={listener.fileno()},server=on,wait=off"
        process = subprocess.Popen(
            [
                *qemu_command(BOARD, firmware, "null", "duration_ms=300"),
                *("-S", "-chardev", server, "-gdb", "chardev:gdb"),
            ],
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
        )
    try:
        yield process, port
    finally:
        process.kill()
        process.wait()

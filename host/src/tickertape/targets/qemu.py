"""The reference firmware in QEMU: mps2-an386 (M4F), mps2-an385 (M3), mps2-an521 (two M33).

QEMU's clock counts instructions (`-icount shift=0,sleep=off`: 1 ns an instruction, idle time is
skipped), so that two runs of one image are the same to the byte and a second of the target
takes only the time that its work takes. In real time its clock is that of this machine, and the
board, which never waits (docs/adr/0012), keeps one core busy.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tickertape.errors import TargetError
from tickertape.targets.base import UDP
from tickertape.targets.firmware import ARM_COMPILER, build_image
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.targets.base import Image

EMULATOR = "qemu-system-arm"
_CONTROLLER = "lan9118"
_MS_PER_S = 1000


class QemuTarget:
    """One machine of QEMU. Meets `targets.base.Target`."""

    def __init__(self, machine: str = "mps2-an386") -> None:
        """Take `machine`, which is the name of the board as well."""
        self.machine = machine

    @property
    def name(self) -> str:
        """For people."""
        return f"QEMU {self.machine}"

    def build(self, example: str) -> Image:
        """Build an example; see `Target`."""
        return build_image(example, self.machine, ARM_COMPILER)

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = False,
    ) -> ProcessRun:
        """Start an image; see `Target`.

        The first UART is the link, or the Ethernet controller in QEMU's user networking, where this
        machine is 10.0.2.2; the second UART is the console. Duration, options and the port that
        takes datagrams go to the firmware as semihosting arguments; semihosting also brings its
        exit code.
        """
        emulator = shutil.which(EMULATOR)
        if emulator is None:
            raise TargetError(
                f"{EMULATOR} is not installed", "type: sudo apt-get install qemu-system-arm"
            )
        arguments = [image.example]
        if duration_s is not None:
            arguments.append(f"duration_ms={round(duration_s * _MS_PER_S)}")
        arguments += [f"{name}={value}" for name, value in (options or {}).items()]

        def command(port: int) -> list[str]:
            words, carrier = arguments, ["-serial", f"tcp:127.0.0.1:{port}"]
            if image.link == UDP:
                words = [*arguments, f"udp_port={port}"]
                carrier = ["-nic", f"user,model={_CONTROLLER}", "-serial", "null"]
            return [
                *(emulator, "-M", self.machine, "-kernel", str(image.path)),
                *("-display", "none", "-monitor", "none"),
                *(() if realtime else ("-icount", "shift=0,sleep=off")),
                *("-semihosting-config", ",".join(["enable=on,target=native", *_args(words)])),
                *(*carrier, "-serial", "stdio"),
            ]

        return ProcessRun(
            f"{EMULATOR} {self.machine}",
            command,
            image.path.with_suffix(".console.txt"),
            datagrams=image.link == UDP,
        )


def _args(arguments: list[str]) -> list[str]:
    return [f"arg={argument}" for argument in arguments]

"""The reference firmware in QEMU: a machine for each board of `MACHINES`.

QEMU's clock counts instructions (`-icount shift=0,sleep=off`: 1 ns an instruction, idle time is
skipped), so that two runs of one image are identical byte for byte, and a second of the target
takes only the time that its work takes. In real time its clock is that of this machine, and the
board, which never waits (docs/adr/0012), keeps one core busy.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.errors import TargetError
from tickertape.targets.base import UDP
from tickertape.targets.firmware import ARM_COMPILER, build_image
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.targets.base import Image

EMULATOR = "qemu-system-arm"
_CONTROLLER = "lan9118"
_MS_PER_S = 1000


@dataclass(frozen=True)
class Machine:
    """How QEMU runs the image of a board.

    Attributes:
        name: QEMU's name of the machine.
        core: its processor, for people.
        link_uart: index of the UART that carries the trace.
        console_uart: index of the UART with text for people; None where semihosting has it.
        has_network: it has the Ethernet controller that carries a trace over UDP.
    """

    name: str
    core: str
    link_uart: int = 0
    console_uart: int | None = 1
    has_network: bool = True

    def wiring(self, carrier: str, arguments: Sequence[str]) -> list[str]:
        """Return the options for its UARTs, its console and the firmware's arguments.

        Args:
            carrier: device at the UART that carries the trace, as `-serial` takes it.
            arguments: the name of the program, then its options.
        """
        words = []
        semihosting = ["enable=on", "target=native", *(f"arg={word}" for word in arguments)]
        if self.console_uart is None:
            words += ["-chardev", "stdio,id=console"]
            semihosting.append("chardev=console")
        for uart in range(max(self.link_uart, self.console_uart or 0) + 1):
            device = {self.link_uart: carrier, self.console_uart: "stdio"}.get(uart, "null")
            words += ["-serial", device]
        return [*words, "-semihosting-config", ",".join(semihosting)]


MACHINES: Final[Mapping[str, Machine]] = MappingProxyType(
    {
        "mps2-an386": Machine("mps2-an386", "Cortex-M4F"),
        "mps2-an385": Machine("mps2-an385", "Cortex-M3"),
        "mps2-an500": Machine("mps2-an500", "Cortex-M7"),
        "mps2-an505": Machine("mps2-an505", "Cortex-M33"),
        "mps2-an521": Machine("mps2-an521", "two Cortex-M33"),
        "mps3-an547": Machine("mps3-an547", "Cortex-M55"),
        "stm32f4": Machine(
            "netduinoplus2",
            "Cortex-M4F of an STM32F405",
            link_uart=1,
            console_uart=None,
            has_network=False,
        ),
        "microbit": Machine("microbit", "Cortex-M0", console_uart=None, has_network=False),
    }
)
"""The machines, by the names of the boards."""


class QemuTarget:
    """One machine of QEMU. Meets `targets.base.Target`."""

    def __init__(self, board: str = "mps2-an386") -> None:
        """Take the machine for `board`, of `MACHINES`."""
        self.board = board
        self.machine = MACHINES[board]

    @property
    def name(self) -> str:
        """For people."""
        return f"QEMU {self.board}"

    def build(self, example: str) -> Image:
        """Build an example; see `Target`."""
        return build_image(example, self.board, ARM_COMPILER)

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = False,
    ) -> ProcessRun:
        """Start an image; see `Target`.

        A UART is the link, or the Ethernet controller in QEMU's user networking, where this machine
        is 10.0.2.2; the console is another UART, or semihosting. Duration, options and the port
        that takes datagrams go to the firmware as semihosting arguments; semihosting also brings
        its exit code.
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
            words, network, device = arguments, [], f"tcp:127.0.0.1:{port}"
            if image.link == UDP:
                words, device = [*arguments, f"udp_port={port}"], "null"
                network = ["-nic", f"user,model={_CONTROLLER}"]
            return [
                *(emulator, "-M", self.machine.name, "-kernel", str(image.path)),
                *("-display", "none", "-monitor", "none"),
                *(() if realtime else ("-icount", "shift=0,sleep=off")),
                *network,
                *self.machine.wiring(device, words),
            ]

        if image.link == UDP and not self.machine.has_network:
            raise TargetError(
                f"{self.board} has no network: its trace goes over a UART",
                f"run an example with a stream, not {image.example}",
            )
        return ProcessRun(
            f"{EMULATOR} {self.board}",
            command,
            image.log,
            datagrams=image.link == UDP,
        )

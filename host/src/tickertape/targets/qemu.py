"""Run the reference firmware in QEMU: one machine for each board of `MACHINES`.

QEMU's clock counts instructions (`-icount shift=0,sleep=off`: 1 ns per instruction, idle time is
skipped). So two runs of one image are identical byte for byte, and a second of the target costs
only the time of its work. In real time QEMU uses the host's clock, and the board, which never waits
(docs/adr/0012), keeps one core busy.
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
    """QEMU's machine for a board.

    Attributes:
        name: QEMU's name of the machine.
        core: name of its processor, for messages.
        link_uart: index of the UART that carries the trace.
        console_uart: index of the UART of the console; None: the console is semihosting.
        has_network: it has an Ethernet controller, so its trace can use UDP.
    """

    name: str
    core: str
    link_uart: int = 0
    console_uart: int | None = 1
    has_network: bool = True

    def wiring(self, carrier: str, arguments: Sequence[str]) -> list[str]:
        """Return the options for UARTs, console and the firmware's arguments.

        Args:
            carrier: value of `-serial` for the UART that carries the trace.
            arguments: name of the program, then its options.
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
"""Machines by the names of the boards."""


class QemuTarget:
    """A machine of QEMU. Implements `targets.base.Target`."""

    def __init__(self, board: str = "mps2-an386") -> None:
        """Use the machine of `MACHINES` for `board`."""
        self.board = board
        self.machine = MACHINES[board]

    @property
    def name(self) -> str:
        """Name for messages."""
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

        The link is a UART, or the Ethernet controller in QEMU's user networking, where the host has
        the address 10.0.2.2. The console is another UART, or semihosting. Duration, options and the
        UDP port are semihosting arguments of the firmware; semihosting also returns its exit code.
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

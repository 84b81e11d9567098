"""Run a Zephyr build for a QEMU board as its build target `run` does.

The command line is that of Zephyr's build, plus the UART of the trace, which `west build -t run`
leaves unconnected. The image is not built here: `west build` makes it.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

from tickertape.errors import TargetError
from tickertape.targets.base import Image
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.symbols.zephyr_build import ZephyrBuild

# Build target of Zephyr that starts QEMU.
_RUN = "run_qemu"
_NINJA_S = 60
_BY_HAND = "start it with: west build -t run"


class ZephyrTarget:
    """A Zephyr build. Implements `targets.base.Target`."""

    def __init__(self, build: ZephyrBuild) -> None:
        """Use a build for an emulated board that sends its trace by a UART.

        Raises:
            TargetError: the build is for a real board, or its trace does not use a UART.
        """
        if not build.is_emulated:
            raise TargetError(
                "the build of Zephyr here is for a board, not for QEMU",
                "flash it, then: tickertape capture",
            )
        if build.link is not None or build.uart is None:
            name = build.file or "another link than a UART"
            raise TargetError(
                f"the build of Zephyr here sends its trace to {name}", f"{_BY_HAND}, then capture"
            )
        self._zephyr = build

    @property
    def name(self) -> str:
        """Name for messages."""
        return f"QEMU {self._zephyr.options.get('CONFIG_BOARD', 'of Zephyr')}"

    def build(self, example: str) -> Image:
        """Return the existing image; `example` is its name for messages."""
        return Image(example, self.name, self._zephyr.elf.resolve())

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = False,
    ) -> ProcessRun:
        """Start the image; see `Target`.

        Raises:
            TargetError: duration or options are given, which Zephyr images do not support; the
                image is not of this build; or the build has no command for QEMU.
        """
        if image.path != self._zephyr.elf.resolve():
            raise TargetError(f"{image.path} is not the image of this build", "leave --image out")
        if duration_s is not None or options:
            raise TargetError(
                "an image of Zephyr takes no options at its start", "leave --option out"
            )
        words = self._command()
        if realtime:
            words = [word.replace("sleep=off", "sleep=on") for word in words]
        wiring = _wiring(str(self._zephyr.uart), words.count("-serial"))

        def command(port: int) -> list[str]:
            return [*words, *wiring, "-serial", f"tcp:127.0.0.1:{port}"]

        return ProcessRun(self.name, command, self._zephyr.folder / "tickertape-console.txt")

    def _command(self) -> list[str]:
        """Return the build's command line for QEMU, without `-pidfile`."""
        ninja = shutil.which("ninja")
        if ninja is None:
            raise TargetError(
                "ninja is not installed, and only ninja prints the QEMU command of the build here",
                "install ninja-build",
            )
        ask = [ninja, "-C", str(self._zephyr.folder), "-t", "commands", _RUN]
        done = subprocess.run(ask, capture_output=True, text=True, check=False, timeout=_NINJA_S)
        line = next(iter(reversed(done.stdout.splitlines())), "")
        words = shlex.split(line.rpartition("&& ")[2])
        if done.returncode != 0 or not words or "qemu-system" not in words[0]:
            raise TargetError(
                f"the build of Zephyr in {self._zephyr.folder} has no command for QEMU", _BY_HAND
            )
        if "-pidfile" in words:
            place = words.index("-pidfile")
            del words[place : place + 2]
        return words


def _wiring(uart: str, serials: int) -> list[str]:
    """Return the options for the UARTs between the `serials` connected ones and the trace's UART.

    Raises:
        TargetError: the number of the trace's UART is unknown, or that UART is connected already.
    """
    number = re.fullmatch(r"uart(\d+)", uart)
    if number is None or int(number[1]) < serials:
        raise TargetError(
            f"the serial port of QEMU for the trace's UART {uart} is unknown", _BY_HAND
        )
    return ["-serial", "null"] * (int(number[1]) - serials)

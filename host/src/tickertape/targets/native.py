"""Run the reference firmware as a Linux program; its clock advances with its work alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.targets.base import UDP
from tickertape.targets.firmware import NATIVE_COMPILER, build_image
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.targets.base import Image

_MS_PER_S = 1000


class NativeTarget:
    """This machine. Implements `targets.base.Target`."""

    @property
    def name(self) -> str:
        """Name for messages."""
        return "native"

    def build(self, example: str) -> Image:
        """Build an example; see `Target`."""
        return build_image(example, "native", NATIVE_COMPILER, elf_suffix="")

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = False,
    ) -> ProcessRun:
        """Start an image; see `Target`."""
        carrier = "udp" if image.link == UDP else "tcp"

        def command(port: int) -> list[str]:
            words = [str(image.path), "--trace", f"{carrier}:127.0.0.1:{port}"]
            if duration_s is not None:
                words += ["--duration-ms", str(round(duration_s * _MS_PER_S))]
            if realtime:
                words.append("--realtime")
            for name, value in (options or {}).items():
                words += [f"--{name.replace('_', '-')}", str(value)]
            return words

        return ProcessRun(image.path.name, command, image.log, datagrams=image.link == UDP)

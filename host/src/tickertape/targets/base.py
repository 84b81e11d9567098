"""Interface of every target: it builds and starts a firmware.

target = find_target("qemu")
image = target.build("first_tape")
with target.start(image, duration_s=2.0) as run:
    capture(run.link, "T.tape")
    run.finish()
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from tickertape.link.base import Link


STREAM: Final = "stream"
UDP: Final = "udp"
LINKS: Final = (STREAM, UDP)
"""Kinds of links for a trace: a stream of bytes (UART or connection), or datagrams."""


@dataclass(frozen=True, slots=True)
class Image:
    """A built firmware.

    Attributes:
        example: name of the application.
        board: name of the board that it was built for.
        path: path of the ELF file.
        link: default link of its trace, one of `LINKS`.
        options: names of its numeric options; None when unknown.
        console: file for its console output; None: a file beside the image.
    """

    example: str
    board: str
    path: Path
    link: str = STREAM
    options: frozenset[str] | None = None
    console: Path | None = None

    @property
    def log(self) -> Path:
        """File for its console output."""
        return self.console or self.path.with_suffix(".console.txt")


class Run(Protocol):
    """A running firmware. Leaving the context stops it, also after an error."""

    @property
    def link(self) -> Link:
        """Open link that carries its trace."""
        ...

    def finish(self) -> None:
        """Wait until the firmware has ended by itself. Call it after the link has ended.

        Raises:
            TargetError: the firmware failed, or does not end.
        """
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Target(Protocol):
    """Machine, emulator or board that runs a firmware."""

    @property
    def name(self) -> str:
        """Name for messages."""
        ...

    def build(self, example: str) -> Image:
        """Build an example application.

        Raises:
            FirmwareError: there is no such example or no compiler, or the build fails.
        """
        ...

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = False,
    ) -> Run:
        """Start an image.

        Args:
            image: image made by `build`; its `link` selects the link of the trace.
            duration_s: seconds of the target's own time after which the firmware stops recording,
                sends its buffers and ends; None: it runs until it is stopped.
            options: numbers for the application, 0 to 2^32 - 1, by the names of its options.
            realtime: run the target's clock with this machine's clock. When False, the clock
                advances with the target's work alone, and all runs are equal.

        Raises:
            TargetError: the image cannot be started.
        """
        ...

"""The interface of every target: builds and starts a firmware.

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
"""What carries a trace: a UART or a connection, or datagrams."""


@dataclass(frozen=True, slots=True)
class Image:
    """A firmware that was built.

    Attributes:
        example: name of the application.
        board: what it was built for.
        path: the ELF file.
        link: the default link of its trace, one of `LINKS`.
        options: the names of numbers that it takes; None when unknown.
        console: takes what it prints; None for a file beside the image.
    """

    example: str
    board: str
    path: Path
    link: str = STREAM
    options: frozenset[str] | None = None
    console: Path | None = None

    @property
    def log(self) -> Path:
        """The file that takes what it prints."""
        return self.console or self.path.with_suffix(".console.txt")


class Run(Protocol):
    """A firmware that runs. Leaving the context stops it, whatever happened."""

    @property
    def link(self) -> Link:
        """Where its trace comes from, open."""
        ...

    def finish(self) -> None:
        """Wait until the firmware has ended by itself, after its link did.

        Raises:
            TargetError: it failed, or does not end.
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
    """Something that runs a firmware."""

    @property
    def name(self) -> str:
        """For people."""
        ...

    def build(self, example: str) -> Image:
        """Build an example application.

        Raises:
            FirmwareError: no such example, no compiler, or the compiler complains.
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
            image: made by `build`; its `link` carries the trace.
            duration_s: seconds of the target's own time after which the firmware stops recording,
                sends what it has and ends; None to run until it is stopped.
            options: numbers for the application, 0 to 2^32 - 1, by the names that it asks for.
            realtime: let the target's clock go with this machine's instead of by its work alone;
                two runs are no longer the same.

        Raises:
            TargetError: it cannot be started.
        """
        ...

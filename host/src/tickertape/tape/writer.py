"""Writes a tape so that a kill at any moment leaves one that opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from tickertape.decode.frames import LinkCounters


class TapeWriter:
    """Appends chunks. Records are gathered per ring; everything else is written at once."""

    def __init__(self, path: Path | str, *, meta: Mapping[str, object] | None = None) -> None:
        """Create the tape with its header; a file of that name is replaced.

        Raises:
            TapeWriteFailed: the file cannot be created.
        """
        raise NotImplementedError

    epoch: int

    def hello(self, body: bytes) -> None:
        """Keep the body of a HELLO frame."""

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Keep the body of a BUFFER frame: header and records."""

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Keep the body of a STATUS frame."""

    def name(self, body: bytes) -> None:
        """Keep the body of a NAME frame."""

    def text(self, body: bytes) -> None:
        """Keep the body of a TEXT frame."""

    def note(self, text: str) -> None:
        """Keep a remark of a person or a tool."""

    def meta(self, values: Mapping[str, object]) -> None:
        """Keep facts about capture and target, JSON values."""

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Keep a moment of both clocks."""

    def receipt(self, counters: LinkCounters) -> None:
        """Keep what the link lost so far."""

    def new_epoch(self) -> None:
        """The target was reset; all that follows belongs to a new boot."""

    def flush(self) -> None:
        """Hand everything gathered to the operating system."""

    def close(self) -> None:
        """Write index and end mark and close. May be called twice."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

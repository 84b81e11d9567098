"""A whole capture in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tickertape.collector.collector import CaptureResult, Progress
    from tickertape.link.base import Link


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How to capture.

    Attributes:
        duration_s: how long, in seconds; None until the link ends.
        stop_when_final: end as soon as every ring has sent its final STATUS.
        meta: facts to keep in the tape.
        on_progress: called about four times a second.
        handle_signals: stop in order at SIGINT and SIGTERM (main thread only).
    """

    duration_s: float | None = None
    stop_when_final: bool = False
    meta: Mapping[str, object] | None = None
    on_progress: Callable[[Progress], None] | None = None
    handle_signals: bool = True


def capture(link: Link, path: Path | str, options: CaptureOptions | None = None) -> CaptureResult:
    """Capture from an open link into a new tape; the tape is closed, the link is not.

    Raises:
        TapeWriteFailed: the tape cannot be created. Later faults are in the result.
    """
    raise NotImplementedError

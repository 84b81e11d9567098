"""A whole capture in one call."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tickertape import __version__
from tickertape.collector.collector import Collector, StopReason
from tickertape.collector.signals import stopping_on_signals
from tickertape.errors import TapeError
from tickertape.tape.rotate import RotatingWriter
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tickertape.collector.collector import CaptureResult, Progress
    from tickertape.link.base import Link
    from tickertape.tape.rotate import Rotation


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How to capture.

    Attributes:
        duration_s: how long, in seconds of the host; None until the link ends.
        stop_when_final: end as soon as every ring has sent its final STATUS.
        meta: facts to keep in the tape, JSON values.
        on_progress: called about four times a second.
        handle_signals: stop in order at SIGINT and SIGTERM (main thread only).
        rotation: when to begin another tape; None for a single one.
    """

    duration_s: float | None = None
    stop_when_final: bool = False
    meta: Mapping[str, object] | None = None
    on_progress: Callable[[Progress], None] | None = None
    handle_signals: bool = True
    rotation: Rotation | None = None


def capture(link: Link, path: Path | str, options: CaptureOptions | None = None) -> CaptureResult:
    """Capture from an open link into a new tape; the tape is closed, the link is not.

    With rotation there are several tapes, `CaptureResult.tapes`, with numbers in their names.

    Raises:
        TapeWriteFailed: the tape cannot be created. Later faults are in the result.
    """
    options = options or CaptureOptions()
    meta = {"program": f"tickertape {__version__}", "link": link.name, **(options.meta or {})}
    if options.rotation is None:
        writer = TapeWriter(path, meta=meta)
    else:
        writer = RotatingWriter(path, options.rotation, meta=meta)
    collector = Collector(link, writer, on_progress=options.on_progress)
    guard = stopping_on_signals(collector.stop) if options.handle_signals else nullcontext()
    with guard:
        try:
            result = collector.run(
                duration_s=options.duration_s, stop_when_final=options.stop_when_final
            )
        finally:
            failure = _close(writer)
    result = replace(result, tapes=tuple(writer.parts))
    if failure is None:
        return result
    return replace(result, reason=StopReason.FAILED, problems=(failure, *result.problems))


def _close(writer: TapeWriter) -> TapeError | None:
    try:
        writer.close()
    except TapeError as error:
        return error
    return None

"""Start an image on a target and capture its trace."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from tickertape.collector.capture import CaptureOptions, capture
from tickertape.collector.collector import StopReason
from tickertape.errors import TargetError, UsageError, nearest
from tickertape.symbols.elf import read_symbols
from tickertape.targets import BoardTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tickertape.collector.collector import CaptureResult
    from tickertape.decode.frames import Frame
    from tickertape.link.base import Link
    from tickertape.targets.base import Image, Target

    Sharing = Callable[[Link], AbstractContextManager[Callable[[Frame], None] | None]]


def run_image(  # noqa: PLR0913 - the options of a run
    target: Target,
    image: Image,
    tape: Path | str | None,
    how: CaptureOptions | None = None,
    *,
    duration_s: float | None = None,
    options: Mapping[str, int] | None = None,
    realtime: bool = False,
    symbols: bool = False,
    share: Sharing | None = None,
) -> CaptureResult:
    """Start an image, capture until it ends, and stop it.

    Args:
        target: the target that runs the image.
        image: firmware to run.
        tape: path of the tape to write; None: no tape.
        how: options of the capture; facts about the run are added to `meta`.
        duration_s: seconds of the target's time; None: until the capture is stopped.
        options: numbers for the application, by name.
        realtime: run the target in real time; always so for a board.
        symbols: store the names of the firmware on the tape. Always so for a board, whose trace
            must come from this build.
        share: returns, for the link, a context manager that yields the capture's `on_frame`; None:
            the link is not shared.

    Returns:
        Result of the capture. If the firmware fails at its end, this is one of its problems, and
        the tape is kept.

    Raises:
        UsageError: the image has no option with one of these names.
        TargetError: the target does not start.
        TapeWriteFailed: the tape cannot be created.
        LinkError: the link cannot be shared.
    """
    how = how or CaptureOptions()
    is_board = isinstance(target, BoardTarget)
    realtime = realtime or is_board
    meta = {
        "target": target.name,
        "board": image.board,
        "example": image.example,
        "elf": str(image.path),
        "virtual_time": not realtime,
    }
    _refuse_unknown_options(image, options or {})
    names = read_symbols(image.path) if symbols or is_board else None
    with target.start(image, duration_s=duration_s, options=options, realtime=realtime) as run:
        with nullcontext() if share is None else share(run.link) as on_frame:
            complete = replace(
                how,
                meta=meta | dict(how.meta or {}),
                on_frame=on_frame,
                patient=not realtime,
                symbols=names,
                stop_when_final=how.stop_when_final or is_board,
            )
            result = capture(run.link, tape, complete)
        if result.reason is not StopReason.END:
            return result
        try:
            run.finish()
        except TargetError as error:
            return replace(result, problems=(error, *result.problems))
    return result


def _refuse_unknown_options(image: Image, options: Mapping[str, int]) -> None:
    if image.options is None:
        return
    for name in options:
        if name not in image.options:
            raise UsageError(
                f"{image.example} has no option {name}", nearest(name, sorted(image.options))
            )

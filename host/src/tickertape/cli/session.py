"""Build an example, run it and capture its trace: what `run` and `demo` share."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tickertape.broker import ControlServer
from tickertape.cli.output import ProgressLine
from tickertape.collector import CaptureOptions, CaptureResult, StopReason, capture
from tickertape.errors import TargetError
from tickertape.symbols.elf import read_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tickertape.decode.frames import Frame
    from tickertape.edit.rotate import Rotation
    from tickertape.link.base import Link
    from tickertape.targets.base import Target

    Sharing = Callable[[Link], AbstractContextManager[Callable[[Frame], None] | None]]


def record(  # noqa: PLR0913 - what a user can say of a run
    target: Target,
    example: str,
    tape: Path | None,
    *,
    duration_s: float | None,
    quiet: bool,
    options: Mapping[str, int] | None = None,
    rotation: Rotation | None = None,
    symbols: bool = False,
    control: str | None = None,
    share: Sharing | None = None,
    realtime: bool = False,
    link: str | None = None,
) -> CaptureResult:
    """Build, run and capture.

    Args:
        target: where to run it.
        example: which application.
        tape: the tape to write; its folder exists. None for none.
        duration_s: seconds of the target's time; None until it is stopped.
        quiet: show no progress.
        options: numbers for the application, by name.
        rotation: when to begin another tape; None for a single one.
        symbols: put the names of the firmware on the tape.
        control: path of the Unix socket for commands; None for none.
        share: how the link is shared instead, given the link; None for as `control` says.
        realtime: let the target's clock go with this machine's.
        link: what carries the trace; None for what the example wants.

    Returns:
        How the capture went. That the firmware failed at its end is one of its problems: the tape
        is kept.

    Raises:
        FirmwareError: it does not build.
        TargetError: it does not start.
        TapeWriteFailed: the tape cannot be created.
        LinkError: the socket for commands cannot be made.
    """
    with ProgressLine(quiet=quiet, first="waiting for the target") as line:
        line.say(f"building {example} for {target.name}")
        image = target.build(example)
        image = image if link is None else dataclasses.replace(image, link=link)
        line.say(f"starting {image.board}")
        with target.start(image, duration_s=duration_s, options=options, realtime=realtime) as run:
            meta = {
                "target": target.name,
                "board": image.board,
                "example": image.example,
                "elf": str(image.path),
            }
            shared = controlled(run.link, control) if share is None else share(run.link)
            with shared as on_frame:
                how = CaptureOptions(
                    meta=meta,
                    on_progress=line.update,
                    on_frame=on_frame,
                    rotation=rotation,
                    symbols=read_symbols(image.path) if symbols else None,
                )
                result = capture(run.link, tape, how)
            if result.reason is not StopReason.END:
                return result
            try:
                run.finish()
            except TargetError as error:
                return dataclasses.replace(result, problems=(error, *result.problems))
    return result


@contextmanager
def controlled(link: Link, path: str | None) -> Iterator[Callable[[Frame], None] | None]:
    """Take commands for a link at a Unix socket while it is captured.

    Args:
        link: whose bytes the capture reads.
        path: of the socket; None for none.

    Yields:
        What the capture has to call with each frame; None for nothing.
    """
    if path is None:
        yield None
        return
    with ControlServer(link, path) as server:
        yield server.take

"""Build an example, run it and capture its trace: shared by `run` and `demo`."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tickertape.broker import ControlServer
from tickertape.cli.judging import watched
from tickertape.cli.output import ProgressLine
from tickertape.collector import CaptureOptions
from tickertape.collector.run_image import run_image
from tickertape.targets.program import image_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tickertape.cli.judging import Judging
    from tickertape.collector import CaptureResult
    from tickertape.collector.run_image import Sharing
    from tickertape.decode.frames import Frame
    from tickertape.edit.rotate import Rotation
    from tickertape.link.base import Link
    from tickertape.targets.base import Target


def record(  # noqa: PLR0913 - the options of a run
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
    program: Path | None = None,
    capture_s: float | None = None,
    judging: Judging | None = None,
    raw: Path | None = None,
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
        share: how the link is shared instead, given the link; None for the socket of `control`.
        realtime: run the target in real time.
        link: what carries the trace; None for what the example wants.
        program: a program that was built elsewhere, instead of an example; None for none.
        capture_s: seconds of this machine's time, for a target that takes none; None until it ends.
        judging: judges the tape as it grows; None for none.
        raw: a file for the bytes of the link; None for none.

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
        if program is None:
            line.say(f"building {example} for {target.name}")
            image = target.build(example)
        else:
            image = image_of(program, target, tape)
        image = image if link is None else dataclasses.replace(image, link=link)
        line.say(f"starting {image.board}")
        how = CaptureOptions(
            duration_s=capture_s, on_progress=line.update, rotation=rotation, raw=raw
        )
        return run_image(
            target,
            image,
            tape,
            watched(how, judging, line),
            duration_s=duration_s,
            options=options,
            realtime=realtime,
            symbols=symbols,
            share=share or (lambda link: controlled(link, control)),
        )


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

"""Build an example, run it and capture its trace: shared by `run`, `demo` and `serve`."""

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
    """Build an application, run it and capture its trace.

    Args:
        target: where to run.
        example: name of the application.
        tape: path of the tape to write, in an existing folder; None to write no tape.
        duration_s: seconds of the target's time; None to run until stopped.
        quiet: show no progress.
        options: numeric options of the application, by name.
        rotation: when to start a new tape; None for a single tape.
        symbols: store the names of the firmware on the tape.
        control: path of the Unix socket for commands; None for no socket.
        share: shares the link, in place of `control`; None to use `control`.
        realtime: run the target in real time.
        link: kind of link for the trace; None for the default of the example.
        program: path of a program to run instead of an example; None for the example.
        capture_s: seconds of this machine's time, for a target without `duration_s`; None to
            capture until it ends.
        judging: checks the tape while it grows; None for no check.
        raw: file for the bytes of the link; None to store none.

    Returns:
        The result of the capture. A firmware that fails at its end is one of its problems; the
        tape is kept.

    Raises:
        FirmwareError: the application does not build.
        TargetError: the target does not start.
        TapeWriteFailed: the tape cannot be created.
        LinkError: the socket for commands cannot be created.
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
    """Accept commands for a link at a Unix socket while it is captured.

    Args:
        link: the link that is captured.
        path: path of the socket; None for no socket.

    Yields:
        The function that the capture has to call with each frame; None without a socket.
    """
    if path is None:
        yield None
        return
    with ControlServer(link, path) as server:
        yield server.take

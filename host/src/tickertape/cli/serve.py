"""`tickertape serve`: share a target among several programs on this machine."""

from __future__ import annotations

import argparse
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.broker import Place, default_path, sharing
from tickertape.cli.judging import add_check, judging_of, watched
from tickertape.cli.options import add_quiet, add_wait, seconds
from tickertape.cli.output import ProgressLine, report_capture
from tickertape.cli.session import record
from tickertape.cli.summarise import summarise
from tickertape.cli.target_options import (
    DEFAULT_EXAMPLE,
    add_rotation,
    number_option,
    rotation_of,
    size,
    target_of,
)
from tickertape.collector import CaptureOptions, capture
from tickertape.errors import UsageError
from tickertape.link import open_link

if TYPE_CHECKING:
    from tickertape.cli.judging import Judging
    from tickertape.collector import CaptureResult
    from tickertape.collector.run_image import Sharing

_MOST_PORT: Final = 0xFFFF


def _port(text: str) -> int:
    if text.isascii() and text.isdecimal() and int(text) <= _MOST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port, 0 to {_MOST_PORT}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "link",
        metavar="LINK",
        nargs="?",
        help="link of the target: a serial device, socket://host:port, tcp-listen://host:port, "
        "unix:path",
    )
    parser.add_argument(
        "--socket",
        metavar="PATH",
        help=f"path of the Unix socket, for this user only (default: {default_path()})",
    )
    parser.add_argument(
        "--tcp",
        type=_port,
        metavar="PORT",
        help="also listen at this port of 127.0.0.1, for every user of this machine; 0 uses a "
        "free one",
    )
    parser.add_argument(
        "--queue",
        type=size,
        metavar="SIZE",
        default=4 << 20,
        help="size of the queue of each program; records that do not fit are lost for it, and "
        "counted (default: 4M)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="T.tape", help="also write a tape")
    add_rotation(parser)
    parser.add_argument("--baud", type=int, metavar="N", help="rate of a serial device")
    add_wait(parser)
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        help="seconds until the end, as for capture and run",
    )
    _add_run(parser)
    add_check(parser)
    add_quiet(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Add the options that run an example instead of opening a link."""
    parser.add_argument(
        "--target",
        metavar="TARGET",
        help="run an example on this target instead of LINK; `tickertape targets` lists them",
    )
    parser.add_argument("--example", metavar="NAME", default=DEFAULT_EXAMPLE, help="which example")
    parser.add_argument(
        "--option",
        type=number_option,
        action="append",
        default=[],
        metavar="NAME=N",
        help="a numeric option of the example",
    )
    parser.add_argument("--realtime", action="store_true", help="run the target in real time")


def run(arguments: argparse.Namespace) -> int:
    """Share the target until it ends or the user presses Ctrl-C."""
    if (arguments.link is None) == (arguments.target is None):
        raise UsageError("serve needs either LINK or --target", "see tickertape serve --help")
    if arguments.output is None and rotation_of(arguments) is not None:
        raise UsageError("there is no tape to rotate", "give -o T.tape as well")
    if arguments.output is None and arguments.check is not None:
        raise UsageError("there is no tape to check", "give -o T.tape as well")
    judging = judging_of(arguments)
    path = (arguments.socket or str(default_path())).removeprefix("unix:")
    share = partial(
        sharing,
        place=Place(path, arguments.tcp),
        most_bytes=arguments.queue,
        on_ready=partial(_say_where, quiet=arguments.quiet),
    )
    of = _of_target if arguments.target else _of_link
    result = of(arguments, share, judging)
    summarise(result.tapes, quiet=arguments.quiet)
    code = report_capture(result, arguments.output, quiet=arguments.quiet)
    return code if judging is None else judging.judged(code, result.tapes)


def _say_where(addresses: list[str], *, quiet: bool) -> None:
    if not quiet:
        print(f"serving at {', '.join(addresses)}", flush=True)


def _of_link(
    arguments: argparse.Namespace, share: Sharing, judging: Judging | None
) -> CaptureResult:
    with (
        ProgressLine(quiet=arguments.quiet, first="waiting for the target") as line,
        closing(open_link(arguments.link, baud=arguments.baud, wait_s=arguments.wait)) as link,
        share(link) as on_frame,
    ):
        options = CaptureOptions(
            duration_s=arguments.duration,
            meta={"link": arguments.link},
            on_progress=line.update,
            on_frame=on_frame,
            rotation=rotation_of(arguments),
        )
        return capture(link, arguments.output, watched(options, judging, line))


def _of_target(
    arguments: argparse.Namespace, share: Sharing, judging: Judging | None
) -> CaptureResult:
    return record(
        target_of(arguments),
        arguments.example,
        arguments.output,
        duration_s=arguments.duration,
        quiet=arguments.quiet,
        options=dict(arguments.option),
        rotation=rotation_of(arguments),
        share=share,
        realtime=arguments.realtime,
        judging=judging,
    )

"""`tickertape top`: show live which task has each CPU of a target."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tickertape.cli.options import seconds
from tickertape.cli.output import complain
from tickertape.cli.top_source import opened
from tickertape.errors import UsageError
from tickertape.formats.extras import load

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        metavar="LINK|T.tape",
        help="a link as for capture; a tape that is written, to follow it; or a whole tape, to "
        "play it back",
    )
    parser.add_argument(
        "--stream", type=int, metavar="N", help="only this stream (default: the first)"
    )
    parser.add_argument(
        "--period",
        type=seconds,
        metavar="S",
        default=1.0,
        help="how often the figures change, in seconds (default: 1)",
    )
    parser.add_argument(
        "--speed",
        type=seconds,
        metavar="N",
        default=1.0,
        help="play a whole tape N times as fast as it was recorded (default: 1)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the source until the user quits."""
    load("textual", extra="top", what="screens that change")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):  # textual reads stdin and draws on stderr
        raise UsageError(
            "top needs a terminal", "print figures with 'tickertape info' or 'tickertape stats'"
        )
    from tickertape.cli.top_screen import Top  # noqa: PLC0415 - an extra

    with opened(arguments.source, stream=arguments.stream, speed=arguments.speed) as source:
        top = Top(source, stream=arguments.stream, period_s=arguments.period)
        top.run()
        if top.failure is not None:
            complain(top.failure)
            return top.failure.exit_code
    return 0

"""`tickertape run`: run an example firmware and capture its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import (
    add_example,
    add_output,
    add_quiet,
    add_rotation,
    add_target,
    number_option,
    rotation_of,
    seconds,
    target_of,
)
from tickertape.cli.output import report_capture
from tickertape.cli.session import record
from tickertape.cli.summarise import summarise

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_target(parser, default=None)
    add_example(parser)
    add_output(parser)
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        help="seconds of the target's own time; without it, until Ctrl-C",
    )
    parser.add_argument(
        "--option",
        type=number_option,
        action="append",
        default=[],
        metavar="NAME=N",
        help="a number that the example asks for by name; may be given again",
    )
    add_rotation(parser)
    parser.add_argument(
        "--symbols",
        action="store_true",
        help="put the firmware's names on the tape, so that nobody needs its file",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build, run, capture, and say where the tape is."""
    result = record(
        target_of(arguments),
        arguments.example,
        arguments.output,
        duration_s=arguments.duration,
        quiet=arguments.quiet,
        options=dict(arguments.option),
        rotation=rotation_of(arguments),
        symbols=arguments.symbols,
    )
    summarise(result.tapes, quiet=arguments.quiet)
    return report_capture(result, arguments.output, quiet=arguments.quiet)

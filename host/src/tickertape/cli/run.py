"""`tickertape run`: run an example firmware and capture its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_output, add_quiet, seconds
from tickertape.cli.output import report_capture
from tickertape.cli.session import record
from tickertape.cli.summarise import summarise
from tickertape.cli.target_options import (
    add_control,
    add_example,
    add_rotation,
    add_target,
    control_of,
    number_option,
    rotation_of,
    target_of,
)
from tickertape.targets.base import LINKS

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
        help="seconds of the target's own time; without it, as long as the example says",
    )
    parser.add_argument(
        "--option",
        type=number_option,
        action="append",
        default=[],
        metavar="NAME=N",
        help="a number that the example asks for by name; may be given again",
    )
    parser.add_argument(
        "--realtime",
        action="store_true",
        help="let the target's clock go with this machine's instead of by its work alone",
    )
    parser.add_argument(
        "--link",
        choices=LINKS,
        help="what carries the trace: a UART or a connection, or datagrams (default: as the "
        "example says, else stream)",
    )
    add_rotation(parser)
    parser.add_argument(
        "--symbols",
        action="store_true",
        help="put the firmware's names on the tape, so that readers need no ELF file",
    )
    add_control(parser)
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
        control=control_of(arguments),
        realtime=arguments.realtime,
        link=arguments.link,
    )
    summarise(result.tapes, quiet=arguments.quiet)
    return report_capture(result, arguments.output, quiet=arguments.quiet)

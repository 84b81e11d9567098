"""`tickertape run`: run an example firmware and capture its trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.judging import add_check, judging_of
from tickertape.cli.options import add_output, add_quiet, add_raw, seconds
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
    profiled,
    rotation_of,
    target_of,
)
from tickertape.targets import ZephyrTarget
from tickertape.targets.base import LINKS

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_target(parser, default=None)
    add_example(parser)
    add_output(parser)
    add_raw(parser)
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        help="seconds of the target's own time (default: the example's); for a build of Zephyr "
        "seconds of this machine's time (default: until the image ends or Ctrl-C)",
    )
    parser.add_argument(
        "--option",
        type=number_option,
        action="append",
        default=[],
        metavar="NAME=N",
        help="a numeric option of the example; may be repeated",
    )
    parser.add_argument(
        "--realtime",
        action="store_true",
        help="run the target in real time instead of virtual time",
    )
    parser.add_argument(
        "--link",
        choices=LINKS,
        help="link of the trace: stream (UART or connection) or udp (default: the example's, "
        "else stream)",
    )
    parser.add_argument(
        "--image",
        type=Path,
        metavar="ELF",
        help="run this program, which has the recorder in it and its trace on the first UART, "
        "instead of an example",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="OUT.folded",
        help="write the emulator's count of instructions by stack of functions, as flame graph "
        "programs read it; Renode only",
    )
    add_rotation(parser)
    parser.add_argument(
        "--symbols",
        action="store_true",
        help="store the firmware's names on the tape, so that readers need no ELF file",
    )
    add_control(parser)
    add_check(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build, run, capture, and print where the tape is."""
    judging = judging_of(arguments)
    target = target_of(arguments)
    if arguments.profile is not None:
        target = profiled(target, arguments.profile)
    is_zephyr = isinstance(target, ZephyrTarget)
    result = record(
        target,
        "zephyr" if is_zephyr else arguments.example,
        arguments.output,
        duration_s=None if is_zephyr else arguments.duration,
        capture_s=arguments.duration if is_zephyr else None,
        quiet=arguments.quiet,
        options=dict(arguments.option),
        rotation=rotation_of(arguments),
        symbols=arguments.symbols,
        control=control_of(arguments),
        realtime=arguments.realtime,
        link=arguments.link,
        program=arguments.image,
        judging=judging,
        raw=arguments.raw,
    )
    summarise(result.tapes, quiet=arguments.quiet)
    code = report_capture(result, arguments.output, quiet=arguments.quiet)
    return code if judging is None else judging.judged(code, result.tapes)

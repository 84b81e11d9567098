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
from tickertape.collector import StopReason
from tickertape.errors import UsageError
from tickertape.targets import ZephyrTarget, find_target
from tickertape.targets.base import LINKS

if TYPE_CHECKING:
    import argparse

    from tickertape.cli.judging import Judging
    from tickertape.collector import CaptureResult
    from tickertape.targets.base import Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_target(parser, default=None)
    parser.add_argument(
        "--and",
        dest="other",
        metavar="TARGET",
        help="run on this target as well, into T-TARGET.tape, and print what differs",
    )
    add_example(parser)
    add_output(parser)
    add_raw(parser)
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        help="seconds of the target's own time (default: the example's); for a build of Zephyr and "
        "for a board seconds of this machine's time (default: until the image ends or Ctrl-C)",
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
        help="run this program instead of an example; it contains the recorder and sends its trace "
        "to the first UART; its console output goes to T.console.txt",
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
    """Build, run, capture, and print the path of the tape."""
    judging = judging_of(arguments)
    target = target_of(arguments)
    if arguments.profile is not None:
        target = profiled(target, arguments.profile)
    if arguments.other is not None:
        return _run_both(arguments, target)
    result, code = _recorded(arguments, target, arguments.output, judging)
    return code if judging is None else judging.judged(code, result.tapes)


def _recorded(
    arguments: argparse.Namespace, target: Target, tape: Path, judging: Judging | None
) -> tuple[CaptureResult, int]:
    """Run a target, record a tape and print its path; return the result and its exit code."""
    is_zephyr = isinstance(target, ZephyrTarget)
    result = record(
        target,
        "zephyr" if is_zephyr else arguments.example,
        tape,
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
    return result, report_capture(result, tape, quiet=arguments.quiet)


def _run_both(arguments: argparse.Namespace, target: Target) -> int:
    """Run on two targets, one after the other, and print the differences of the tapes.

    Raises:
        UsageError: an option is for one run only, or scipy is not installed.
    """
    from tickertape.cli.diff import scipy_stats, show_differences  # noqa: PLC0415 - slow

    for option in ("check", "control", "profile", "raw", "rotate_size", "rotate_time"):
        if getattr(arguments, option) is not None:
            raise UsageError(
                f"--{option.replace('_', '-')} does not go with --and",
                "leave one of them out, or run twice and compare with: tickertape diff",
            )
    stats, other = scipy_stats(), find_target(arguments.other)
    before: Path = arguments.output
    after = before.with_stem(f"{before.stem}-{arguments.other.replace(':', '-')}")
    for where, tape in ((target, before), (other, after)):
        result, code = _recorded(arguments, where, tape, None)
        if code or result.reason is not StopReason.END:
            return code
    if not arguments.quiet:
        show_differences(before, after, stats)
    return 0

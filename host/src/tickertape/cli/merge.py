"""`tickertape merge`: merge tapes of several boards into one with a common time."""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import ProgressLine, complain
from tickertape.cli.pace import pace
from tickertape.cli.summarise import summarise
from tickertape.edit.clock_fit import Assumptions
from tickertape.edit.merge import MergeOptions, merge_tapes
from tickertape.errors import TapeError, UsageError
from tickertape.report.numbers import count, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.edit.merge import MergedBoot, MergeReport

_KIB = 1024
_MOST_TOLD = 10
_MOST_PPM = 100_000.0
_MOST_MS = 60_000.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("tapes", type=Path, nargs="+", metavar="T.tape", help="at least two tapes")
    add_output(parser)
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="name of a board, in the order of the tapes (default: the tape's name)",
    )
    parser.add_argument(
        "--wander",
        type=_ppm,
        default=Assumptions().wander_ppm,
        metavar="PPM",
        help="largest drift of a clock's rate during the recording, in ppm (default: 1)",
    )
    parser.add_argument(
        "--tolerance",
        type=_ppm,
        metavar="PPM",
        help="largest deviation of a clock from its nominal rate, in ppm (default: unknown)",
    )
    parser.add_argument(
        "--delay",
        type=_ms,
        default=Assumptions().delay_ms,
        metavar="MS",
        help="longest time that a HELLO waits in its target until it is sent, in ms (default: 100)",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Merge, and print the error bounds of the boards' times."""
    _refuse_twice(arguments.tapes)
    started = time.monotonic()
    with ProgressLine(quiet=arguments.quiet) as line:
        options = MergeOptions(
            names=arguments.name,
            assumptions=Assumptions(arguments.wander, arguments.tolerance, arguments.delay),
            on_progress=lambda done, total: line.say(
                pace("KiB", done // _KIB, total // _KIB, started)
            ),
        )
        report = merge_tapes(arguments.tapes, arguments.output, options)
    if not arguments.quiet:
        _say(report, arguments.output)
    summarise([arguments.output], quiet=arguments.quiet)
    for what in report.left_out[:_MOST_TOLD]:
        complain(TapeError(what, "look at that tape with 'tickertape info'"))
    if len(report.left_out) > _MOST_TOLD:
        more = len(report.left_out) - _MOST_TOLD
        complain(TapeError(f"{count(more)} more are left out", "'tickertape info' lists them"))
    return 0


def _refuse_twice(tapes: Sequence[Path]) -> None:
    """Refuse a tape that is given twice: it would become two boards with the same events."""
    seen: set[str] = set()
    for tape in tapes:
        real = os.path.realpath(tape)  # resolve() raises RuntimeError for a loop of links
        if real in seen:
            raise UsageError(f"{tape} is given twice", "give the tape of each board once")
        seen.add(real)


def _say(report: MergeReport, output: Path) -> None:
    boards = {boot.board.number for boot in report.boots}
    print(f"{output}: {count(report.records)} records of {len(boards)} boards")
    for boot in report.boots:
        of_boot = "" if _only_one(report, boot) else f" (boot {boot.board.epoch})"
        print(f"  {boot.board.name}{of_boot}: {_alignment(boot)}")


def _only_one(report: MergeReport, boot: MergedBoot) -> bool:
    return sum(one.board.number == boot.board.number for one in report.boots) == 1


def _alignment(boot: MergedBoot) -> str:
    """Return the error bound of a boot's times as text."""
    board = boot.board
    if not board.aligned:
        return "unknown time: it contains no anchor"
    if not boot.even:
        return (
            "times are off by an unknown amount: the rate of its clock relative to the host's is "
            "not constant, as in an emulator or simulation"
        )
    if board.bound_ns is None or boot.ppm is None:
        return (
            "times have an unknown error: one anchor does not determine the rate of its clock; "
            "give --tolerance"
        )
    slow, fast = boot.ppm
    middle, half = (slow + fast) / 2, (fast - slow) / 2
    return (
        f"times within ±{duration(board.bound_ns)}, clock {middle:+.3f} ppm ±{half:.3f}, "
        f"by {count(boot.anchors)} anchors"
    )


def _ppm(text: str) -> float:
    return _number(text, _MOST_PPM)


def _ms(text: str) -> float:
    return _number(text, _MOST_MS)


def _number(text: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {most:.0f}")
    return value

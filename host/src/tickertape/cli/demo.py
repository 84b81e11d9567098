"""`tickertape demo`: trace a running kernel and print a summary, in one command."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tickertape.analysis.summary import summary_of
from tickertape.cli.options import add_output, add_quiet, seconds
from tickertape.cli.output import report_capture
from tickertape.cli.print import text_lines
from tickertape.cli.screen import show_summary
from tickertape.cli.session import record
from tickertape.cli.summarise import summarise
from tickertape.cli.target_options import DEFAULT_EXAMPLE, add_target, target_of
from tickertape.printing.text import TextOptions
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

_DURATION_S = 2.0
_EVENTS_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_target(parser, default="qemu")
    add_output(parser, default="demo.tape")
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        default=_DURATION_S,
        help=f"seconds of the target's own time (default: {_DURATION_S:g})",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the example, then show its first events, a summary, and where the tape is."""
    tape: Path = arguments.output
    target = target_of(arguments)
    result = record(
        target, DEFAULT_EXAMPLE, tape, duration_s=arguments.duration, quiet=arguments.quiet
    )
    summarise(result.tapes, quiet=arguments.quiet)
    if not arguments.quiet and result.tapes:
        _show(tape)
    return report_capture(result, tape, quiet=arguments.quiet)


def _show(tape: Path) -> None:
    with TapeReader(tape) as reader:
        print(f"The first {_EVENTS_SHOWN} events (all of them: tickertape print {tape})\n")
        for line in islice(text_lines(reader, TextOptions()), _EVENTS_SHOWN):
            print(line)
        print()
        show_summary(summary_of(reader))
        print()

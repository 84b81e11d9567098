"""`tickertape cut`: take a range of time out of a tape."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tickertape.cli.filters import add_times, times_of
from tickertape.cli.options import add_boot, add_output, add_quiet, add_tape, known_boot
from tickertape.cli.output import ProgressLine
from tickertape.cli.pace import pace
from tickertape.cli.summarise import summarise
from tickertape.edit.cut import Range, cut
from tickertape.report.numbers import count, counted
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_times(parser, "begin of the range, e.g. 1.25", "end of the range")
    add_boot(parser)
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Cut, and print the size of the result."""
    started = time.monotonic()
    begin, end = times_of(arguments)
    with TapeReader(arguments.tape) as reader:
        boot = known_boot(reader, arguments.boot)
        with ProgressLine(quiet=arguments.quiet) as line:
            line.say("looking for the range")
            kept = cut(
                reader,
                arguments.output,
                Range(begin, end),
                epoch=boot,
                on_progress=lambda done, whole: line.say(pace("chunks", done, whole, started)),
            )
        total = reader.record_count
    summarise([arguments.output], quiet=arguments.quiet)
    if not arguments.quiet:
        print(f"{arguments.output}: {count(kept)} of {counted(total, 'record')}")
    return 0

"""`tickertape repair`: write the readable parts of a damaged tape to a valid one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import ProgressLine
from tickertape.cli.pace import pace
from tickertape.cli.summarise import summarise
from tickertape.edit.repair import repair
from tickertape.report.numbers import counted

if TYPE_CHECKING:
    import argparse


_KIB = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT.tape",
        help="the tape to write (default: replace the damaged one)",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Repair, and report the parts that were left out."""
    started = time.monotonic()
    with ProgressLine(quiet=arguments.quiet) as line:
        done = repair(
            arguments.tape,
            arguments.output,
            lambda place, size: line.say(pace("KiB", place // _KIB, size // _KIB, started)),
        )
    tape = arguments.output or arguments.tape
    summarise([tape], quiet=arguments.quiet)
    if not arguments.quiet:
        for issue in done.left_out:
            print(f"! at byte {issue.offset}: {issue.what}")
        print(
            f"{tape}: {counted(done.kept_chunks, 'chunk')} with "
            f"{counted(done.kept_bytes, 'byte')} kept, index and end mark written"
        )
    return 0

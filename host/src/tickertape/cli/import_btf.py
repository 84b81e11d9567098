"""`tickertape import btf`: make a tape of a system trace in the Best Trace Format."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import ProgressLine, count
from tickertape.formats.btf.read import import_btf

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to read, plain or .gz")
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what could not be kept."""
    source, tape = arguments.file, arguments.output
    started = time.monotonic()

    def said(events: int) -> str:
        seconds = time.monotonic() - started
        return f"{count(events)} events, {count(round(events / seconds) if seconds else 0)}/s"

    with ProgressLine(quiet=arguments.quiet) as line:
        report = import_btf(source, tape, on_progress=lambda events: line.say(said(events)))
    for what, number in (*report.dialects.items(), *report.left_out.items()):
        kind = "left out" if what in report.left_out else "a dialect"
        print(
            f"tickertape: {source}: {kind}: {what}, {count(number)} times; see docs/btf.md",
            file=sys.stderr,
        )
    if not arguments.quiet:
        print(f"{tape}: {count(report.events)} lines became {count(report.records)} events")
    return 0

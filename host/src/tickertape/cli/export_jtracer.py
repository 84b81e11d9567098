"""`tickertape export jtracer`: write the life of a tape's tasks for JTracer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import ProgressLine, count
from tickertape.cli.pace import pace
from tickertape.cli.reading import reading
from tickertape.export.jtracer import export_jtracer

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", required=True, help="the file to write"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export."""
    started = time.monotonic()
    with reading(arguments.tape) as reader, ProgressLine(quiet=arguments.quiet) as line:
        total = reader.record_count
        report = export_jtracer(
            reader,
            arguments.output,
            on_progress=lambda done: line.say(pace("events", done, total, started)),
        )
    if not arguments.quiet:
        missing = f"; records are missing at {count(report.gaps)} places; the file cannot say so"
        print(f"{arguments.output}: {count(report.records)} records{missing * bool(report.gaps)}")
    return 0

"""`tickertape export shark`: write a tape as a file of the S.Ha.R.K. tracer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import ProgressLine, count
from tickertape.cli.pace import pace
from tickertape.cli.reading import reading
from tickertape.export.shark import export_shark
from tickertape.model.shark_layout import LAYOUTS

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", required=True, help="the file to write"
    )
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="original",
        help="how records lie in the file (default: original)",
    )
    parser.add_argument(
        "--stream", type=int, metavar="N", help="one stream, that is one queue (default: all)"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what the file cannot say."""
    started = time.monotonic()
    with reading(arguments.tape) as reader, ProgressLine(quiet=arguments.quiet) as line:
        total = reader.record_count
        report = export_shark(
            reader,
            arguments.output,
            layout=arguments.layout,
            stream=arguments.stream,
            on_progress=lambda done: line.say(pace("events", done, total, started)),
        )
    if not arguments.quiet:
        parts = [f"{count(report.records)} records"]
        if report.others:
            parts.append(f"{count(report.others)} events have no number there and are left out")
        if report.gaps:
            parts.append(
                f"records are missing at {count(report.gaps)} places; the file cannot say so"
            )
        print(f"{arguments.output}: {'; '.join(parts)}")
    return 0

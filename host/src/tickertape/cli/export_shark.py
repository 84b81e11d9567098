"""`tickertape export shark`: write a tape as a file of the S.Ha.R.K. tracer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_file, add_quiet, add_tape, number
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.formats.shark.layout import LAYOUTS
from tickertape.formats.shark.write import export_shark

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_file(parser)
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="original",
        help="how records lie in the file (default: original)",
    )
    parser.add_argument(
        "--stream", type=number, metavar="N", help="one stream, that is one queue (default: all)"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what the file cannot say."""
    with reading_all(arguments) as (reader, tell):
        report = export_shark(
            reader,
            arguments.output,
            layout=arguments.layout,
            stream=arguments.stream,
            on_progress=tell,
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

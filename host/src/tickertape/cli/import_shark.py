"""`tickertape import shark`: make a tape of a file of the S.Ha.R.K. tracer."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.importing import odd_order_and_end, warn_of, with_progress
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import count
from tickertape.formats.shark.layout import LAYOUTS
from tickertape.formats.shark.read import import_shark

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tickertape.formats.shark.read import SharkReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to read")
    add_output(parser)
    parser.add_argument(
        "--layout", choices=LAYOUTS, help="how records lie in the file (default: find out)"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what looks wrong."""
    source, tape = arguments.file, arguments.output
    import_ = partial(import_shark, source, tape, layout=arguments.layout)
    report = with_progress(arguments, "records", 0, import_)
    warn_of(source, _remarks(report))
    if not arguments.quiet:
        print(f"{tape}: {count(report.records)} records, layout {report.layout}")
    return 0


def _remarks(report: SharkReport) -> Iterator[str]:
    if report.unknown:
        yield (
            f"{count(report.unknown)} records of events that are not known, the first at byte "
            f"{report.first_unknown}; they are kept under their number"
        )
    if report.left_out:
        yield (
            f"{count(report.left_out)} records have a number above 1023, the first at byte "
            f"{report.first_left_out}; they are left out, is --layout right?"
        )
    yield from odd_order_and_end(report)

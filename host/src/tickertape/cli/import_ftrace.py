"""`tickertape import ftrace`: make a tape of a file of the S.Ha.R.K. kernel's second tracer."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.importing import odd_order_and_end, units_of, warn_of, with_progress
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import count
from tickertape.formats.ftrace.read import RECORD_BYTES, import_ftrace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tickertape.formats.ftrace.read import FtraceReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to read")
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what looks wrong."""
    source, tape = arguments.file, arguments.output
    total = units_of(source, RECORD_BYTES)
    report = with_progress(arguments, "records", total, partial(import_ftrace, source, tape))
    warn_of(source, _remarks(report))
    if not arguments.quiet:
        print(f"{tape}: {count(report.records)} records")
    return 0


def _remarks(report: FtraceReport) -> Iterator[str]:
    if report.unknown:
        yield (
            f"{count(report.unknown)} records of events that are not known, the first at byte "
            f"{report.first_unknown}; they are kept, see them with --style list"
        )
    yield from odd_order_and_end(report)
    if report.ticks_per_ms is None:
        yield "does not say how fast its clock goes; a tick is shown as 1 ns"

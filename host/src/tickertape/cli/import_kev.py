"""`tickertape import kev`: make a tape of a kernel trace of QNX Neutrino."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.importing import cut_end, units_of, warn_of, with_progress
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import count
from tickertape.formats.kev.read import import_kev
from tickertape.protocol.wire import RECORD_BYTES

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.kev.read import ImportReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to read")
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what could not be kept."""
    source, tape = arguments.file, arguments.output
    total = units_of(source, RECORD_BYTES)
    report = with_progress(arguments, "records", total, partial(import_kev, source, tape))
    warn_of(source, cut_end(report.rest_bytes))
    if not arguments.quiet:
        print(f"{tape}: {_said(report)}")
    return 0


def _said(report: ImportReport) -> str:
    parts = [f"{count(report.records)} records of {report.cpus} CPUs"]
    if report.losses:
        parts.append(f"the file tells of losses at {count(report.losses)} places, not of how much")
    if not report.rate_known:
        parts.append("it does not say how fast its clock goes, so that a tick is shown as 1 ns")
    return "; ".join(parts)

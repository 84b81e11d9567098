"""`tickertape export kev`: write a tape as a kernel trace of QNX Neutrino."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_file, add_quiet, add_tape, number
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.formats.kev.write import export_kev
from tickertape.version import __version__

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.kev.write import ExportReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_file(parser)
    parser.add_argument("--epoch", type=number, metavar="N", help="which boot of the target")
    parser.add_argument("--stream", type=number, metavar="N", help="which stream (default: first)")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what the file cannot say."""
    with reading_all(arguments) as (reader, tell):
        report = export_kev(
            reader,
            arguments.output,
            __version__,
            epoch=arguments.epoch,
            stream=arguments.stream,
            on_progress=tell,
        )
    if not arguments.quiet:
        print(f"{arguments.output}: {_said(report)}")
    return 0


def _said(report: ExportReport) -> str:
    parts = [f"{count(report.events)} events"]
    if report.losses:
        parts.append(
            f"records are missing at {count(report.losses)} places; the file says where, but has "
            "no place for how many"
        )
    if report.lost_records:
        parts.append(f"{count(report.lost_records)} records of incomplete events are left out")
    return "; ".join(parts)

"""`tickertape export btf`: write a tape as a system trace in the Best Trace Format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_file, add_quiet, add_tape, number
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.cli.symbol_source import add_symbols, given_symbols
from tickertape.formats.btf.write import VERSIONS, export_btf
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.version import __version__

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.btf.write import BtfReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_file(parser, "X.btf")
    parser.add_argument(
        "--version",
        choices=sorted(VERSIONS),
        default="2.3",
        help="version of the format (default: 2.3)",
    )
    parser.add_argument(
        "--stream", type=number, metavar="N", help="which stream (default: the first in use)"
    )
    add_symbols(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what the file cannot say."""
    given = given_symbols(arguments)
    with reading_all(arguments) as (reader, tell):
        report = export_btf(
            reader,
            arguments.output,
            Boots(reader, CodeNames(reader, given, force=arguments.force).of),
            __version__,
            version=arguments.version,
            stream=arguments.stream,
            on_progress=tell,
        )
    if not arguments.quiet:
        print(f"{arguments.output}: {_said(report)}")
    return 0


def _said(report: BtfReport) -> str:
    parts = [f"{count(report.lines)} lines of {count(report.events)} events"]
    if report.losses:
        parts.append(f"records are missing at {count(report.losses)} places, see its comments")
    if report.without_source:
        parts.append(
            f"{count(report.without_source)} changes for which the format has no words are comments"
        )
    if report.lost_records:
        parts.append(f"{count(report.lost_records)} records of incomplete events are left out")
    return "; ".join(parts)

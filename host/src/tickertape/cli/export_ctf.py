"""`tickertape export ctf`: write a tape as a trace in the Common Trace Format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.formats.ctf.write import VERSIONS, export_ctf
from tickertape.version import __version__

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.ctf.write import CtfReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="the folder to make; one of that name has to be empty",
    )
    parser.add_argument(
        "--ctf",
        choices=VERSIONS,
        default=VERSIONS[0],
        help=f"version of the format (default: {VERSIONS[0]})",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what readers will report as lost."""
    with reading_all(arguments) as (reader, tell):
        report = export_ctf(
            reader,
            arguments.output,
            version=arguments.ctf,
            program=__version__,
            on_progress=tell,
        )
    if not arguments.quiet:
        print(f"{arguments.output}: {_said(report)}")
    return 0


def _said(report: CtfReport) -> str:
    parts = [f"{count(report.events)} events in {report.streams} streams"]
    if report.traces > 1:
        parts.append(f"a trace for each of {report.traces} boots")
    if report.discarded:
        parts.append(f"{count(report.discarded)} records were lost and are counted as discarded")
    if report.unknown:
        parts.append(
            f"at {count(report.unknown)} places the number is unknown; they are discarded packets"
        )
    if report.held:
        parts.append(f"the clock stepped back before {count(report.held)} events, which are held")
    if report.lost_records:
        parts.append(f"{count(report.lost_records)} records of incomplete events are left out")
    return "; ".join(parts)

"""`tickertape export kev`: write a tape as a kernel trace of QNX Neutrino."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape import __version__
from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import ProgressLine, count
from tickertape.cli.pace import pace
from tickertape.cli.reading import reading
from tickertape.export.kev import export_kev

if TYPE_CHECKING:
    from tickertape.export.kev import ExportReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", required=True, help="the file to write"
    )
    parser.add_argument("--epoch", type=_number, metavar="N", help="which boot of the target")
    parser.add_argument("--stream", type=_number, metavar="N", help="which stream (default: first)")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what the file cannot say."""
    started = time.monotonic()
    with reading(arguments.tape) as reader, ProgressLine(quiet=arguments.quiet) as line:
        total = reader.record_count
        report = export_kev(
            reader,
            arguments.output,
            __version__,
            epoch=arguments.epoch,
            stream=arguments.stream,
            on_progress=lambda done: line.say(pace("events", done, total, started)),
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


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)

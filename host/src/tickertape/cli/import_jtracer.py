"""`tickertape import jtracer`: make a tape of a file of JTracer."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.importing import time_goes_back, warn_of, with_progress
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import count
from tickertape.formats.jtracer.read import import_jtracer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tickertape.formats.jtracer.read_events import JtracerReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to read")
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what looks wrong."""
    source, tape = arguments.file, arguments.output
    report = with_progress(arguments, "records", 0, partial(import_jtracer, source, tape))
    warn_of(source, _remarks(report))
    if not arguments.quiet:
        print(f"{tape}: {count(report.records)} records became {count(report.events)} events")
    return 0


def _remarks(report: JtracerReport) -> Iterator[str]:
    if report.unread is not None:
        number, offset = report.unread
        yield (
            f"record {count(number)} at byte {offset} is cut or none of JTracer; it and all behind "
            "it are left out, copy the file again if it was longer"
        )
    for why, times in report.left_out.items():
        yield f"{count(times)} {why}; they are left out, see docs/shark.md"
    if report.task_0 is not None:
        yield (
            f"task 0 is task {report.task_0} on the tape, where 0 is the idle task; if it is that, "
            "have the file call it idle"
        )
    yield from time_goes_back(report)

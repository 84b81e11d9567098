"""`tickertape export jtracer`: write the life of a tape's tasks for JTracer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_file, add_quiet, add_tape
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.formats.jtracer.write import export_jtracer

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_file(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export."""
    with reading_all(arguments) as (reader, tell):
        report = export_jtracer(
            reader,
            arguments.output,
            on_progress=tell,
        )
    if not arguments.quiet:
        missing = f"; records are missing at {count(report.gaps)} places; the file cannot say so"
        print(f"{arguments.output}: {count(report.records)} records{missing * bool(report.gaps)}")
    return 0

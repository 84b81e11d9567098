"""What the exports that people look at have in common: options, names, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_file, add_quiet, add_tape, number
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tickertape.formats.timeline.parts import ViewReport


def add_view_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_file(parser)
    parser.add_argument(
        "--stream", type=number, metavar="N", help="which stream (default: the first in use)"
    )
    add_quiet(parser)


def run_view(arguments: argparse.Namespace, export: Callable[..., ViewReport]) -> int:
    """Export by one of `export_perfetto`, `export_chrome`, and say what it shows."""
    with reading_all(arguments) as (reader, tell):
        report = export(
            reader,
            arguments.output,
            boots=Boots(reader, CodeNames(reader).of),
            stream=arguments.stream,
            on_progress=tell,
        )
    if not arguments.quiet:
        print(f"{arguments.output}: {_said(report)}")
    return 0


def _said(report: ViewReport) -> str:
    parts = [f"{count(report.slices)} slices on {count(report.tracks)} tracks"]
    if report.flows:
        parts.append(f"{count(report.flows)} messages as flows")
    if report.lost:
        parts.append(f"{count(report.lost)} records were lost, marked where they went")
    return "; ".join(parts)

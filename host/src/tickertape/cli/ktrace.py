"""`tickertape ktrace`: show what the kernel did, as a display file of Kiwi and as a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_file, add_quiet, add_tape
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.errors import UsageError
from tickertape.formats.ktrace.write import export_ktrace

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.ktrace.write import KtraceReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_file(parser, "X.tra", "the display file")
    parser.add_argument(
        "--dbg", type=Path, metavar="X.dbg", help="the text (default: beside it, X.dbg)"
    )
    parser.add_argument(
        "--stream",
        type=int,
        metavar="N",
        help="which stream (default: the one called rtl_ktrace, else 0)",
    )
    parser.add_argument(
        "--boot", type=int, metavar="N", default=0, help="which boot of the target, from 0"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write both files, and say what they do not hold."""
    text: Path = arguments.dbg or arguments.output.with_suffix(".dbg")
    if text.resolve() == arguments.output.resolve():
        raise UsageError(f"{text} cannot be both files", "end the display file in .tra")
    with reading_all(arguments) as (reader, tell):
        report = export_ktrace(
            reader,
            arguments.output,
            text,
            stream=arguments.stream,
            boot=arguments.boot,
            on_progress=tell,
        )
    if not arguments.quiet:
        print(f"{arguments.output}, {text}: {'; '.join(_parts(report))}")
    return 0


def _parts(report: KtraceReport) -> list[str]:
    parts = [
        f"{count(report.events)} system events of stream {report.stream} on {report.lines} lines"
    ]
    if report.lost:
        parts.append(f"{count(report.lost)} records are missing")
    if report.tasks_left_out:
        parts.append(f"no line was left for {report.tasks_left_out} tasks")
    if report.cut:
        parts.append("what is later than 9 999 s is left out")
    if report.boots_left_out:
        parts.append(f"{report.boots_left_out} more boots: choose with --boot")
    return parts

"""`tickertape stats`: show response times, loads and waits of a tape, with limits at gaps."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.answers.figures import Row, rows_of, to_json
from tickertape.answers.statistics import statistics_of, without_tracer
from tickertape.cli.filters import add_times, times_of
from tickertape.cli.options import add_boot, add_quiet, add_tape, known_boot, stream_of
from tickertape.cli.reading import reading_all
from tickertape.cli.stats_screen import show_stats
from tickertape.files import write_text
from tickertape.report.page import document
from tickertape.report.stats_page import stats_body

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tickertape.tape.reader import TapeReader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_range(parser)
    parser.add_argument("--all", action="store_true", help="all rows, not the first ten")
    parser.add_argument(
        "--without-tracer",
        action="store_true",
        help="subtract what tracing cost from loads and CPU times: shown as limits",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object, for programs")
    form.add_argument("--csv", action="store_true", help="one row for each figure")
    form.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write one HTML file with all rows and pictures; it needs no network",
    )
    add_quiet(parser)


def add_range(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a part of a tape: times, boot and stream."""
    add_times(parser, "count nothing before TIME, e.g. 1.25, 300ms", "count nothing after TIME")
    add_boot(parser)
    parser.add_argument(
        "--stream",
        type=int,
        metavar="N",
        help="only this stream (default: the lowest with records)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the statistics."""
    begin, end = times_of(arguments)
    with reading_all(arguments) as (reader, say):
        epochs, stream = boots_of(reader, arguments.boot), stream_of(reader, arguments.stream)
        found = list(
            statistics_of(
                reader,
                epochs=epochs,
                stream=stream,
                begin_ns=begin,
                end_ns=end,
                on_progress=say,
            )
        )
    if arguments.without_tracer:
        found = [without_tracer(boot) for boot in found]
    if arguments.json:
        print(json.dumps({"boots": [to_json(boot) for boot in found]}, indent=2))
    elif arguments.csv:
        table = csv.writer(sys.stdout, lineterminator="\n")
        table.writerow(Row._fields)
        for boot in found:
            table.writerows(rows_of(boot))
    elif arguments.html is not None:
        title = f"Statistics of {arguments.tape.name}"
        write_text(arguments.html, document(title, stats_body(found)))
    else:
        show_stats(found, whole=arguments.all)
    return 0


def boots_of(reader: TapeReader, boot: int | None) -> Sequence[int]:
    """Return the boot of --boot, else all boots.

    Raises:
        UsageError: the tape has no such boot.
    """
    chosen = known_boot(reader, boot)
    return reader.epochs if chosen is None else [chosen]

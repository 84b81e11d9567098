"""`tickertape hil run`: record and check firmware images on the boards of a lab."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.hil_report import drift_table, json_of, junit_of, lines_of, page_of, summary_of
from tickertape.cli.hil_runs import record_all
from tickertape.cli.hil_suite import load_suite
from tickertape.cli.options import add_quiet
from tickertape.cli.verdicts import FAILED, UNDECIDED
from tickertape.errors import TapeWriteFailed
from tickertape.files import write_text
from tickertape.report.page import document
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from tickertape.answers.check import Outcome
    from tickertape.cli.hil_runs import Run
    from tickertape.formats.arrow.history import Drift


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    run_ = verbs.add_parser("run", help="record and check each image on each board of a suite")
    run_.add_argument(
        "suite",
        metavar="SUITE.yaml",
        type=Path,
        help="images, boards and requirements; docs/lab.md has the keys",
    )
    run_.add_argument("--junit", type=Path, metavar="FILE", help="also write a JUnit file")
    run_.add_argument(
        "--html", type=Path, metavar="FILE", help="also write an HTML file; it needs no network"
    )
    run_.add_argument("--json", action="store_true", help="one JSON object, for programs")
    add_quiet(run_)


def run(arguments: argparse.Namespace) -> int:
    """Run a suite, and print the result of each run."""
    suite = load_suite(arguments.suite)
    when = datetime.now(UTC)
    if suite.history is not None:
        from tickertape.formats.arrow.batches import pyarrow  # noqa: PLC0415 - slow

        pyarrow()  # fails before any recording if it is not installed
    folder = _new_folder(suite.folder, when)
    prints_lines = not arguments.quiet and not arguments.json

    def show(one: Run) -> None:
        write_text(folder / f"{one.board}-{one.image}.xml", junit_of([one]))
        if prints_lines:
            print("\n".join(lines_of(one)), flush=True)

    runs = record_all(suite, folder, show=show)
    drift = [] if suite.history is None else _drift(suite.history, runs, when)
    if arguments.junit is not None:
        write_text(arguments.junit, junit_of(runs))
    if arguments.html is not None:
        title = f"{arguments.suite.name}, {when:%Y-%m-%d %H:%M:%S} UTC"
        write_text(arguments.html, document(title, page_of(runs, drift)))
    if arguments.json:
        print(json.dumps(json_of(runs, drift), indent=2))
    if prints_lines:
        _show_drift(drift)
        print(summary_of(runs))
    return _code(outcome for one in runs for outcome in one.outcomes())


def _code(outcomes: Iterable[Outcome]) -> int:
    found = {one.value for one in outcomes}
    return FAILED if "FAIL" in found else UNDECIDED if "UNKNOWN" in found else 0


def _new_folder(parent: Path, when: datetime) -> Path:
    """Create a new folder for the tapes of this run; return its path."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for number in range(1000):
            mark = f"-{number}" if number else ""
            folder = parent / f"{when:%Y%m%dT%H%M%S}{mark}"
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise TapeWriteFailed(
            f"{parent} cannot be made ({error.strerror})", "give another `folder`"
        ) from error
    raise TapeWriteFailed(f"{parent} has 1000 runs of this second", "give another `folder`")


def _drift(history: Path, runs: Sequence[Run], when: datetime) -> list[Drift]:
    """Add the figures of the runs to the history; return them with those of earlier runs."""
    from tickertape.formats.arrow.history import append, drifts, figures_of  # noqa: PLC0415 - slow

    found = []
    for board in dict.fromkeys(one.board for one in runs):
        figures = []
        for one in runs:
            if one.board == board and one.tape is not None and one.error is None:
                with TapeReader(one.tape) as reader:
                    figures += [(one.image, name, value) for name, value in figures_of(reader)]
        if figures:
            append(history, board, when, figures)
            found += drifts(history, board)
    return found


def _show_drift(drift: Sequence[Drift]) -> None:
    """Print the figures outside the range of all earlier runs."""
    outside = [one for one in drift if one.is_outside]
    for row in drift_table(outside).rows:
        figure, board, image, value, median, change, before, _ = row
        print(
            f"DRIFT   {board}: {image}: {figure} {value} us, {change} of the median "
            f"{median} us of {before} earlier runs"
        )

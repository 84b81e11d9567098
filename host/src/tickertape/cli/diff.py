"""`tickertape diff`: compare two tapes."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tickertape.answers.diff import compare, unmatched
from tickertape.answers.diff_json import to_json
from tickertape.cli.diff_screen import show
from tickertape.cli.options import add_boot, add_quiet
from tickertape.cli.output import ProgressLine
from tickertape.cli.reading import reading
from tickertape.formats.extras import load
from tickertape.report.numbers import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.diff import Comparison

REGRESSED = 1
UNDECIDED = 10


def percent(text: str) -> float:
    """Parse a percentage of at least 0, with or without %, as a fraction.

    Raises:
        argparse.ArgumentTypeError: the text is not such a percentage.
    """
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage, as in 5%")
    return value / 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("before", type=Path, metavar="A.tape", help="the reference tape")
    parser.add_argument("after", type=Path, metavar="B.tape", help="the tape to compare with it")
    parser.add_argument(
        "--fail-on-regression",
        dest="threshold",
        type=percent,
        metavar="PERCENT",
        help="exit with 1 when a response or execution time grew by more, or more deadlines are "
        "missed; with 10 when that is unknown",
    )
    add_boot(parser)
    parser.add_argument("--all", action="store_true", help="all figures, also equal ones")
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print the differences."""
    stats = scipy_stats()
    found, alone = _compared(
        (arguments.before, arguments.after), stats, quiet=arguments.quiet, boot=arguments.boot
    )
    threshold = arguments.threshold
    if arguments.json:
        print(json.dumps(to_json(found, alone, threshold), indent=2))
    elif not arguments.quiet:
        show(found, alone, threshold=threshold, whole=arguments.all)
    return 0 if threshold is None else _code(found, alone, threshold)


def scipy_stats() -> Any:  # noqa: ANN401 - scipy has no types
    """Import `scipy.stats`, which intervals of differences need.

    Raises:
        UsageError: scipy is not installed.
    """
    return load("scipy.stats", extra="diff", what="intervals of differences")


def show_differences(before: Path, after: Path, stats: Any) -> None:  # noqa: ANN401 - see above
    """Print the differences of two tapes, as `diff` does.

    Raises:
        TapeError: a tape cannot be read.
    """
    found, alone = _compared((before, after), stats, quiet=False)
    show(found, alone, threshold=None, whole=False)


def _compared(
    tapes: tuple[Path, Path],
    stats: Any,  # noqa: ANN401 - see above
    *,
    quiet: bool,
    boot: int | None = None,
) -> tuple[list[Comparison], list[str]]:
    first, second = (reading(tape, boot) for tape in tapes)
    with first as a, second as b, ProgressLine(quiet=quiet) as line:
        found = list(
            compare(a, b, stats, on_progress=lambda done: line.say(f"read {count(done)} events"))
        )
        return found, unmatched(a, b)


def _code(found: Sequence[Comparison], alone: Sequence[str], threshold: float) -> int:
    answers = {one.regressed(threshold) for each in found for one in each.figures}
    if True in answers:
        return REGRESSED
    return UNDECIDED if None in answers or alone or not found else 0

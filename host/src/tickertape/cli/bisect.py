"""`tickertape bisect`: find the commit that broke a timing requirement."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from tickertape.answers.spec import load
from tickertape.cli import bisect_git as checkout
from tickertape.cli.bisect_runs import ENDS, PLACE, Bench, NoTape, Sequential, differ
from tickertape.cli.options import add_quiet
from tickertape.errors import UsageError
from tickertape.formats.extras import load as load_extra

if TYPE_CHECKING:
    from collections.abc import Callable

UNDECIDED: Final = 10
_RUNS: Final = 40


def _confidence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.5 < value < 1.0:  # noqa: PLR2004 - 0.5 is the confidence of a coin toss
        raise argparse.ArgumentTypeError(f"{text!r} is not above 0.5 and below 1")
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--good", required=True, metavar="COMMIT", help="a commit that met the requirements"
    )
    parser.add_argument(
        "--bad",
        default="HEAD",
        metavar="COMMIT",
        help="a commit that does not meet them (default: HEAD)",
    )
    parser.add_argument(
        "--run",
        dest="recipe",
        required=True,
        metavar="COMMAND",
        help=f"builds and runs a commit; the shell gets a path for {PLACE}, which it has to write",
    )
    parser.add_argument(
        "--spec", type=Path, required=True, metavar="FILE", help="the requirements, a YAML file"
    )
    parser.add_argument(
        "--confidence",
        type=_confidence,
        default=0.95,
        metavar="P",
        help="repeat runs until a verdict is right with this probability (default: 0.95)",
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Bisect, and print the verdict about each commit."""
    if PLACE not in arguments.recipe:
        raise UsageError(f"--run has no {PLACE}", f"write it as in: tickertape run -o {PLACE}")
    stats = load_extra("scipy.stats", extra="diff", what="repeated runs")
    requirements = load(arguments.spec)  # before a checkout, which may change the file
    good, bad = map(checkout.commit_of, (arguments.good, arguments.bad))
    if not checkout.is_ancestor(good, bad):
        raise UsageError(f"{arguments.good} is not before {arguments.bad}", "swap them?")

    def say(text: str) -> None:
        if not arguments.quiet:
            print(text, flush=True)

    alpha = 1.0 - arguments.confidence
    with TemporaryDirectory(prefix="tickertape-bisect-") as folder, checkout.restored():
        bench = Bench(arguments.recipe, requirements, Path(folder) / "run.tape")
        counts: dict[str, tuple[int, int]] = {good: (0, 0), bad: (0, 0)}
        if not _ends_differ(bench, counts, alpha, stats):
            say(f"undecided: {_of(counts[good])} of good FAIL, {_of(counts[bad])} of bad")
            return UNDECIDED
        for word, commit in (("good", good), ("bad", bad)):
            say(f"{word:<8}{checkout.described(commit)}: {_of(counts[commit])} FAIL")
        found = checkout.mark("start", bad, good)
        while not found:
            found = checkout.mark(
                _judged(bench, Sequential.of(counts[good], counts[bad], alpha), say)
            )
    say("the first bad commit is:" if len(found) == 1 else "the first bad commit is one of:")
    for commit in found:
        print(checkout.described(commit))
    return 0 if len(found) == 1 else UNDECIDED


def _ends_differ(
    bench: Bench,
    counts: dict[str, tuple[int, int]],
    alpha: float,
    stats: Any,  # noqa: ANN401 - scipy has no types
) -> bool:
    """Run the good and the bad commit until their counts differ; return whether they do.

    `counts` has FAIL and PASS of each commit, good first. The runs are added to it.
    """
    done = 0
    for runs in ENDS:
        for commit, (fails, passes) in counts.items():
            checkout.check_out(commit)
            more = _counted(bench, commit, runs - done)
            counts[commit] = (fails + more[0], passes + more[1])
        done = runs
        good, bad = counts.values()
        if differ(good, bad, alpha, stats):
            return True
    return False


def _of(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {sum(counts)} runs"


def _counted(bench: Bench, commit: str, runs: int) -> tuple[int, int]:
    try:
        return bench.count(runs)
    except NoTape as error:
        raise UsageError(
            f"the run of {checkout.described(commit)} left no tape that can be read",
            "try --run by hand; it has to write {tape}",
        ) from error


def _judged(bench: Bench, test: Sequential, say: Callable[[str], None]) -> str:
    """Run the checked-out commit until the test decides; return `bad`, `good` or `skip`."""
    name = checkout.described("HEAD")
    fails = runs = 0
    is_bad = None
    try:
        while is_bad is None and runs < _RUNS:
            runs += 1
            outcome = bench.fails()
            if outcome is not None:
                fails += outcome
                is_bad = test.take(fails=outcome)
    except NoTape:
        say(f"skip    {name}: no tape")
        return "skip"
    word = {True: "bad", False: "good", None: "skip"}[is_bad]
    say(f"{word:<8}{name}: {fails} of {runs} runs FAIL")
    return word

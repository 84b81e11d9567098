"""`tickertape check`: judge a tape by a specification of its timing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from tickertape.answers.check import Outcome, check
from tickertape.answers.junit import junit
from tickertape.answers.report import lines_of
from tickertape.answers.spec import load
from tickertape.cli.console import PlainConsole
from tickertape.cli.files import write_text
from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.reading import reading_all

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tickertape.answers.check import Verdict

FAILED = 1
UNDECIDED = 10
_STYLES = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.UNKNOWN: "yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "--spec", type=Path, required=True, metavar="FILE", help="the requirements, a YAML file"
    )
    parser.add_argument("--stream", type=int, metavar="N", help="read this stream")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write a JUnit file")
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check, and print a verdict for each requirement."""
    requirements = load(arguments.spec)
    with reading_all(arguments) as (reader, say):
        verdicts = check(reader, requirements, stream=arguments.stream, on_progress=say)
    if arguments.junit is not None:
        write_text(arguments.junit, junit(verdicts, suite=arguments.spec.stem))
    counts = Counter(one.outcome for one in verdicts)
    if arguments.json:
        found = [one.to_json() for one in verdicts]
        print(json.dumps({"verdicts": found, "counts": _counts(counts)}, indent=2))
    elif not arguments.quiet:
        _show(verdicts, counts)
    if counts[Outcome.FAIL]:
        return FAILED
    return UNDECIDED if counts[Outcome.UNKNOWN] else 0


def _show(verdicts: Sequence[Verdict], counts: Counter[Outcome]) -> None:
    console = PlainConsole()
    for one in verdicts:
        head = Text(f"{one.outcome.value:<8}", style=_STYLES[one.outcome])
        head.append(f"{one.requirement.name}: {one.requirement.sentence}", style="default")
        console.print(head, soft_wrap=True)
        for line in lines_of(one):
            console.print(Text(f"        {line}"), soft_wrap=True)
    console.print(", ".join(f"{number} {what}" for what, number in _counts(counts).items()))


def _counts(counts: Counter[Outcome]) -> dict[str, int]:
    return {outcome.value: counts[outcome] for outcome in Outcome}

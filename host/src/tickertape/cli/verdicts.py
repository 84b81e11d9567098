"""Print verdicts on a terminal, and their exit code."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.text import Text

from tickertape.answers.check import Outcome
from tickertape.answers.report import lines_of
from tickertape.cli.console import PlainConsole
from tickertape.report.verdicts import outcomes_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.answers.check import Verdict

FAILED = 1
UNDECIDED = 10
_STYLES = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.UNKNOWN: "yellow"}


def show_verdicts(
    verdicts: Sequence[Verdict], tape: str = "", *, stream: int | None = None
) -> None:
    """Print each verdict with its reasons, then the number of verdicts by outcome.

    Args:
        verdicts: verdicts to print.
        tape: path of the tape, for commands that show the worst violation; empty for none.
        stream: stream that was checked; None for the default.
    """
    console = PlainConsole()
    for one in verdicts:
        head = Text(f"{one.outcome.value:<8}", style=_STYLES[one.outcome])
        head.append(f"{one.requirement.name}: {one.requirement.sentence}", style="default")
        console.print(head, soft_wrap=True)
        for line in lines_of(one):
            console.print(Text(f"        {line}"), soft_wrap=True)
        words = one.view_words(tape, stream=stream) if tape else []
        if words:
            console.print(Text(f"        tickertape {shlex.join(words)}"), soft_wrap=True)
    console.print(outcomes_text(verdicts))


def verdict_code(verdicts: Iterable[Verdict]) -> int:
    """Return the exit code: 1 if a verdict is FAIL, else 10 if one is UNKNOWN, else 0."""
    outcomes = {one.outcome for one in verdicts}
    if Outcome.FAIL in outcomes:
        return FAILED
    return UNDECIDED if Outcome.UNKNOWN in outcomes else 0

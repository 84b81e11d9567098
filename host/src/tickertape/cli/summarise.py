"""Store a summary on a new tape, so that `info` answers immediately."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tickertape.analysis.stored import add_summary
from tickertape.cli.output import ProgressLine
from tickertape.cli.pace import pace
from tickertape.errors import TapeError
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


def summarise(tapes: Iterable[Path], *, quiet: bool) -> None:
    """Read tapes that were just written, and store a summary on each.

    A tape is complete without its summary: errors and Ctrl-C are ignored, and `info` computes it.
    """
    with suppress(KeyboardInterrupt), ProgressLine(quiet=quiet) as line:
        for tape in tapes:
            with suppress(TapeError):
                if tape.is_file():
                    add_summary(tape, reading(tape, line))


def reading(tape: Path, line: ProgressLine) -> Callable[[int], None]:
    """Return a function that shows on `line` how many records of a tape have been read."""
    started = time.monotonic()
    with TapeReader(tape) as reader:
        total = reader.record_count

    def say(done: int) -> None:
        line.say(pace("records", done, total, started))

    return say

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
    """Read tapes that were just written; after Ctrl-C the next reader does it.

    The tapes are complete without it, so nothing that goes wrong here is worth a word.
    """
    with suppress(KeyboardInterrupt), ProgressLine(quiet=quiet) as line:
        for tape in tapes:
            with suppress(TapeError):
                if tape.is_file():
                    add_summary(tape, reading(tape, line))


def reading(tape: Path, line: ProgressLine) -> Callable[[int], None]:
    """Return what shows how much of a tape has been read."""
    started = time.monotonic()
    with TapeReader(tape) as reader:
        total = reader.record_count

    def say(done: int) -> None:
        line.say(pace("records", done, total, started))

    return say

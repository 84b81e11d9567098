"""What every `tickertape import` does: tell its progress, then what looked odd."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from tickertape.cli.output import ProgressLine, warn
from tickertape.cli.pace import pace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable
    from pathlib import Path

Report = TypeVar("Report")


def with_progress(
    arguments: argparse.Namespace, what: str, total: int, import_: Callable[..., Report]
) -> Report:
    """Import, with a line that says how far it is.

    Args:
        arguments: of the command; has `quiet`.
        what: what is counted, in the plural.
        total: how many there are; 0 when that is not known.
        import_: does it; takes `on_progress`, which it calls with how many are done.
    """
    started = time.monotonic()
    with ProgressLine(quiet=arguments.quiet) as line:
        return import_(on_progress=lambda done: line.say(pace(what, done, total, started)))


def units_of(source: Path, unit_bytes: int) -> int:
    """How many whole units a file has; 0 where there is no such file."""
    return source.stat().st_size // unit_bytes if source.is_file() else 0


def warn_of(source: Path, remarks: Iterable[str]) -> None:
    """Say what looked odd in a file."""
    for remark in remarks:
        warn(f"{source}: {remark}")

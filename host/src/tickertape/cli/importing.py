"""What every `tickertape import` does: tell its progress, then what looked odd."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, TypeVar

from tickertape.cli.output import ProgressLine, count, warn
from tickertape.cli.pace import pace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Report = TypeVar("Report")


def with_progress(
    arguments: argparse.Namespace, what: str, total: int, import_: Callable[..., Report]
) -> Report:
    """Import with a progress line.

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


class Turning(Protocol):
    """A report that counts where time goes back; the first place is a byte of the file."""

    turns: int
    first_turn: int | None


class Oddities(Turning, Protocol):
    """One that also knows how many bytes of a cut record are at the end."""

    rest_bytes: int


def odd_order_and_end(report: Oddities) -> Iterator[str]:
    """Yield a remark where time goes back, and one where the file ends within a record."""
    yield from time_goes_back(report)
    yield from cut_end(report.rest_bytes)


def time_goes_back(report: Turning) -> Iterator[str]:
    """Yield a remark where time goes back."""
    if report.turns:
        yield (
            f"the time goes back {count(report.turns)} times, first at byte {report.first_turn}; "
            "all records are kept, in their order; check that it is one trace only"
        )


def cut_end(rest_bytes: int) -> Iterator[str]:
    """Yield a remark where a file ends so many bytes within a record."""
    if rest_bytes:
        yield (
            f"ends within a record, its last {rest_bytes} bytes are left out; copy it again "
            "if it was longer"
        )

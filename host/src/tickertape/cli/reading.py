"""A tape, open for a command that reads it: what is wrong with it is told once it was read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tickertape.cli.output import count, warn
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def reading(path: Path) -> Iterator[TapeReader]:
    """Open a tape; say in the end what is wrong with it.

    Raises:
        TapeError: it cannot be opened.
    """
    with TapeReader(path) as reader:
        yield reader
        warn_of_damage(reader)


def warn_of_damage(reader: TapeReader) -> None:
    """Say in one line what was found wrong with a tape, so that nobody takes a part for all."""
    if not reader.issues:
        return
    first, more = reader.issues[0], len(reader.issues) - 1
    others = f", and {count(more)} more" if more else ""
    warn(
        f"{reader.path}: at byte {first.offset}: {first.what}{others}; "
        f"see all of it with 'tickertape info'"
    )

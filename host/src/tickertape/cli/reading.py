"""Open a tape for a command and report its damage after the command has read it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.output import ProgressLine, warn
from tickertape.cli.pace import pace
from tickertape.report.numbers import count
from tickertape.tape import TapeReader
from tickertape.tape.one_boot import OneBoot

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

_ADDRESSES: Final = ("file:", "unix:", "swo:", "/dev/", "COM")


@contextmanager
def reading(path: Path, boot: int | None = None) -> Iterator[TapeReader]:
    """Open a tape; report its damage when the context ends.

    Args:
        path: path of the tape.
        boot: read only this boot of the target; None for all.

    Raises:
        TapeError: the tape cannot be opened.
        UsageError: the tape has no such boot.
    """
    with TapeReader(path) if boot is None else OneBoot(path, boot) as reader:
        yield reader
        warn_of_damage(reader)


@contextmanager
def reading_all(
    arguments: argparse.Namespace,
    boot: int | None = None,
) -> Iterator[tuple[TapeReader, Callable[[int], None]]]:
    """Open the tape of a command that reads all of it; also yield a function that shows progress.

    Args:
        arguments: arguments of the command, with `tape` and `quiet`.
        boot: as for `reading`.

    Raises:
        TapeError: the tape cannot be opened.
    """
    with reading(arguments.tape, boot) as reader, ProgressLine(quiet=arguments.quiet) as line:
        total, started = reader.record_count, time.monotonic()
        yield reader, lambda done: line.say(pace("events", done, total, started))


def is_link(text: str) -> bool:
    """Distinguish an address of a link from the path of a tape.

    A regular file is a tape; with the prefix `file:` it is a recording of a link.
    """
    if text == "-" or "://" in text or text.startswith(_ADDRESSES):
        return True
    path = Path(text)
    return path.exists() and not path.is_file() and not path.is_dir()


def warn_of_damage(reader: TapeReader) -> None:
    """Report the damage of a tape in one line, so that a part is not mistaken for the whole."""
    if not reader.issues:
        return
    first, more = reader.issues[0], len(reader.issues) - 1
    others = f", and {count(more)} more" if more else ""
    warn(
        f"{reader.path}: at byte {first.offset}: {first.what}{others}; "
        f"see all of it with 'tickertape info'"
    )

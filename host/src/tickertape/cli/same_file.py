"""Refuse an output that is also the input or another output, before any other step."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

# Arguments that name outputs, and arguments that name inputs: a path, several paths, or a link.
_OUTPUTS = ("output", "dbg", "html", "junit", "raw", "svg")
_INPUTS = ("tape", "tapes", "file", "source", "metadata", "elf", "map", "symbols", "link")
# These commands may replace their input: they rename the complete result.
_IN_PLACE = ("repair", "cut")


def refuse_output_over_input(arguments: argparse.Namespace) -> None:
    """Refuse a command that would overwrite its input, or write two outputs to one file.

    Raises:
        UsageError: it would. No file was changed.
    """
    if arguments.command in _IN_PLACE:
        return
    words = vars(arguments)
    outputs = [path for name in _OUTPUTS if isinstance(path := words.get(name), Path)]
    for one, other in combinations(outputs, 2):
        if _real(one) == _real(other) and not one.is_char_device():
            raise UsageError(f"{one} cannot be both files", "give each output its own name")
    for source in _sources(words) if outputs else ():
        for output in outputs:
            if _is_same(source, output):
                raise UsageError(f"{output} is the file to be read", "give the output another name")


def _real(path: Path) -> str:
    """Return a path with its links resolved, as far as they exist."""
    return os.path.realpath(path)


def _is_same(source: Path, output: Path) -> bool:
    with suppress(OSError):  # the command reports a missing or unreadable file
        return source.is_file() and source.samefile(output)
    return False


def _sources(words: dict[str, object]) -> Iterator[Path]:
    for name in _INPUTS:
        value = words.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Path):
                yield one
            elif isinstance(one, str) and one:
                yield from _file_of(one)


def _file_of(link: str) -> Iterator[Path]:
    """Yield the file that a link reads, if it reads one."""
    # Slow: it imports numpy, and few commands have a link and an output.
    from tickertape.link.address import file_of  # noqa: PLC0415 - see above

    path = file_of(link)
    if path is not None:
        yield path

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

# Arguments that name what is written, and those that name what is read: a path, several, or a link.
_OUTPUTS = ("output", "dbg", "html", "junit", "raw", "svg")
_INPUTS = ("tape", "tapes", "file", "source", "metadata", "elf", "map", "symbols", "link")
# They make a tape of a tape, and give it the name of the first when it is whole.
_IN_PLACE = ("repair", "cut")


def refuse_output_over_input(arguments: argparse.Namespace) -> None:
    """Look whether a command would write over what it reads, or two outputs to one file.

    Raises:
        UsageError: it would; nothing was touched.
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
    """Return a path without links, as far as they lead somewhere."""
    return os.path.realpath(path)


def _is_same(source: Path, output: Path) -> bool:
    with suppress(OSError):  # what is not there or may not be looked at, its opener complains of
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
    # Slow: it brings numpy, and few commands have a link and an output.
    from tickertape.link.address import file_of  # noqa: PLC0415 - see above

    path = file_of(link)
    if path is not None:
        yield path

"""The commands that a page of the documentation shows: `$ words`, then their output.

    $ tickertape info T.tape
    $ tickertape view T.tape  # not run here: needs a browser

A test runs the commands of a page, except the marked ones, which `make docs` lists.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT: Final = "$ "
_MARK: Final = "# not run here: needs "


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page.

    Attributes:
        words: of its command line.
        output: the lines that the page shows; `...` stands for any number of lines.
        needs: what it needs that a test does not have; empty for a command that a test runs.
    """

    words: tuple[str, ...]
    output: tuple[str, ...]
    needs: str


def commands_of(markdown: str) -> Iterator[Shown]:
    """Yield the commands in the blocks `console` of a page, in order."""
    for block in _BLOCK.findall(markdown):
        for part in ("\n" + block).split("\n" + _PROMPT)[1:]:
            line, *output = part.splitlines()
            command, _, needs = line.partition(_MARK)
            yield Shown(tuple(shlex.split(command)), tuple(output), needs.strip())

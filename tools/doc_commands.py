"""Extract blocks of code from a page of the documentation, and the commands in them.

    $ tickertape info T.tape
    $ tickertape view T.tape  # not run here: needs a browser

A mark alone on the first line of a block applies to the whole block, in any language. Tests run the
commands and programs of all pages, except the marked ones, which `make docs` lists.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE: Final = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_PROMPT: Final = "$ "
_MARK: Final = re.compile(r"(?:#|//|--|/\*)[^#\n]*?\bnot run here: needs ([^)*\n;]+)(?:\*/)?")
_WHOLE: Final = re.compile(rf"\A\s*{_MARK.pattern}[^\n]*$", re.MULTILINE)
_CONTINUED: Final = "\\"
_PROGRAM: Final = 60
"""Number of characters that `make docs` shows of a program that is not run."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code of a page.

    Attributes:
        language: language in the page; empty for text.
        text: text of the block, without its indentation.
        needs: requirement that a test does not have; empty for a block that a test runs.
    """

    language: str
    text: str
    needs: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page.

    Attributes:
        line: the command with its continuation lines, without its mark.
        output: the lines that the page shows; `...` stands for any number of lines.
        needs: requirement that a test does not have; empty for a command that a test runs.
    """

    line: str
    output: tuple[str, ...]
    needs: str

    @property
    def words(self) -> tuple[str, ...]:
        """Words of the command line, without comments."""
        return tuple(shlex.split(self.line, comments=True))


def fences_of(markdown: str) -> Iterator[Fence]:
    """Yield all blocks of code of a page, in order."""
    for _, language, text in _FENCE.findall(markdown):
        whole = _WHOLE.match(text)
        yield Fence(language, textwrap.dedent(text), whole[1].strip() if whole else "")


def commands_of(markdown: str) -> Iterator[Shown]:
    """Yield the commands in the blocks `console` of a page, in order."""
    for fence in fences_of(markdown):
        if fence.language == "console":
            yield from typed(fence)


def typed(fence: Fence) -> Iterator[Shown]:
    """Yield the commands of a block `console` or `sh`; commands of `sh` have no output."""
    if fence.language == "sh":
        lines = fence.text.replace(f"{_CONTINUED}\n", f"{_CONTINUED}\0").splitlines()
        parts = [one.replace("\0", "\n") for one in lines if one and not one.startswith("#")]
    else:
        parts = ("\n" + fence.text).split("\n" + _PROMPT)[1:]
    for part in parts:
        lines = part.splitlines()
        last = next(at for at, line in enumerate(lines) if not line.endswith(_CONTINUED)) + 1
        command = "\n".join(lines[:last])
        mark = _MARK.search(command)
        needs = mark[1].strip() if mark else fence.needs
        yield Shown(_MARK.sub("", command).strip(), tuple(lines[last:]), needs)


def not_run(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the requirement and the text of each command or program that no test runs."""
    for fence in fences_of(markdown):
        if fence.language in {"console", "sh"}:
            yield from ((one.needs, one.line) for one in typed(fence) if one.needs)
        elif fence.needs:
            _, _, text = fence.text.partition("\n")
            yield fence.needs, f"{fence.language}: {textwrap.shorten(text, _PROGRAM)}"

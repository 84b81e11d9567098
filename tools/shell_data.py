"""Write the man page and the completion for bash, zsh and fish: `python -m tools.shell_data DIR`.

Both are generated from the parser of the command line, so they contain every command and option.
DIR gets the folders of `share/`; the build of a wheel installs them as data.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import shtab
from argparse_manpage.manpage import Manpage

from tickertape.cli.main import COMMANDS, parser_of
from tickertape.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPLETIONS: Final = {
    "bash": "bash-completion/completions/tickertape",
    "zsh": "zsh/site-functions/_tickertape",
    "fish": "fish/vendor_completions.d/tickertape.fish",
}
MAN_PAGE: Final = "man/man1/tickertape.1"
FILES: Final = (*COMPLETIONS.values(), MAN_PAGE)
"""Paths of the files, below `share/` of an installation."""
_COLUMNS: Final = "100"
_EXITS: Final = "docs/cli.md of the project lists links, JSON keys and exit codes."


def write(folder: Path) -> None:
    """Write all files below `folder`."""
    os.environ["COLUMNS"] = _COLUMNS  # else argparse wraps for the terminal of the build
    for shell, name in COMPLETIONS.items():
        _put(folder / name, shtab.complete(_whole_parser(), shell=shell))
    _put(folder / MAN_PAGE, man_page())


def man_page() -> str:
    """Return the man page, without a date."""
    about = {
        "date": " ",
        "project_name": "tickertape",
        "version": __version__,
        "manual_title": "tickertape",
        "description": "kernel event tracer for Cortex-M",
    }
    page = Manpage(_whole_parser(), _data=about)
    page.add_section("see also", ">", _EXITS)
    return str(page)


def _whole_parser() -> argparse.ArgumentParser:
    """Return a new parser with all commands; its path arguments complete as files."""
    parser = parser_of(COMMANDS)
    for action in _actions(parser):
        if action.type is Path or "tape" in str(action.metavar):
            action.complete = shtab.FILE  # type: ignore[attr-defined] # shtab reads it
    return parser


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 - argparse offers no public list
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for one in action.choices.values():
                yield from _actions(one)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

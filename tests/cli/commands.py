"""All commands of the parser with valid arguments; a new command is included automatically."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.common import leaves as parsers
from tickertape.cli.main import COMMANDS, parser_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

OUTPUTS: Final = frozenset({"output", "html", "junit", "svg", "raw", "dbg", "profile"})
TAPES: Final = frozenset({"T.tape", "A.tape", "B.tape", "T.tape|LINK", "LINK|T.tape"})
# Valid words for required arguments, by command and argument, name in the help, or argument.
_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(TAPES, "good.tape"),
    **dict.fromkeys(("FILE", "PATH", "IMAGE", "ELF", "LINK|RAW", "SUITE.yaml"), "some.file"),
    "DIR": "folder",
    "LINK": "file:some.file",
    "TEXT": "a remark",
    "T": "producer",
    "CLASS": "SCHED",
    "EVENT": "USER.1",
    "EVENTS": "USER.1",
    "PID": "1",
    "TID": "1",
    "NAME": "left",
    "COMMIT": "HEAD",
    "COMMAND": "true",
    "hz": "1000",
    "plan link": "rtt",
}


def leaves() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all commands by name, e.g. `export btf`."""
    found = parser_of(COMMANDS)
    return {one.prog.partition(" ")[2].replace(" LINK", ""): one for one in parsers(found)}


def arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a command, without --help."""
    for action in parser._actions:
        if action.dest != "help":
            yield action


def word_of(name: str, action: argparse.Action) -> str:
    """Return a valid word for an argument."""
    if action.dest in OUTPUTS:
        return "out"
    if action.choices:
        return str(next(iter(action.choices)))
    for key in (f"{name} {action.dest}", str(action.metavar), action.dest):
        if key in _WORDS:
            return _WORDS[key]
    raise AssertionError(f"{name}: give _WORDS a valid word for {action.dest} ({action.metavar})")


def line_of(name: str, /, **words: str) -> list[str]:
    """Return a valid command line; `words` replace words of arguments, by `dest`."""
    positional, options = name.split(), []
    for action in arguments(leaves()[name]):
        word = words.get(action.dest)
        if word is None and not action.required:
            continue
        word = word_of(name, action) if word is None else word
        if action.option_strings:
            options.append(f"{action.option_strings[-1]}={word}")
        else:
            positional.append(word)
    return [*positional, *options]


def is_input(action: argparse.Action) -> bool:
    """Return whether an argument names an input file."""
    is_path = action.type is Path or str(action.metavar) in TAPES
    return is_path and action.dest not in OUTPUTS

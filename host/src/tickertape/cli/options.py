"""Options that several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.targets import TARGETS

if TYPE_CHECKING:
    from tickertape.targets.base import Target

DEFAULT_EXAMPLE = "first_tape"
_U32_MAX = 2**32 - 1


def seconds(text: str) -> float:
    """Read a number of seconds above 0.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def number_option(text: str) -> tuple[str, int]:
    """Read NAME=N, a number from 0 to 2^32 - 1 for the application.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    name, mark, number = text.partition("=")
    valid = name.isidentifier() and mark and number.isascii() and number.isdecimal()
    if not valid or int(number) > _U32_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=N with a number up to {_U32_MAX}")
    return name, int(number)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Let the user ask for errors only."""
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")


def add_target(parser: argparse.ArgumentParser, *, default: str | None) -> None:
    """Let the user choose where the firmware runs; required when there is no default."""
    parser.add_argument(
        "--target",
        choices=sorted(TARGETS),
        default=default,
        required=default is None,
        help="where the firmware runs" + (f" (default: {default})" if default else ""),
    )


def add_example(parser: argparse.ArgumentParser) -> None:
    """Let the user choose the firmware."""
    parser.add_argument(
        "--example",
        metavar="NAME",
        default=DEFAULT_EXAMPLE,
        help=f"folder in firmware/examples (default: {DEFAULT_EXAMPLE})",
    )


def add_output(parser: argparse.ArgumentParser, *, default: str | None = None) -> None:
    """Let the user say where the tape goes; required when there is no default."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="T.tape",
        default=None if default is None else Path(default),
        required=default is None,
        help="the tape to write" + (f" (default: {default})" if default else ""),
    )


def add_tape(parser: argparse.ArgumentParser) -> None:
    """Take the tape to read."""
    parser.add_argument("tape", type=Path, metavar="T.tape", help="the tape to read")


def target_of(arguments: argparse.Namespace) -> Target:
    """Return the target that the user chose."""
    return TARGETS[arguments.target]()

"""Options that several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path


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


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Let the user ask for errors only."""
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")


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


def add_file(
    parser: argparse.ArgumentParser, metavar: str = "FILE", what: str = "the file to write"
) -> None:
    """Let the user say where another tool's file goes."""
    parser.add_argument("-o", "--output", type=Path, metavar=metavar, required=True, help=what)


def number(text: str) -> int:
    """Read a number from 0 on.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def add_tape(parser: argparse.ArgumentParser) -> None:
    """Take the tape to read."""
    parser.add_argument("tape", type=Path, metavar="T.tape", help="the tape to read")

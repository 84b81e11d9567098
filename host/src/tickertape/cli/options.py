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
    """Add --quiet."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")


def add_output(parser: argparse.ArgumentParser, *, default: str | None = None) -> None:
    """Add -o for the tape; required when there is no default."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="T.tape",
        default=None if default is None else Path(default),
        required=default is None,
        help="the tape to write" + (f" (default: {default})" if default else ""),
    )


def add_raw(parser: argparse.ArgumentParser) -> None:
    """Add --raw, which keeps the bytes of a link."""
    parser.add_argument(
        "--raw",
        type=Path,
        metavar="FILE",
        help="also store the bytes of the link as they come; capture and doctor read them again",
    )


def add_file(
    parser: argparse.ArgumentParser, metavar: str = "FILE", what: str = "the file to write"
) -> None:
    """Add -o for another tool's file."""
    parser.add_argument("-o", "--output", type=Path, metavar=metavar, required=True, help=what)


def add_tape(parser: argparse.ArgumentParser) -> None:
    """Take the tape to read."""
    parser.add_argument("tape", type=Path, metavar="T.tape", help="the tape to read")

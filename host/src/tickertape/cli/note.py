"""`tickertape note`: add a remark to a tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.options import add_tape
from tickertape.edit.note import add_note
from tickertape.errors import UsageError

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument("text", metavar="TEXT", help="the remark")


def run(arguments: argparse.Namespace) -> int:
    """Add the remark.

    Raises:
        UsageError: the remark is empty.
    """
    if not arguments.text.strip():
        raise UsageError("the remark is empty", "give a text")
    add_note(arguments.tape, arguments.text)
    return 0

"""`tickertape info`: show contents and losses of a tape."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tickertape.analysis.stored import stored_summary, verified_summary
from tickertape.analysis.summary import summary_of
from tickertape.cli.options import add_boot, add_tape, known_boot
from tickertape.cli.output import ProgressLine
from tickertape.cli.screen import clock_words, show_summary
from tickertape.cli.summarise import reading
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    import argparse

    from tickertape.analysis.summary import Summary


DAMAGED: Final = 10
"""Exit code for a tape with damaged chunks; what was read of it is correct."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "--verify",
        action="store_true",
        help="read the whole tape and check every byte instead of using its summary",
    )
    add_boot(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the summary."""
    with TapeReader(arguments.tape) as reader:
        boot = known_boot(reader, arguments.boot)
        quiet = arguments.quiet
        summary = _summary(reader, boot, verify=arguments.verify, quiet=quiet)
        clock = clock_words(reader.hello.flags) if reader.hello else ""
        is_damaged = reader.is_damaged
    if arguments.json:
        print(json.dumps(summary.to_json(), indent=2))
    else:
        show_summary(summary, boot=boot, clock=clock)
    return DAMAGED if is_damaged else 0


def _summary(reader: TapeReader, boot: int | None, *, verify: bool, quiet: bool) -> Summary:
    if boot is not None:
        if verify:
            reader.check_all()
        with ProgressLine(quiet=quiet) as line:
            found = summary_of(reader, reading(reader.path, line), boot=boot)
        return replace(found, verified=verify)
    stored = None if verify else stored_summary(reader)
    if stored is not None:
        reader.check_all()
        if not reader.is_damaged:
            return stored
    with ProgressLine(quiet=quiet) as line:
        return verified_summary(reader, reading(reader.path, line))

"""`tickertape ktrace`: show the actions of a kernel, from a tape or live."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli import export
from tickertape.cli.export import add_outputs
from tickertape.cli.reading import is_link
from tickertape.errors import UsageError
from tickertape.formats.ktrace import EXPORTS
from tickertape.formats.ktrace.follow import FollowedKtrace
from tickertape.tape import TapeReader
from tickertape.tape.tail import TapeTail

if TYPE_CHECKING:
    import argparse

    from tickertape.tape.growing import Growing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "tape",
        type=_source,
        metavar="T.tape",
        help="the tape to read; with --follow also a link, as for capture",
    )
    add_outputs(parser, EXPORTS["ktrace"])
    parser.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="write both files while the tape is written, until it is closed; or those of a link, "
        "whose stream rtl_ktrace is attached",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files; with --follow until the source ends or the user stops.

    Raises:
        UsageError: a link is given without --follow.
    """
    if isinstance(arguments.tape, str):
        if arguments.follow:
            # Modules of links need system features that not every system has: import on demand.
            from tickertape.cli.ktrace_link import follow_link  # noqa: PLC0415 - see above

            return follow_link(arguments.tape, arguments.stream, partial(_follow, arguments))
        raise UsageError(
            f"{arguments.tape} is a link", "add --follow to write what comes, or capture it first"
        )
    if arguments.follow and not _is_closed(arguments.tape):
        with TapeTail(arguments.tape) as tail:
            _follow(arguments, tail, arguments.stream)
        return 0
    return export.run(arguments)


def _source(text: str) -> str | Path:
    """Return the address of a link unchanged, the name of a tape as a path."""
    return text if is_link(text) else Path(text)


def _is_closed(path: Path) -> bool:
    """Return whether the tape is complete and no longer grows."""
    with TapeReader(path) as reader:
        return reader.closed


def _follow(arguments: argparse.Namespace, tape: Growing, stream: int | None) -> None:
    with FollowedKtrace(
        tape,
        arguments.output,
        dbg=arguments.dbg,
        svg=arguments.svg,
        stream=stream,
        boot=arguments.boot,
    ) as followed:
        with suppress(KeyboardInterrupt):
            while not tape.ended and not followed.full:
                followed.look()
                time.sleep(tape.pause_s)
        report = followed.finish()
    if not report.counts["lines"]:
        raise UsageError(
            f"{tape.path} has brought no event of the kernel trace",
            "see docs/ktrace.md: which stream it is in, and how it is attached",
        )
    if not arguments.quiet:
        files = ", ".join(map(str, [arguments.output, *report.files]))
        print(f"{files}: {arguments.conversion.summary(report)}")

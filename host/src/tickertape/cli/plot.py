"""`tickertape plot`: draw a tape for a report."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from tickertape.cli.filters import add_times
from tickertape.cli.options import add_file, add_quiet, add_tape
from tickertape.cli.output import ProgressLine, warn
from tickertape.errors import UsageError
from tickertape.report.numbers import count
from tickertape.view.index import open_index
from tickertape.view.plot import FORMATS, PICTURES, Picture, plot

if TYPE_CHECKING:
    import argparse

    from tickertape.view.index import Index


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "--what", choices=PICTURES, default="timeline", help="the picture (default: timeline)"
    )
    add_file(parser, "FILE", f"the picture to write: {', '.join(FORMATS)} by its suffix")
    add_times(parser, "begin, e.g. 1.25, 300ms", "end")
    parser.add_argument(
        "--boot", type=int, default=0, metavar="N", help="times are of this boot (default: 0)"
    )
    parser.add_argument(
        "--stream", type=int, metavar="N", help="only this stream (default: the first)"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw the picture.

    Raises:
        UsageError: no format has the suffix of the output.
    """
    suffix = arguments.output.suffix[1:].lower()
    if suffix not in FORMATS:
        known = ", ".join(f".{one}" for one in FORMATS)
        raise UsageError(f"{arguments.output} is not a picture", f"end its name in one of {known}")
    with ExitStack() as stack:
        with ProgressLine(quiet=arguments.quiet) as line:
            opened = open_index(
                arguments.tape,
                stream=arguments.stream,
                tell=lambda done, all_: line.say(f"read {count(done)} of {count(all_)} events"),
            )
            index = stack.enter_context(opened)
        if index.about["issues"]:
            issue = index.about["issues"][0]
            warn(f"{arguments.tape}: {issue}; see all of it with 'tickertape info'")
        plot(index, _picture(index, arguments), arguments.output)
    return 0


def _picture(index: Index, arguments: argparse.Namespace) -> Picture:
    """Return the picture, with its range of time on the axis of the index.

    Raises:
        UsageError: the tape has no such boot, or no events in the range.
    """
    about = index.about
    begin, end = int(about["begin"]), int(about["end"])
    if arguments.begin_ns is not None or arguments.end_ns is not None or arguments.boot:
        boots = [one for one in about["segments"] if one["epoch"] == arguments.boot]
        if not boots:
            raise UsageError(
                f"{arguments.tape} has no boot {arguments.boot}", "'tickertape info' lists them"
            )
        offset, begin, end = boots[0]["offset"], boots[0]["begin"], boots[0]["end"] + 1
        if arguments.begin_ns is not None:
            begin = max(begin, arguments.begin_ns + offset)
        if arguments.end_ns is not None:
            end = min(end, arguments.end_ns + offset)
    if end <= begin:
        raise UsageError(
            f"{arguments.tape} has no records in this range",
            "see its times with 'tickertape print'",
        )
    return Picture(arguments.what, begin, end)

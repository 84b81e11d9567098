"""`tickertape import itm`: make a tape of what a Cortex-M's trace unit sent over SWO."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.importing import warn_of, with_progress
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import count
from tickertape.formats.itm.read import import_itm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.formats.itm.read import ItmReport

_COMPARATORS: Final = 4
_MOST_HZ: Final = (1 << 32) - 1
_MOST_ADDRESS: Final = (1 << 32) - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the bytes of the SWO pin")
    parser.add_argument(
        "--hz",
        type=_rate,
        required=True,
        help="clock rate of the local time stamps: that of the processor, divided by the prescaler",
    )
    parser.add_argument(
        "--watch",
        type=_watch,
        action="append",
        default=[],
        metavar="N=ADDRESS",
        help="comparator N of the DWT watches ADDRESS; may be given several times",
    )
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what looks wrong."""
    source, tape = arguments.file, arguments.output
    watched = dict(arguments.watch)
    import_ = partial(import_itm, source, tape, tick_hz=arguments.hz, watched=watched)
    report = with_progress(arguments, "packets", 0, import_)
    warn_of(source, _remarks(report))
    if not arguments.quiet:
        print(f"{tape}: {count(report.packets)} packets became {count(report.events)} events")
    return 0


def _rate(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _MOST_HZ):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of Hz from 1 to {_MOST_HZ}")
    return int(text)


def _watch(text: str) -> tuple[int, int]:
    number, mark, address = text.partition("=")
    try:
        which, where = int(number), int(address, 0)
    except ValueError:
        which, where = -1, -1
    if not mark or not 0 <= which < _COMPARATORS or not 0 <= where <= _MOST_ADDRESS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a comparator from 0 to {_COMPARATORS - 1} and an address, as in "
            "0=0x20000100"
        )
    return which, where


def _remarks(report: ItmReport) -> Iterator[str]:
    if report.overflows:
        yield (
            f"the trace unit lost packets at {count(report.overflows)} places; it is unknown how "
            "many; trace less, or raise the rate of the pin"
        )
    for why, skipped in report.skipped.items():
        yield f"{count(skipped)} bytes left out: {why}; check rate and wiring of the pin"
    for what, times in report.left_out.items():
        yield f"left out: {what}, {count(times)} times; see docs/itm.md"
    if report.unsure:
        yield f"{count(report.unsure)} events have a time stamp that came late"
    if report.unstamped:
        yield (
            f"{count(report.unstamped)} events have no time stamp of their own; turn local time "
            "stamps on (TSENA)"
        )

"""`tickertape capture`: capture a trace from a device or a connection."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import (
    add_control,
    add_output,
    add_quiet,
    add_rotation,
    control_of,
    rotation_of,
    seconds,
)
from tickertape.cli.output import ProgressLine, report_capture
from tickertape.cli.session import controlled
from tickertape.cli.summarise import summarise
from tickertape.collector import CaptureOptions, capture
from tickertape.link import open_link
from tickertape.symbols.elf import read_symbols

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "link",
        metavar="LINK",
        help="a serial device, socket://host:port, tcp-listen://host:port, udp://host:port, "
        "unix:path, a file of recorded bytes, or - for standard input",
    )
    add_output(parser)
    parser.add_argument(
        "--baud", type=int, metavar="N", help="rate of a serial device (default: 115200)"
    )
    parser.add_argument(
        "--wait",
        type=seconds,
        metavar="S",
        default=5.0,
        help="how long to wait for the peer of a socket, in seconds (default: 5)",
    )
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        help="seconds of this machine's time; without it, until the link ends or Ctrl-C",
    )
    add_rotation(parser)
    parser.add_argument(
        "--symbols",
        type=Path,
        metavar="ELF",
        help="put the names of this firmware on the tape, so that nobody needs its file",
    )
    add_control(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Capture and say where the tape is."""
    symbols = None if arguments.symbols is None else read_symbols(arguments.symbols)
    with (
        ProgressLine(quiet=arguments.quiet, first="waiting for the target") as line,
        closing(open_link(arguments.link, baud=arguments.baud, wait_s=arguments.wait)) as link,
        controlled(link, control_of(arguments)) as on_frame,
    ):
        options = CaptureOptions(
            duration_s=arguments.duration,
            meta={"link": arguments.link},
            on_progress=line.update,
            on_frame=on_frame,
            rotation=rotation_of(arguments),
            symbols=symbols,
        )
        result = capture(link, arguments.output, options)
    summarise(result.tapes, quiet=arguments.quiet)
    return report_capture(result, arguments.output, quiet=arguments.quiet)

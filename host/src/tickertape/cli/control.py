"""`tickertape control`: start, stop and filter a target, and read its status."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import Final

from tickertape.cli.control_verbs import VERBS
from tickertape.cli.options import seconds
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.errors import LinkBusy
from tickertape.link import open_link
from tickertape.protocol.wire import MAX_STREAMS

_CONNECT_S: Final = 1.0
# Longer than the broker of a shared link waits for its target, so that its error arrives first.
_PATIENCE_S: Final = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "link",
        metavar="LINK",
        help="unix:SOCKET of a capture that runs with --control SOCKET; or a link that no program "
        "captures from: a serial device, socket://host:port",
    )
    _add_common(parser, first=True)
    verbs = parser.add_subparsers(dest="verb", metavar="WHAT", required=True)
    for name, verb in VERBS.items():
        subparser = verbs.add_parser(
            name, help=verb.help, description=verb.help[0].upper() + verb.help[1:] + "."
        )
        _add_common(subparser, first=False)
        verb.declare(subparser)


def _add_common(parser: argparse.ArgumentParser, *, first: bool) -> None:
    """Declare the common options before and after the verb; the later value applies."""
    stream, wait_s, baud, quiet = (
        (0, _PATIENCE_S, None, False) if first else (argparse.SUPPRESS,) * 4
    )
    parser.add_argument(
        "--stream",
        type=int,
        choices=range(MAX_STREAMS),
        metavar="N",
        default=stream,
        help="stream number (default: 0)",
    )
    parser.add_argument(
        "--wait",
        type=seconds,
        metavar="S",
        default=wait_s,
        help=f"how long to wait for each answer, in seconds (default: {_PATIENCE_S:g})",
    )
    parser.add_argument(
        "--baud",
        type=int,
        metavar="N",
        default=baud,
        help="rate of a serial device (default: 115200)",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", default=quiet, help="print errors only"
    )


def run(arguments: argparse.Namespace) -> int:
    """Execute the verb and report each step."""
    act = VERBS[arguments.verb].plan(arguments)
    try:
        link = open_link(arguments.link, baud=arguments.baud, wait_s=_CONNECT_S)
    except LinkBusy as error:
        raise LinkBusy(
            error.problem,
            "if that is a capture, start it with --control SOCKET and use unix:SOCKET as the link",
        ) from error
    with closing(link):
        client = ControlClient(
            LinkChannel(link), stream=arguments.stream, patience_s=arguments.wait
        )
        for line in act(client):
            if not arguments.quiet:
                print(line)
    return 0

"""`tickertape view`: show a tape in the browser, or write it as one HTML file."""

from __future__ import annotations

import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import ProgressLine, warn
from tickertape.errors import UsageError
from tickertape.formats.extras import load
from tickertape.report.numbers import count
from tickertape.view.export import MOST_EVENTS, write_page
from tickertape.view.index import open_index
from tickertape.view.opening import open_view
from tickertape.view.server import Server

if TYPE_CHECKING:
    import argparse

    from tickertape.view.index import Index
    from tickertape.view.opening import View


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument("--stream", type=int, metavar="N", help="this stream (default: the first)")
    parser.add_argument(
        "--html",
        dest="output",
        type=Path,
        metavar="FILE",
        help="write one file that needs no server, then end",
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="listen to this port")
    parser.add_argument("--no-open", action="store_true", help="print the address, open no browser")
    parser.add_argument(
        "--read-only", action="store_true", help="keep no index of the tape for the next time"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the tape until Ctrl-C."""
    if arguments.output is None:
        for module in ("starlette", "uvicorn"):
            load(module, extra="view", what="pages in the browser")
    if not 0 <= arguments.port <= 0xFFFF:  # noqa: PLR2004 - ports have 16 bits
        raise UsageError(f"{arguments.port} is no port", "give 1 to 65535")
    with ExitStack() as stack:
        with ProgressLine(quiet=arguments.quiet) as line:
            how = {
                "stream": arguments.stream,
                "keep": not arguments.read_only,
                "tell": lambda done, all_: line.say(f"read {count(done)} of {count(all_)} events"),
            }
            if arguments.output is not None:
                index = stack.enter_context(open_index(arguments.tape, **how))
                about = index.about
            else:
                view = stack.enter_context(open_view(arguments.tape, **how))
                about = view.answer("about", {}) or {}
        if about["issues"]:
            issue = about["issues"][0]
            warn(f"{arguments.tape}: {issue}; see all of it with 'tickertape info'")
        return _serve(view, arguments) if arguments.output is None else _write(index, arguments)


def _write(index: Index, arguments: argparse.Namespace) -> int:
    if int(index.about["events"]) > MOST_EVENTS:
        events = count(int(index.about["events"]))
        raise UsageError(
            f"{arguments.tape} has {events} events, too many for one file",
            f"take a part with 'tickertape cut'; {count(MOST_EVENTS)} fit",
        )
    shown = write_page(index, arguments.output)
    if not arguments.quiet:
        rest = "" if shown.listed == shown.events else f", the first {count(shown.listed)} listed"
        print(f"{arguments.output}: {count(shown.events)} events in {count(shown.rows)} rows{rest}")
    return 0


def _serve(view: View, arguments: argparse.Namespace) -> int:
    server = Server(view, port=arguments.port)

    def ready() -> None:
        if not arguments.no_open and webbrowser.open(server.address):
            print(f"{server.address} is open in the browser; end with Ctrl-C", flush=True)
            return
        if not arguments.no_open:
            warn("no browser can be opened here; open the address below in one")
        print(f"open {server.address} in a browser; end with Ctrl-C", flush=True)

    server.run(ready)
    return 0

"""`tickertape view`: show one tape or two in the browser, or write one as an HTML file."""

from __future__ import annotations

import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tickertape.cli.filters import time_ns
from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import ProgressLine, warn
from tickertape.errors import UsageError
from tickertape.formats.extras import load
from tickertape.report.numbers import count
from tickertape.view.export import MOST_EVENTS, write_page
from tickertape.view.index import open_index
from tickertape.view.opening import open_pair, open_view
from tickertape.view.server import Server

if TYPE_CHECKING:
    import argparse

    from tickertape.view.index import Index
    from tickertape.view.server import Answers


def alignment(text: str) -> str | tuple[int, int]:
    """Read where two tapes are aligned: a time of each, or a word.

    Raises:
        argparse.ArgumentTypeError: it begins as a time and is none.
    """
    if not text[:1].isdigit():
        return text
    first, comma, second = text.partition(",")
    return time_ns(first), time_ns(second if comma else first)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "other", nargs="?", type=Path, metavar="B.tape", help="another tape, shown below the first"
    )
    parser.add_argument(
        "--align",
        type=alignment,
        metavar="NAME|begin|TIME[,TIME]",
        help="align two tapes at the first event, run or hold on this row, at their first records, "
        "or at a time of each (default: at the first user event that both have)",
    )
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
        "--read-only", action="store_true", help="keep no index for the next time, add no bookmark"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the tape until Ctrl-C."""
    if arguments.output is None:
        for module in ("starlette", "uvicorn"):
            load(module, extra="view", what="pages in the browser")
    if not 0 <= arguments.port <= 0xFFFF:  # noqa: PLR2004 - ports have 16 bits
        raise UsageError(f"{arguments.port} is no port", "give 1 to 65535")
    _refuse_options(arguments)
    with ExitStack() as stack:
        with ProgressLine(quiet=arguments.quiet) as line:
            how: dict[str, Any] = {
                "keep": not arguments.read_only,
                "tell": lambda done, all_: line.say(f"read {count(done)} of {count(all_)} events"),
            }
            tape, one = arguments.tape, {**how, "stream": arguments.stream}
            if arguments.output is not None:
                index = stack.enter_context(open_index(tape, **one))
                about = index.about
            elif arguments.other is not None:
                opened = open_pair((tape, arguments.other), align=arguments.align, **how)
                view: Answers = stack.enter_context(opened)
            else:
                view = stack.enter_context(open_view(tape, **one))
            if arguments.output is None:
                about = view.answer("about", {}) or {}
        if about["issues"]:
            where = f"{tape}: " if arguments.other is None else ""
            warn(f"{where}{about['issues'][0]}; see all of it with 'tickertape info'")
        for doubt in about.get("doubts", ()):
            warn(doubt)
        return _serve(view, arguments) if arguments.output is None else _write(index, arguments)


def _refuse_options(arguments: argparse.Namespace) -> None:
    """Refuse options that one tape, or two, do not have."""
    if arguments.other is None:
        if arguments.align is not None:
            raise UsageError("--align is for two tapes", "give the second one")
    elif arguments.output is not None:
        raise UsageError("a file contains one tape", "leave out --html, or the second tape")
    elif arguments.stream is not None:
        raise UsageError("two tapes are shown by their first streams", "leave out --stream")


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


def _serve(view: Answers, arguments: argparse.Namespace) -> int:
    """Serve the page, and print where two tapes meet."""
    if arguments.other is not None and not arguments.quiet:
        about = view.answer("about", {}) or {}
        print(f"{about['name']} are aligned at {about['aligned']}", flush=True)
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

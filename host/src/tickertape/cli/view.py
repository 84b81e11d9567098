"""`tickertape view`: show one tape or two in the browser, or write one as an HTML file."""

from __future__ import annotations

import signal
import sys
import threading
import time
import webbrowser
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tickertape.cli.options import add_quiet, add_wait
from tickertape.cli.output import ProgressLine, report_capture, warn
from tickertape.errors import UsageError
from tickertape.formats.extras import load
from tickertape.report.numbers import count
from tickertape.view.first_shown import FirstShown, Wanted, first_shown
from tickertape.view.index import open_index
from tickertape.view.opening import open_growing, open_pair, open_view
from tickertape.view.server import Server

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from tickertape.view.index import Index
    from tickertape.view.listening import Listener
    from tickertape.view.server import Answers


_SIGNALLED: Final = 128
"""Exit code of a command that a signal ended, less the number of the signal, as in shells."""


def moment(text: str) -> int:
    """Parse a time; return nanoseconds."""
    # The import of filters takes a tenth of the start of this command.
    from tickertape.cli.filters import time_ns  # noqa: PLC0415 - see above

    return time_ns(text)


def alignment(text: str) -> str | tuple[int, int]:
    """Parse where two tapes are aligned: a time of each in ns, or a word.

    Raises:
        argparse.ArgumentTypeError: the text begins with a digit and is not a time.
    """
    if not text[:1].isdigit():
        return text
    first, comma, second = text.partition(",")
    return moment(first), moment(second if comma else first)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("tape", nargs="?", type=Path, metavar="T.tape", help="the tape to read")
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
    parser.add_argument(
        "--stream", type=int, metavar="N", help="only this stream (default: the first)"
    )
    _add_place(parser)
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write one file that needs no server, then exit; with --from and --to only this part",
    )
    parser.add_argument(
        "--perfetto",
        action="store_true",
        help="show the tape in Perfetto's own interface, served by this machine",
    )
    _add_live(parser)
    parser.add_argument("--port", type=int, default=0, metavar="N", help="listen to this port")
    parser.add_argument(
        "--no-open", action="store_true", help="print the address; do not open a browser"
    )
    parser.add_argument(
        "--read-only",
        action="store_true",
        help="write neither an index beside the tape nor bookmarks",
    )
    add_quiet(parser)


def _add_place(parser: argparse.ArgumentParser) -> None:
    """Add the options for the range, cursor and task that the page shows first."""
    for option, name, text in (
        ("--from", "begin_ns", "show the tape from TIME on, e.g. 1.25, 300ms"),
        ("--to", "end_ns", "show it up to TIME"),
        ("--at", "at_ns", "put the cursor at TIME"),
    ):
        parser.add_argument(option, dest=name, type=moment, metavar="TIME", help=text)
    parser.add_argument("--task", metavar="NAME", help="select the row of this task")
    parser.add_argument(
        "--boot",
        type=int,
        metavar="N",
        help="these times are of boot N (default: those of the page)",
    )


def _add_live(parser: argparse.ArgumentParser) -> None:
    """Add the options that show a link instead of a tape."""
    parser.add_argument(
        "--live",
        dest="link",
        metavar="LINK",
        help="capture a link as `capture` does, and show its tape while it grows",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="T.tape",
        help="with --live: the tape to write (default: live-DATE-TIME.tape)",
    )
    parser.add_argument("--baud", type=int, metavar="N", help="rate of a serial device")
    add_wait(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show the tape or link until Ctrl-C, or write a file."""
    if arguments.html is None and not arguments.perfetto:
        for module in ("starlette", "uvicorn", "websockets"):
            load(module, extra="view", what="pages in the browser")
    if not 0 <= arguments.port <= 0xFFFF:  # noqa: PLR2004 - ports have 16 bits
        raise UsageError(f"{arguments.port} is not a port", "give 1 to 65535")
    _refuse_options(arguments)
    with _ending_on_sigterm():
        if arguments.link is not None:
            return _live(arguments)
        return _perfetto(arguments) if arguments.perfetto else _show(arguments)


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, so that temporary folders are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(_SIGNALLED + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _show(arguments: argparse.Namespace) -> int:
    """Show one tape or two, or write a file."""
    with ExitStack() as stack:
        with ProgressLine(quiet=arguments.quiet) as line:
            how: dict[str, Any] = {
                "keep": not arguments.read_only,
                "tell": lambda done, all_: line.say(f"read {count(done)} of {count(all_)} events"),
            }
            tape, one = arguments.tape, {**how, "stream": arguments.stream}
            if arguments.html is not None:
                index = stack.enter_context(open_index(tape, **one))
                about = index.about
            elif arguments.other is not None:
                opened = open_pair((tape, arguments.other), align=arguments.align, **how)
                view: Answers = stack.enter_context(opened)
            else:
                view = stack.enter_context(open_view(tape, **one))
            if arguments.html is None:
                about = view.answer("about", {}) or {}
        _warn(about, arguments)
        first = first_shown(tape, about, _wanted(arguments))
        if arguments.html is not None:
            return _write(index, arguments, first)
        return _serve(view, arguments, first.fragment)


def _wanted(arguments: argparse.Namespace) -> Wanted:
    return Wanted(
        arguments.begin_ns, arguments.end_ns, arguments.at_ns, arguments.task, arguments.boot
    )


def _warn(about: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    """Report damage, a tape that is not closed, and doubts about the alignment."""
    where = f"{arguments.tape}: " if arguments.other is None else ""
    if about["issues"]:
        warn(f"{where}{about['issues'][0]}; see all of it with 'tickertape info'")
    if about.get("live"):
        warn(f"{where}{about['live']['text']} The page follows it.")
    for doubt in about.get("doubts", ()):
        warn(doubt)


def _refuse_options(arguments: argparse.Namespace) -> None:
    """Refuse options that do not apply to a link, to one tape, or to two.

    Raises:
        UsageError: there is such an option.
    """
    if (arguments.tape is None) == (arguments.link is None):
        raise UsageError("view needs a tape or --live LINK", "give one of them")
    if arguments.link is None and arguments.output is not None:
        raise UsageError("only --live writes a tape", "leave out -o, or give --live LINK")
    if arguments.link is not None and arguments.html is not None:
        raise UsageError("a file shows a tape, no link", "capture first, then view the tape")
    if arguments.perfetto and (arguments.tape is None or arguments.other or arguments.html):
        raise UsageError("--perfetto shows one tape", "leave out the rest")
    _refuse_places(arguments)
    if arguments.other is None:
        if arguments.align is not None:
            raise UsageError("--align is for two tapes", "give the second one")
    elif arguments.html is not None:
        raise UsageError("a file contains one tape", "leave out --html, or the second tape")
    elif arguments.stream is not None:
        raise UsageError("two tapes are shown by their first streams", "leave out --stream")


def _refuse_places(arguments: argparse.Namespace) -> None:
    """Refuse options for the first range where they do not apply.

    Raises:
        UsageError: there is such an option.
    """
    if (arguments.other or arguments.link or arguments.perfetto) and _wanted(arguments) != Wanted():
        raise UsageError("--from, --to, --at, --task and --boot are for one tape", "leave them out")
    if arguments.html is not None and (arguments.at_ns is not None or arguments.task is not None):
        raise UsageError("a file opens with all that it contains", "leave out --at and --task")


def _write(index: Index, arguments: argparse.Namespace, first: FirstShown) -> int:
    from tickertape.view.export import write_page  # noqa: PLC0415 - not for a server

    shown = write_page(index, arguments.html, begin=first.begin, end=first.end)
    if not arguments.quiet:
        rest = "" if shown.listed == shown.events else f", the first {count(shown.listed)} listed"
        known = int(index.about["events"])
        part = "" if shown.events == known else f" of {count(known)}"
        events = f"{count(shown.events)}{part} events"
        print(f"{arguments.html}: {events} in {count(shown.rows)} rows{rest}")
    return 0


def _live(arguments: argparse.Namespace) -> int:
    """Capture a link and show its tape until Ctrl-C."""
    # Modules of links need system features that not every system has: import on demand.
    from tickertape.cli.view_live import LiveTarget  # noqa: PLC0415 - see above
    from tickertape.collector.signals import stopping_on_signals  # noqa: PLC0415 - see above

    output = arguments.output or _free_name()
    with (
        LiveTarget(
            arguments.link,
            output,
            baud=arguments.baud,
            wait_s=arguments.wait,
            stream=arguments.stream,
        ) as target,
        open_growing(
            output, target=target, stream=arguments.stream, keep=not arguments.read_only
        ) as view,
    ):
        server = Server(view, port=arguments.port)
        # The server handles the signals while it runs, and raises them again at its end.
        with stopping_on_signals(server.stop):
            _run(server, arguments)
    return report_capture(target.finish(), output, quiet=arguments.quiet)


def _perfetto(arguments: argparse.Namespace) -> int:
    """Show the tape in Perfetto's interface until Ctrl-C."""
    # Few users need the exporter and its imports.
    from tickertape.cli.view_perfetto import perfetto_server  # noqa: PLC0415 - see above

    with perfetto_server(arguments) as server:
        _run(server, arguments)
    return 0


def _free_name() -> Path:
    """Return the name of a tape that does not exist yet."""
    name = time.strftime("live-%Y%m%d-%H%M%S")
    paths = (Path(f"{name}{part}.tape") for part in ("", *(f"-{one}" for one in range(2, 100))))
    return next(path for path in paths if not path.exists())


def _serve(view: Answers, arguments: argparse.Namespace, fragment: str) -> int:
    """Serve the page; of two tapes print where they are aligned."""
    if arguments.other is not None and not arguments.quiet:
        about = view.answer("about", {}) or {}
        print(f"{about['name']} are aligned at {about['aligned']}", flush=True)
    server = Server(view, port=arguments.port)
    server.address += fragment
    _run(server, arguments)
    return 0


def _run(server: Listener, arguments: argparse.Namespace) -> None:
    """Serve until Ctrl-C; open the address in a browser, or print it."""

    def ready() -> None:
        if not arguments.no_open and webbrowser.open(server.address):
            print(f"{server.address} is open in the browser; end with Ctrl-C", flush=True)
            return
        if not arguments.no_open:
            warn("no browser can be opened here; open the address below in one")
        print(f"open {server.address} in a browser; end with Ctrl-C", flush=True)

    server.run(ready)

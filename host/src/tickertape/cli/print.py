"""`tickertape print`: print the events of a tape, also while it is written, or of a link."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
import time
from contextlib import nullcontext, suppress
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from tickertape.analysis.choice import refuse_unknown
from tickertape.cli.filters import add_filters, selection_of
from tickertape.cli.options import known_boot, stream_of
from tickertape.cli.output import ProgressLine, warn
from tickertape.cli.pace import pace
from tickertape.cli.pager import pager, wants_pager
from tickertape.cli.print_boards import BoardPrinter
from tickertape.cli.reading import is_link, warn_of_damage
from tickertape.cli.styles import SAYING_BOARD, STYLES, exporter_of
from tickertape.cli.symbol_source import add_symbols, given_symbols, is_taken_anyway
from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.model.selection import Selection, Selector
from tickertape.printing.compiled_text import text_exporter
from tickertape.printing.text import TextExporter, TextOptions
from tickertape.tape import TapeReader, iter_events
from tickertape.tape.growing import Growing
from tickertape.tape.stream import boot_events
from tickertape.tape.tail import TapeTail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

    from tickertape.decode.events import EventColumns
    from tickertape.printing.style import LineExporter

_LINES_A_WRITE = 1000
_SLOW_RECORDS = 100_000  # fewer take less than a second in every style


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "tape",
        metavar="T.tape|LINK",
        help="the tape to read; with --follow also a link, as for capture",
    )
    parser.add_argument(
        "--style", choices=STYLES, default="text", help="format of the lines (default: text)"
    )
    parser.add_argument("-n", "--count", type=_positive, metavar="N", help="only the first N lines")
    parser.add_argument(
        "-f",
        "--follow",
        action="store_true",
        help="follow a tape while it is written, until it is closed; or print events of a link",
    )
    parser.add_argument(
        "--no-pager", action="store_true", help="write to the terminal, ignore $PAGER"
    )
    parser.add_argument(
        "--one-line", action="store_true", help="style qnx: every event on one line"
    )
    add_filters(parser)
    add_symbols(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print until the tape ends or the reader closes the output."""
    if is_link(arguments.tape):
        if arguments.follow:
            # Modules of links need system features that not every system has: import on demand.
            from tickertape.cli.print_link import print_link  # noqa: PLC0415 - see above

            return print_link(arguments.tape, partial(_print, arguments=arguments))
        raise UsageError(
            f"{arguments.tape} is a link", "add --follow to print what comes, or capture it first"
        )
    with _open(arguments) as tape:
        _print(tape, arguments)
        if isinstance(tape, TapeReader):
            warn_of_damage(tape)
    return 0


def _print(tape: TapeReader | Growing, arguments: argparse.Namespace) -> None:
    _refuse_parts(tape, arguments)
    # Ctrl-C ends --follow at any point.
    with suppress(KeyboardInterrupt) if arguments.follow else nullcontext():
        if not (isinstance(tape, TapeReader) and _in_blocks(tape, arguments)):
            _print_lines(tape, arguments)


def _print_lines(tape: TapeReader | Growing, arguments: argparse.Namespace) -> None:
    if isinstance(tape, Growing):
        lines = _followed(tape, arguments)
    elif tape.boards:
        lines = _of_boards(tape, arguments)
    elif arguments.boards:
        raise UsageError(f"{tape.path} contains only one board", "leave out --board")
    else:
        boots = _boots_of(tape, arguments)
        selection = _selection(tape, boots, arguments)
        lines = _written(
            _with_progress(tape, arguments), _exporter(boots, arguments), selection, boots
        )
    if arguments.grep is not None:
        lines = filter(arguments.grep.search, lines)
    paged = wants_pager() and not arguments.follow and not arguments.no_pager
    with pager() if paged else nullcontext(sys.stdout) as out:
        _write(islice(lines, arguments.count), out, at_once=arguments.follow)


def _open(arguments: argparse.Namespace) -> TapeReader | TapeTail:
    """Open the tape; --follow of a closed tape reads it as without --follow."""
    tape = TapeReader(arguments.tape)
    if not arguments.follow or tape.closed:
        return tape
    tape.close()
    return TapeTail(arguments.tape)


def _in_blocks(tape: TapeReader, arguments: argparse.Namespace) -> bool:
    """Write a whole tape in blocks of lines; return False if lines have to be written singly."""
    by_lines = arguments.follow or arguments.grep is not None or arguments.count is not None
    plain = sys.stdout.encoding.lower().replace("-", "") == "utf8" and not sys.stdout.isatty()
    if by_lines or not plain or arguments.style != "text" or tape.boards or arguments.boards:
        return False
    boots = _boots_of(tape, arguments)
    exporter = text_exporter(boots)
    selector = Selector(_selection(tape, boots, arguments), boots)
    sys.stdout.flush()
    for columns in _with_progress(tape, arguments):
        mask = selector.mask(columns)
        for block in exporter.blocks(selector.without_gaps_elsewhere(columns), mask):
            sys.stdout.buffer.write(block)
    _warn_of_unmatched(selector)
    return True


def text_lines(reader: TapeReader, options: TextOptions) -> Iterator[str]:
    """Yield all events of a tape as lines of text."""
    boots = Boots(reader, CodeNames(reader).of)
    exporter = TextExporter(boots, options)
    for columns in iter_events(reader):
        yield from exporter.lines(columns)


def _boots_of(tape: TapeReader | Growing, arguments: argparse.Namespace) -> Boots:
    given = given_symbols(arguments)
    force = is_taken_anyway(arguments, given)
    return Boots(tape, CodeNames(tape, given, force=force).of)


def _writes_a_file() -> bool:
    """Return whether standard output is a file; under Robot Framework it is memory."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except io.UnsupportedOperation:
        return False


def _with_progress(tape: TapeReader, arguments: argparse.Namespace) -> Iterator[EventColumns]:
    """Yield the events of a tape; show progress if standard output is a file."""
    counters, total, started = DecodeCounters(), tape.record_count, time.monotonic()
    quiet = total < _SLOW_RECORDS or not _writes_a_file()
    with ProgressLine(quiet=quiet) as line:
        for epoch in tape.epochs if arguments.boot is None else [arguments.boot]:
            for columns in boot_events(tape, epoch, stream=arguments.stream, counters=counters):
                line.say(pace("records", counters.records, total, started))
                yield columns


def _refuse_parts(tape: TapeReader | Growing, arguments: argparse.Namespace) -> None:
    """Refuse --boot and --stream of a growing tape, of several boards, or if not on the tape."""
    if arguments.boot is None and arguments.stream is None:
        return
    if isinstance(tape, Growing):
        raise UsageError(
            "--boot and --stream need a tape that is closed", "leave them out, or --follow"
        )
    if tape.boards:
        raise UsageError(f"{tape.path} contains several boards", "choose one with --board")
    known_boot(tape, arguments.boot)
    stream_of(tape, arguments.stream)


def _selection(tape: TapeReader, boots: Boots, arguments: argparse.Namespace) -> Selection:
    """Return the selection of the options; refuse objects that are not on the tape."""
    selection = selection_of(arguments, boots.addresses)
    refuse_unknown(tape, selection)
    return selection


def _of_boards(tape: TapeReader, arguments: argparse.Namespace) -> Iterator[str]:
    boots = _boots_of(tape, arguments)
    selection = selection_of(arguments, boots.addresses)
    printer = BoardPrinter(
        tape,
        boots,
        selection,
        partial(_exporter, arguments=arguments),
        is_text=arguments.style == "text",
        says_board=arguments.style not in SAYING_BOARD,
    )
    return printer.all_lines(frozenset(arguments.boards))


def _exporter(boots: Boots, arguments: argparse.Namespace) -> LineExporter:
    return exporter_of(
        arguments.style,
        boots,
        colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ,
        one_line=arguments.one_line,
        symbolic=arguments.elf is not None or arguments.map is not None,
    )


def _written(
    parts: Iterable[EventColumns],
    exporter: LineExporter,
    selection: Selection,
    boots: Boots,
) -> Iterator[str]:
    selector = Selector(selection, boots)
    yield from exporter.head()
    for columns in parts:
        mask = selector.mask(columns)
        yield from exporter.lines(selector.without_gaps_elsewhere(columns), mask)
    yield from exporter.tail()
    _warn_of_unmatched(selector)


def _warn_of_unmatched(selector: Selector) -> None:
    """Warn of selected threads that never had the CPU; call it after the last event."""
    for name in selector.unmatched_tasks:
        warn(f"no thread called {name} had the CPU; tickertape info lists the threads")


def _followed(tape: Growing, arguments: argparse.Namespace) -> Iterator[str]:
    parts = tape.poll()
    first = next(parts, None)  # reads names, clock and build of the records so far
    while first is None and not isinstance(tape, TapeTail) and not tape.ended:
        parts = tape.poll()  # a link has no metadata before its first events
        first = next(parts, None)
    boots = _boots_of(tape, arguments)
    tape.on_name = boots.learn
    known = chain([] if first is None else [first], parts)
    selection = selection_of(arguments, boots.addresses)
    return _written(_grown(tape, known), _exporter(boots, arguments), selection, boots)


def _grown(tape: Growing, known: Iterable[EventColumns]) -> Iterator[EventColumns]:
    """Yield known events, then new ones, until the tape is closed or the user presses Ctrl-C."""
    try:
        yield from known
        while not tape.ended:
            sys.stdout.flush()
            time.sleep(tape.pause_s)
            yield from tape.poll()
    except KeyboardInterrupt:
        yield from tape.finish()


def _write(lines: Iterator[str], out: IO[str], *, at_once: bool) -> None:
    """Write lines in batches, or with `at_once` one by one, so that each appears immediately."""
    size = 1 if at_once else _LINES_A_WRITE
    while batch := list(islice(lines, size)):
        out.write("\n".join(batch) + "\n")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= sys.maxsize):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of lines from 1 on")
    return int(text)

"""`tickertape print`: print the events of a tape as text."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_tape
from tickertape.errors import FirmwareError, UsageError
from tickertape.export.text import TextExporter, TextOptions
from tickertape.model.names import Names
from tickertape.protocol.events import EventClass
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tickertape.symbols.elf import Symbols

_LINES_A_WRITE = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument("-n", "--count", type=_positive, metavar="N", help="only the first N lines")
    parser.add_argument(
        "--class",
        dest="classes",
        metavar="NAME",
        action="append",
        default=[],
        help="only events of this class, e.g. SCHED; may be given several times",
    )
    parser.add_argument(
        "--task",
        dest="tasks",
        metavar="NAME",
        action="append",
        default=[],
        help="only what happened while this thread ran; may be given several times",
    )
    parser.add_argument(
        "--elf", type=Path, metavar="FILE", help="name code and objects by this firmware"
    )
    parser.add_argument(
        "--force", action="store_true", help="use the names of --elf though it is another build"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print until the tape ends or nobody listens."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    options = TextOptions(_classes(arguments.classes), frozenset(arguments.tasks), colour)
    with TapeReader(arguments.tape) as reader:
        symbols: Symbols | None
        if arguments.elf is not None:
            symbols = read_symbols(arguments.elf)
            symbols.require_build(_build_id(reader), force=arguments.force)
        else:
            symbols = symbols_of(reader)
        lines = islice(text_lines(reader, options, symbols), arguments.count)
        while batch := list(islice(lines, _LINES_A_WRITE)):
            sys.stdout.write("\n".join(batch) + "\n")
    return 0


def symbols_of(reader: TapeReader) -> Symbols | None:
    """Find names without being told where: the ELF file that was run, if it is still that build."""
    path = reader.meta.get("elf")
    if not isinstance(path, str) or not Path(path).is_file():
        return None
    try:
        symbols = read_symbols(Path(path))
        symbols.require_build(_build_id(reader), force=False)
    except FirmwareError:
        return None
    return symbols


def _build_id(reader: TapeReader) -> bytes:
    return bytes.fromhex(reader.hello.build_id) if reader.hello else b""


def text_lines(
    reader: TapeReader, options: TextOptions, symbols: Symbols | None = None
) -> Iterator[str]:
    """Yield the events of a tape as lines of text."""

    def names_of(epoch: int) -> Names:
        return Names(reader.names(epoch), symbols)

    def tick_hz_of(epoch: int) -> int:
        hello = reader.hellos.get(epoch) or reader.hello
        # Without any HELLO the rate is not known; at 1 GHz the ticks themselves are printed.
        return hello.tick_hz if hello else 1_000_000_000

    exporter = TextExporter(names_of, tick_hz_of, options)
    for columns in iter_events(reader):
        yield from exporter.lines(columns)


def _classes(names: list[str]) -> frozenset[str]:
    chosen = set()
    for name in names:
        known = EventClass.__members__.get(name.upper())
        if known is None and not name.upper().startswith(("APP", "CLASS")):
            raise UsageError(
                f"there is no event class {name}",
                f"take one of these: {', '.join(c.name for c in EventClass)}",
            )
        chosen.add(known.name if known is not None else name.upper())
    return frozenset(chosen)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value

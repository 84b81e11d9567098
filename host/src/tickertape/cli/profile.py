"""`tickertape profile`: show where the processor spent its time, by program counter samples."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from tickertape.analysis.profile import profile_of
from tickertape.cli.console import PlainConsole
from tickertape.cli.options import add_boot, add_tape
from tickertape.cli.output import warn
from tickertape.cli.reading import reading
from tickertape.cli.stats_screen import screen_table
from tickertape.cli.symbol_source import add_symbols, given_symbols, is_taken_anyway
from tickertape.report.numbers import count
from tickertape.report.profile import by_function, folded, placed, remarks, speedscope, to_json
from tickertape.report.table import Table
from tickertape.symbols.lines import Lines, read_lines

if TYPE_CHECKING:
    import argparse

    from tickertape.report.profile import Placed
    from tickertape.symbols.elf import Symbols
    from tickertape.tape.reader import TapeReader

NOTHING = 1
"""Exit code: the tape has no samples."""

_ROWS = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_boot(parser)
    add_symbols(parser)
    parser.add_argument("--all", action="store_true", help="all rows, not the first ten")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--folded", action="store_true", help="folded stacks, for programs that draw flame graphs"
    )
    form.add_argument("--json", action="store_true", help="one JSON object, for programs")
    form.add_argument("--speedscope", action="store_true", help="a JSON file for speedscope")


def run(arguments: argparse.Namespace) -> int:
    """Print the profile; return 1 if the tape has no samples."""
    symbols = given_symbols(arguments)
    lines = Lines(()) if arguments.elf is None else read_lines(arguments.elf)
    with reading(arguments.tape, arguments.boot) as reader:
        if symbols is not None:
            _compare_builds(arguments, reader, symbols)
        profile = profile_of(reader)
    found = placed(profile, lambda address: _function(symbols, address), lines.lookup)
    if arguments.folded:
        sys.stdout.write(folded(found))
    elif arguments.json:
        print(json.dumps(to_json(found), indent=2))
    elif arguments.speedscope:
        print(speedscope(found, arguments.tape.name))
    else:
        _show(found, None if arguments.all else _ROWS)
    if arguments.folded or arguments.json or arguments.speedscope:
        for remark in remarks(profile)[1:]:
            warn(remark)
    if not profile.awake:
        what = "the processor always slept" if profile.asleep else "there are no PC samples"
        warn(
            f"{arguments.tape}: {what}; switch samples on (PCSAMPLENA of the DWT), import with itm"
        )
        return NOTHING
    return 0


def _compare_builds(arguments: argparse.Namespace, reader: TapeReader, symbols: Symbols) -> None:
    """Refuse names of another build; report when the tape does not contain the build."""
    build = bytes.fromhex(reader.hello.build_id) if reader.hello is not None else b""
    if any(build):
        symbols.require_build(build, force=is_taken_anyway(arguments, symbols))
    else:
        warn("the build of the firmware is unknown: names are those of the given file")


def _function(symbols: Symbols | None, address: int) -> str | None:
    """Return the name of the function at an address; None if unknown."""
    place = None if symbols is None else symbols.place(address)
    return None if place is None else place.rpartition("+0x")[0]


def _show(found: Placed, rows: int | None) -> None:
    """Print the functions and the lines with the most samples."""
    console = PlainConsole()
    for remark in remarks(found.profile):
        console.print(remark, soft_wrap=True)
    functions = by_function(found)
    places = {
        f"{place.source or '?'} ({place.function})": samples
        for place, samples in found.places.items()
    }
    known = any(place.file for place in found.places)
    for title, counts in (("functions", functions), *([("lines", places)] if known else ())):
        table = Table.of(title, title.removesuffix("s"), "samples", "share")
        for name, samples in [*counts.items()][:rows]:
            table.add(name, count(samples), f"{100 * samples / found.profile.awake:.1f} %")
        if table.rows:
            console.print(screen_table(table))
        hidden = len(counts) - len(table.rows)
        if hidden:
            console.print(f"{hidden} more; --all shows them")

"""`tickertape symbols`: write the symbol map of a firmware, as createmap of xmtrace does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.output import ProgressLine
from tickertape.errors import FirmwareError
from tickertape.files import replacing
from tickertape.report.numbers import counted
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.map_file import map_lines

if TYPE_CHECKING:
    import argparse

_DEFAULT_MAP: Final = Path("MySystem.map")  # default name of createmap


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("elf", type=Path, metavar="ELF", help="the firmware's ELF file")
    parser.add_argument(
        "-o",
        "--output",
        nargs="?",
        const=_DEFAULT_MAP,
        type=Path,
        metavar="MAP",
        help=f"the map to write; {_DEFAULT_MAP} without a name (default: standard output)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")


def run(arguments: argparse.Namespace) -> int:
    """Write the map."""
    with ProgressLine(quiet=arguments.quiet) as line:
        line.say(f"reading {arguments.elf}")
        symbols = read_symbols(arguments.elf)
    if not len(symbols):
        raise FirmwareError(
            f"{arguments.elf} has no symbols", "give the ELF file as it was linked, not stripped"
        )
    text = "\n".join(map_lines(symbols)) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    with replacing(arguments.output) as place:
        place.write_text(text, encoding="utf-8")
    if not arguments.quiet:
        print(f"{arguments.output}: {counted(len(symbols), 'symbol')}")
    return 0

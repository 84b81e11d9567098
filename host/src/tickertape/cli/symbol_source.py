"""Options that name the source of symbols: an ELF file or a symbol map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import UsageError
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.map_file import read_map

if TYPE_CHECKING:
    import argparse

    from tickertape.symbols.elf import Symbols


def add_symbols(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--elf", type=Path, metavar="FILE", help="take names of code and objects from this ELF file"
    )
    parser.add_argument(
        "--map",
        type=Path,
        metavar="FILE",
        help="take names from a symbol map (`tickertape symbols`)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="accept names from another build, and replace an existing file of another kind",
    )


def given_symbols(arguments: argparse.Namespace) -> Symbols | None:
    """Read the symbols of --elf or --map; None if neither is given.

    Args:
        arguments: have the options of `add_symbols`.

    Raises:
        UsageError: both options are given.
        FirmwareError: the file cannot be read.
    """
    if arguments.elf is not None and arguments.map is not None:
        raise UsageError("--elf and --map both name addresses", "give one of them")
    if arguments.map is not None:
        return read_map(arguments.map)
    return None if arguments.elf is None else read_symbols(arguments.elf)


def is_taken_anyway(arguments: argparse.Namespace, given: Symbols | None) -> bool:
    """Return whether names of any build are accepted.

    A map without a build id is accepted: the user vouches for it.
    """
    vouched = arguments.map is not None and given is not None and not given.build_id
    return vouched or bool(arguments.force)

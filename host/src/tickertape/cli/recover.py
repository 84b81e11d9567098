"""`tickertape recover`: write the contents of the rings in an image of memory to a tape."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import warn
from tickertape.cli.summarise import summarise
from tickertape.formats.image.memory import read_image
from tickertape.formats.image.recorder import Recorder
from tickertape.formats.image.recover import recover
from tickertape.report.numbers import count

if TYPE_CHECKING:
    from tickertape.formats.image.recover import RecoveredRing

_ADDRESSES = 1 << 64


class _GdbScript(argparse.Action):
    """Prints the script for GDB."""

    def __call__(self, *_arguments: object, **_words: object) -> NoReturn:
        """Print and end.

        Raises:
            SystemExit: always.
        """
        script = files("tickertape.cli") / "gdb_script.py"
        print(script.read_text(encoding="utf-8"), end="")
        raise SystemExit(0)


def address(text: str) -> int:
    """Parse an address, decimal or 0x.

    Raises:
        argparse.ArgumentTypeError: the text is not an address.
    """
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value < _ADDRESSES:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address, e.g. 0x20000000")
    return value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "image",
        type=Path,
        metavar="IMAGE",
        help="RAM of the target: an ELF core, Intel HEX, or raw bytes with --base",
    )
    parser.add_argument(
        "--elf",
        type=Path,
        metavar="ELF",
        required=True,
        help="ELF file of the firmware that ran, with debug information",
    )
    parser.add_argument(
        "--base", type=address, metavar="ADDRESS", help="address of the first of raw bytes"
    )
    add_output(parser)
    add_quiet(parser)
    parser.add_argument(
        "--gdb-script",
        action=_GdbScript,
        nargs=0,
        help="print a script for GDB, whose command 'tape save T.tape' recovers a halted target",
    )


def run(arguments: argparse.Namespace) -> int:
    """Recover, and report the contents of each ring."""
    recorder = Recorder(arguments.elf)
    image = read_image(arguments.image, arguments.base)
    rings = recover(image, recorder, arguments.output, source=arguments.image.name)
    for ring in rings:
        name = f"stream {ring.stream}, CPU {ring.cpu}"
        for line in (*ring.lost_why, *([ring.unclear] if ring.unclear else [])):
            warn(f"{name}: {line}")
        if not arguments.quiet:
            print(f"{name}: {_summary(ring)}")
    summarise([arguments.output], quiet=arguments.quiet)
    return 0


def _summary(ring: RecoveredRing) -> str:
    """Return the balance of a ring as text."""
    balance = ring.balance
    if balance is None:
        return "offered, delivered and lost records are unknown"
    terms = ", ".join(
        f"{count(getattr(balance, term))} {term}"
        for term in ("delivered", "overwritten", "dropped", "damaged")
    )
    return (
        f"{count(balance.offered)} records offered after the {count(ring.sent_before)} that were "
        f"sent: {terms}"
    )

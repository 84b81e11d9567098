"""`tickertape flash`: write a firmware to the chip of a board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet
from tickertape.targets.boards import BOARDS
from tickertape.targets.flash import flash
from tickertape.targets.flash_tools import TOOLS

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("image", metavar="IMAGE", type=Path, help="the firmware, an ELF file")
    parser.add_argument(
        "--board", metavar="NAME", required=True, help=f"one of {', '.join(BOARDS)}"
    )
    parser.add_argument(
        "--probe", metavar="ID", help="serial number of the debug probe (default: the only one)"
    )
    parser.add_argument(
        "--tool",
        metavar="TOOL",
        help=f"one of {', '.join(TOOLS)} (default: the first that is installed)",
    )
    parser.add_argument(
        "--erase",
        action="store_true",
        help="erase the whole chip first (default: only the sectors to write)",
    )
    parser.add_argument(
        "--no-verify", action="store_true", help="do not compare the memory with the image"
    )
    parser.add_argument("--no-reset", action="store_true", help="do not start the new firmware")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Flash, and print the steps and the result."""
    quiet: bool = arguments.quiet
    tool = flash(
        arguments.image,
        arguments.board,
        probe=arguments.probe,
        tool=arguments.tool,
        erase=arguments.erase,
        verify=not arguments.no_verify,
        reset=not arguments.no_reset,
        say=(lambda _: None) if quiet else print,
    )
    if not quiet:
        checked = "written" if arguments.no_verify else "written and verified"
        print(f"{arguments.image}: {checked} by {tool}")
    return 0

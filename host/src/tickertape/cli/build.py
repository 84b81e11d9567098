"""`tickertape build`: build an example firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.target_options import add_example, add_target, target_of
from tickertape.targets.firmware import project_root

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_target(parser, default="qemu")
    add_example(parser)
    parser.add_argument(
        "--sources",
        action="store_true",
        help="build nothing; print the folder with the C sources: firmware, examples/superloop",
    )


def run(arguments: argparse.Namespace) -> int:
    """Build and print the path of the image, or print the folder of the sources."""
    if arguments.sources:
        print(project_root())
        return 0
    print(target_of(arguments).build(arguments.example).path)
    return 0

"""`tickertape build`: build an example firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.target_options import add_example, add_target, target_of

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_target(parser, default="qemu")
    add_example(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build and print where the image is."""
    print(target_of(arguments).build(arguments.example).path)
    return 0

"""`tickertape ktrace`: show what the kernel did; the same as `tickertape export ktrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.export import add_export, run
from tickertape.formats.ktrace import EXPORTS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_export(parser, EXPORTS["ktrace"])

"""`tickertape import`: make a tape of another tool's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.formats import add_formats, run

if TYPE_CHECKING:
    import argparse

__all__ = ["add_arguments", "run"]

FORMATS = {
    "ftrace": "records of FTrace, the second tracer of the S.Ha.R.K. kernel",
    "kev": "kernel trace of QNX Neutrino",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the formats."""
    add_formats(parser, "import", FORMATS)

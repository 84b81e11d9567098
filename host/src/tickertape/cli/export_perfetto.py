"""`tickertape export perfetto`: write a tape as a trace for Perfetto."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.views import add_view_options, run_view
from tickertape.formats.timeline.perfetto import export_perfetto

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_view_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export, and say what it shows."""
    return run_view(arguments, export_perfetto)

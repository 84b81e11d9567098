"""`tickertape import`: make a tape of another tool's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli import formats
from tickertape.cli.summarise import summarise

if TYPE_CHECKING:
    import argparse

FORMATS = {
    "btf": "system trace in the Best Trace Format",
    "ftrace": "records of FTrace, the second tracer of the S.Ha.R.K. kernel",
    "itm": "packets of a Cortex-M's trace unit, ITM and DWT",
    "jtracer": "the life of tasks, as JTracer shows it",
    "kev": "kernel trace of QNX Neutrino",
    "shark": "records of the S.Ha.R.K. tracer",
    "zephyr-ctf": "CTF stream of Zephyr's own tracing",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the formats."""
    formats.add_formats(parser, "import", FORMATS)


def run(arguments: argparse.Namespace) -> int:
    """Import in the format that was chosen; a tape carries its summary, whatever it was."""
    code = formats.run(arguments)
    summarise([arguments.output], quiet=arguments.quiet)
    return code

"""`tickertape export`: write a tape as another tool's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.formats import add_formats, run

if TYPE_CHECKING:
    import argparse

__all__ = ["add_arguments", "run"]

FORMATS = {
    "btf": "system trace in the Best Trace Format",
    "chrome": "trace events in JSON, for chrome://tracing and other viewers",
    "ctf": "trace in the Common Trace Format, for babeltrace2 and Trace Compass",
    "jtracer": "the life of tasks for JTracer 1.2",
    "kev": "kernel trace of QNX Neutrino",
    "perfetto": "trace for Perfetto (ui.perfetto.dev): tracks, states, flows, counters",
    "parquet": "dataset of Parquet files, for DuckDB, polars and pandas",
    "shark": "records of the S.Ha.R.K. tracer",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the formats."""
    add_formats(parser, "export", FORMATS)

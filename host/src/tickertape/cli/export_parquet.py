"""`tickertape export parquet`: write a tape as a dataset of Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, add_tape
from tickertape.cli.output import count
from tickertape.cli.reading import reading_all
from tickertape.formats.arrow.parquet import export_parquet
from tickertape.tape.output import new_folder

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.arrow.parquet import ParquetReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_dataset(parser)
    add_quiet(parser)


def add_dataset(parser: argparse.ArgumentParser) -> None:
    """Let the user say where the dataset goes, and how it is divided."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DATASET",
        required=True,
        help="the folder to make; one of that name has to be empty",
    )
    parser.add_argument(
        "--partition", action="store_true", help="a file for each boot and CPU, in folders"
    )


def run(arguments: argparse.Namespace) -> int:
    """Export, and say how much."""
    with reading_all(arguments) as (reader, tell), new_folder(arguments.output) as dataset:
        report = export_parquet(
            reader,
            dataset,
            name=arguments.tape.stem.encode(errors="replace").decode(),
            partitioned=arguments.partition,
            on_progress=tell,
        )
    if not arguments.quiet:
        print(f"{arguments.output}: {_said(report)}")
    return 0


def _said(report: ParquetReport) -> str:
    parts = [f"{count(report.events)} events in {count(report.files)} files"]
    if report.losses:
        parts.append(f"records are missing at {count(report.losses)} places, see losses and rings")
    if report.lost_records:
        parts.append(f"{count(report.lost_records)} records of incomplete events are left out")
    return "; ".join(parts)

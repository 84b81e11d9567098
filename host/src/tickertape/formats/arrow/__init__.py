"""Apache Arrow: record batches, datasets of Parquet files, fleets of tapes."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import FOLDER, INCOMPLETE, Conversion, Option

PARTITION: Final = Option(
    "--partition", "a file for each boot and CPU, in folders", action="store_true", default=False
)
DATASET: Final = ("DATASET", FOLDER)

EXPORTS: Final = {
    "parquet": Conversion(
        "arrow.parquet:export_parquet",
        "dataset of Parquet files, for DuckDB, polars and pandas",
        "{events} events in {files} files",
        notes={
            "losses": "records are missing at {losses} places, see losses and rings",
            **INCOMPLETE,
        },
        options=(PARTITION,),
        output=DATASET,
    )
}

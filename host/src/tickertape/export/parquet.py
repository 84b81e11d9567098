"""Writes a tape as a dataset of Parquet files, for DuckDB, polars, pandas and Spark.

    report = export_parquet(reader, Path("dataset"), name="run", partitioned=True)

    dataset/events/tape=run/epoch=0/cpu=0/part-0.parquet     one row an event
    dataset/losses/tape=run/part-0.parquet                   one row a place where records miss
    dataset/rings/tape=run/part-0.parquet                    the balance, one row a ring
    dataset/threads/tape=run/part-0.parquet                  one row a thread

Tapes lie side by side in one dataset, so many may be written into the same one. docs/parquet.md has
the columns, and queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.analysis.stored import stored_summary
from tickertape.decode.events import DecodeCounters
from tickertape.export.arrow_batches import EventBatches, pyarrow
from tickertape.export.parquet_tables import (
    LOSS_COLUMNS,
    RING_COLUMNS,
    THREAD_COLUMNS,
    loss_row,
    ring_row,
    table_writer,
    thread_row,
)
from tickertape.model.kernel import KernelModel
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.tape.reader import TapeReader

    Arrow = Any  # pyarrow has no types

TABLES: Final = ("events", "losses", "rings", "threads")
_NS_PER_S: Final = 1_000_000_000
_GROUP_ROWS: Final = 1 << 20
_DELTA: Final = dict.fromkeys(("time_ns", "time", "ordinal"), "DELTA_BINARY_PACKED")
_PARTITION_COLUMNS: Final = frozenset({"epoch", "cpu"})


@dataclass(slots=True)
class ParquetReport:
    """What was exported.

    Attributes:
        events: rows of events.
        files: files of events.
        losses: places at which records are missing.
        lost_records: records on the tape that belong to no event, left out.
    """

    events: int = 0
    files: int = 0
    losses: int = 0
    lost_records: int = 0


def export_parquet(
    reader: TapeReader,
    dataset: Path,
    *,
    name: str,
    partitioned: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> ParquetReport:
    """Write a tape into a dataset.

    Args:
        reader: the tape.
        dataset: the folder; it may hold other tapes.
        name: of the tape in the dataset, without a slash.
        partitioned: a file for each boot and CPU, in folders that say which.
        on_progress: is called now and then with the number of events written.

    Raises:
        UsageError: pyarrow is not installed.
        OSError: a file cannot be written.
    """
    report = ParquetReport()
    counters = DecodeCounters()
    folder = dataset / "events" / f"tape={name}"
    told = stored_summary(reader)  # of a tape that carries one, threads need no counting
    model = KernelModel(reader.names, stream=min((r.stream for r in reader.rings), default=0))
    with (
        table_writer(dataset, "losses", name, LOSS_COLUMNS) as losses,
        _EventFiles(folder, EventBatches(reader.tick_hz), partitioned=partitioned) as files,
    ):
        for columns in iter_events(reader, counters=counters):
            if told is None:
                model.feed(columns)
            files.write(columns)
            for gap in columns.gaps:
                losses.add(loss_row(gap, columns.epoch, reader.tick_hz(columns.epoch)))
                report.losses += 1
            report.events += len(columns)
            if on_progress is not None:
                on_progress(report.events)
    with table_writer(dataset, "threads", name, THREAD_COLUMNS) as threads:
        if told is None:
            for task in model.finish().tasks:
                threads.add(thread_row(task, task.run_ticks, reader.tick_hz(task.epoch)))
        else:
            for share in told.tasks:
                threads.add(thread_row(share, share.run_ns, _NS_PER_S))
    with table_writer(dataset, "rings", name, RING_COLUMNS) as rings:
        for ring in balance_of(reader, by_class=False).rings:
            rings.add(ring_row(ring))
    report.files = files.count
    report.lost_records = counters.lost_records
    return report


class _EventFiles:
    """The files of events of one tape: one, or one for each boot and CPU.

    Rows wait until there are enough for a row group, all files together.
    """

    def __init__(self, folder: Path, batches: EventBatches, *, partitioned: bool) -> None:
        self._folder = folder
        self._batches = batches
        self._partitioned = partitioned
        self._schema = batches.schema
        if partitioned:
            kept = [field for field in batches.schema if field.name not in _PARTITION_COLUMNS]
            self._schema = pyarrow().schema(kept)
        self._writers: dict[Path, Arrow] = {}
        self._waiting: dict[Path, list[Arrow]] = {}
        self._rows = 0
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._flush()
            if not self.count:
                self._writer(self._folder)  # a dataset without rows has columns all the same
        finally:
            self._close()

    def write(self, columns: EventColumns) -> None:
        if not len(columns):
            return
        batch = self._batches.batch(columns)
        if not self._partitioned:
            self._take(self._folder, batch)
            return
        for cpu in np.flatnonzero(np.bincount(columns.cpu)).tolist():
            place = self._folder / f"epoch={columns.epoch}" / f"cpu={cpu}"
            rows = columns.cpu == cpu
            some = batch if rows.all() else batch.filter(pyarrow().array(rows))
            self._take(place, some.select(self._schema.names))

    def _take(self, place: Path, batch: Arrow) -> None:
        self._waiting.setdefault(place, []).append(batch)
        self._rows += batch.num_rows
        if self._rows >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        arrow = pyarrow()
        for place, batches in self._waiting.items():
            self._writer(place).write_table(arrow.Table.from_batches(batches))
        self._waiting.clear()
        self._rows = 0

    def _writer(self, place: Path) -> Arrow:
        found = self._writers.get(place)
        if found is None:
            self._close_other_boots(place)
            place.mkdir(parents=True, exist_ok=True)
            found = pyarrow("pyarrow.parquet").ParquetWriter(
                place / "part-0.parquet",
                self._schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=["class", "event"],
                column_encoding=_DELTA,
                write_statistics=["time_ns"],
                data_page_version="2.0",
            )
            self._writers[place] = found
            self.count += 1
        return found

    def _close_other_boots(self, place: Path) -> None:
        """Boots come one after the other: of an earlier one nothing will follow."""
        for other in [one for one in self._writers if one.parent != place.parent]:
            if other not in self._waiting:
                self._writers.pop(other).close()

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

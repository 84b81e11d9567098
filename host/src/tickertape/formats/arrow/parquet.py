"""Writes a tape as a dataset of Parquet files, for DuckDB, polars, pandas and Spark.

    report = export_parquet(Source(reader), Path("dataset"), partition=True)

    dataset/events/tape=run/epoch=0/cpu=0/part-00000.parquet     one row per event
    dataset/losses/tape=run/part-00000.parquet                   one row per gap
    dataset/rings/tape=run/part-00000.parquet                    the balance, one row per ring
    dataset/threads/tape=run/part-00000.parquet                  one row per thread

A dataset may contain many tapes. docs/parquet.md describes the columns and has queries.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.analysis.stored import stored_summary
from tickertape.decode.events import DecodeCounters
from tickertape.files import new_folder
from tickertape.formats.arrow.batches import EventBatches, pyarrow
from tickertape.formats.arrow.parquet_tables import (
    LOSS_COLUMNS,
    RING_COLUMNS,
    THREAD_COLUMNS,
    loss_row,
    ring_row,
    table_writer,
    thread_row,
)
from tickertape.formats.report import Report
from tickertape.model.kernel import KernelModel
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.formats.source import Source

    Arrow = Any  # pyarrow has no types

TABLES: Final = ("events", "losses", "rings", "threads")
_PART_ROWS: Final = 1 << 19  # 40 MB in memory
_MOST_ENCODERS: Final = 3  # encoding takes two to three times as long as decoding
_DELTA: Final = dict.fromkeys(("time_ns", "time", "ordinal"), "DELTA_BINARY_PACKED")
_PARTITION_COLUMNS: Final = frozenset({"epoch", "cpu"})


def export_parquet(source: Source, output: Path, *, partition: bool = False) -> Report:
    """Write a tape as a new dataset; `output` is a folder that does not exist or is empty.

    Returns and raises as `add_tape` does; also raises TapeWriteFailed if the folder is not empty.
    """
    name = source.reader.path.stem.encode(errors="replace").decode()
    with new_folder(output) as dataset:
        return add_tape(source, dataset, name=name, partition=partition)


def add_tape(
    source: Source,
    dataset: Path,
    *,
    name: str,
    partition: bool = False,
    encoders: int | None = None,
) -> Report:
    """Write a tape into a dataset.

    Args:
        source: the tape.
        dataset: folder of the dataset; it may contain other tapes.
        name: name of the tape in the dataset, without a slash.
        partition: whether each boot and CPU gets files of its own, in folders named after them.
        encoders: number of encoding threads in addition to the decoding one; each needs about
            60 MB. None for one per processor, at most three.

    Returns:
        Counts of `events`, `files` (of events), `losses` (gaps) and `lost_records` (of incomplete
        events).

    Raises:
        UsageError: pyarrow is not installed.
        OSError: a file cannot be written.
    """
    reader, counts = source.reader, Counter[str]()
    counters = DecodeCounters()
    folder = dataset / "events" / f"tape={name}"
    told = stored_summary(reader)  # with a stored summary, no model needs to follow the threads
    model = KernelModel(reader.names, stream=reader.default_stream())
    with (
        table_writer(dataset, "losses", name, LOSS_COLUMNS) as losses,
        _EventFiles(
            folder,
            EventBatches(reader.clock),
            partitioned=partition,
            encoders=encoders or min(len(os.sched_getaffinity(0)), _MOST_ENCODERS),
        ) as files,
    ):
        for columns in iter_events(reader, counters=counters):
            if told is None:
                model.feed(columns)
            files.write(columns)
            for gap in columns.losses:
                losses.add(loss_row(gap, columns.epoch, reader.clock(columns.epoch)))
                counts["losses"] += 1
            counts["events"] += len(columns)
            source.on_progress(counts["events"])
    with table_writer(dataset, "threads", name, THREAD_COLUMNS) as threads:
        if told is None:
            for task in model.finish().tasks:
                threads.add(thread_row(task, reader.clock(task.epoch).ns(task.run_ticks)))
        else:
            for share in told.tasks:
                threads.add(thread_row(share, share.run_ns))
    with table_writer(dataset, "rings", name, RING_COLUMNS) as rings:
        for ring in balance_of(reader, by_class=False).rings:
            rings.add(ring_row(ring))
    counts["files"], counts["lost_records"] = files.count, counters.lost_records
    return Report(counts)


class _EventFiles:
    """Writes the event files of one tape in parts; if partitioned, per boot and CPU.

    Rows are collected until all partitions together have enough for a part. Other threads encode
    the parts while the caller decodes: pyarrow releases the GIL while it encodes.
    """

    def __init__(
        self, folder: Path, batches: EventBatches, *, partitioned: bool, encoders: int
    ) -> None:
        self._folder = folder
        self._batches = batches
        self._partitioned = partitioned
        self._schema = batches.schema
        if partitioned:
            kept = [field for field in batches.schema if field.name not in _PARTITION_COLUMNS]
            self._schema = pyarrow().schema(kept)
        self._waiting: dict[Path, list[Arrow]] = {}
        self._rows: Counter[Path] = Counter()
        self._parts: Counter[Path] = Counter()
        self._most = encoders
        self._pool = ThreadPoolExecutor(encoders, thread_name_prefix="parquet")
        self._encoding: deque[Future[None]] = deque()
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._pool:
            for place in list(self._waiting):
                self._start(place)
            if not self.count:
                self._waiting[self._folder] = []  # no events: a file without rows
                self._start(self._folder)
            self._wait(0)

    def write(self, columns: EventColumns) -> None:
        if not len(columns):
            return
        batch = self._batches.batch(columns)
        if not self._partitioned:
            self._take(self._folder, batch)
            return
        boot = self._folder / f"epoch={columns.epoch}"
        self._start_other_boots(boot)
        for cpu in np.flatnonzero(np.bincount(columns.cpu)).tolist():
            rows = columns.cpu == cpu
            some = batch if rows.all() else batch.filter(pyarrow().array(rows))
            self._take(boot / f"cpu={cpu}", some.select(self._schema.names))

    def _take(self, place: Path, batch: Arrow) -> None:
        self._waiting.setdefault(place, []).append(batch)
        self._rows[place] += batch.num_rows
        if self._rows.total() >= _PART_ROWS:
            self._start(self._rows.most_common(1)[0][0])

    def _start_other_boots(self, boot: Path) -> None:
        """Write the parts of other boots: boots do not overlap, so none of their rows follows."""
        for place in [one for one in self._waiting if one.parent != boot]:
            self._start(place)

    def _start(self, place: Path) -> None:
        """Start encoding the collected rows of a partition; block while all encoders are busy."""
        self._wait(self._most - 1)
        table = pyarrow().Table.from_batches(self._waiting.pop(place), self._schema)
        del self._rows[place]
        file = place / f"part-{self._parts[place]:05}.parquet"
        self._parts[place] += 1
        self.count += 1
        self._encoding.append(self._pool.submit(_write_part, table, file))

    def _wait(self, left: int) -> None:
        """Wait until at most `left` parts are being encoded.

        Raises:
            OSError: a part could not be written.
        """
        while len(self._encoding) > left:
            self._encoding.popleft().result()


def _write_part(table: Arrow, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    pyarrow("pyarrow.parquet").write_table(
        table,
        file,
        row_group_size=max(len(table), 1),
        compression="zstd",
        compression_level=1,
        use_dictionary=["class", "event"],
        column_encoding=_DELTA,
        write_statistics=["time_ns"],
        data_page_version="2.0",
    )

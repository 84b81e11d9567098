"""Writes the small tables of a dataset: losses, rings, threads. docs/parquet.md describes them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from tickertape.formats.arrow.batches import pyarrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tickertape.analysis.balance import RingBalance
    from tickertape.analysis.summary import TaskShare
    from tickertape.decode.events import Gap
    from tickertape.decode.ticks import Clock
    from tickertape.model.kernel import Task

    Row = Mapping[str, object]

_GROUP_ROWS: Final = 1 << 16

LOSS_COLUMNS: Final = {
    "epoch": "uint16",
    "stream": "uint8",
    "cpu": "uint8",
    "first_ordinal": "uint64",
    "records": "int64",
    "dropped": "int64",
    "overwritten": "int64",
    "damaged": "int64",
    "unknown": "bool_",
    "begin_ns": "int64",
    "end_ns": "int64",
}
RING_COLUMNS: Final = {
    "epoch": "uint16",
    "stream": "uint8",
    "cpu": "uint8",
    "offered": "int64",
    "delivered": "int64",
    "overwritten": "int64",
    "dropped": "int64",
    "damaged": "int64",
    "unknown_losses": "int64",
    "final": "bool_",
}
THREAD_COLUMNS: Final = {
    "epoch": "uint16",
    "tid": "uint32",
    "name": "string",
    "run_ns": "int64",
}


def loss_row(gap: Gap, epoch: int, clock: Clock) -> Row:
    """Return a row of `losses`; `begin_ns` is null when no record precedes the gap."""
    begin = gap.begin_ticks
    return {
        "epoch": epoch,
        "stream": gap.stream,
        "cpu": gap.cpu,
        "first_ordinal": gap.first_ordinal,
        "records": gap.lost,
        "dropped": gap.dropped,
        "overwritten": gap.overwritten,
        "damaged": gap.damaged,
        "unknown": gap.unknown,
        "begin_ns": None if begin is None else clock.ns(begin),
        "end_ns": clock.ns(gap.end_ticks),
    }


def ring_row(ring: RingBalance) -> Row:
    """Return a row of `rings`."""
    balance = ring.balance
    return {
        "epoch": ring.ring.epoch,
        "stream": ring.ring.stream,
        "cpu": ring.ring.cpu,
        "offered": balance.offered,
        "delivered": balance.delivered,
        "overwritten": balance.overwritten,
        "dropped": balance.dropped,
        "damaged": balance.damaged,
        "unknown_losses": ring.unknown_losses,
        "final": ring.final,
    }


def thread_row(task: Task | TaskShare, run_ns: int) -> Row:
    """Return a row of `threads`."""
    return {
        "epoch": task.epoch,
        "tid": task.tid,
        "name": task.name,
        "run_ns": run_ns,
    }


class TableWriter:
    """Writes the rows of one table, in groups of 65 536."""

    def __init__(self, path: Path, columns: Mapping[str, str]) -> None:
        """Create the file.

        Args:
            path: path of the file; its folder is created if missing.
            columns: name and pyarrow type of each column.
        """
        arrow = pyarrow()
        self._schema = arrow.schema([(name, getattr(arrow, of)()) for name, of in columns.items()])
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = pyarrow("pyarrow.parquet").ParquetWriter(
            path, self._schema, compression="zstd"
        )
        self._rows: list[Row] = []

    def add(self, row: Row) -> None:
        """Add a row; write a group when it is full."""
        self._rows.append(row)
        if len(self._rows) >= _GROUP_ROWS:
            self._flush()

    def close(self) -> None:
        """Write the remaining rows and close the file."""
        try:
            self._flush()
        finally:
            self._file.close()

    def _flush(self) -> None:
        table: Any = pyarrow().Table.from_pylist(self._rows, self._schema)
        self._file.write_table(table)
        self._rows.clear()


@contextmanager
def table_writer(
    dataset: Path, table: str, name: str, columns: Mapping[str, str]
) -> Iterator[TableWriter]:
    """Open a writer for one table of a tape: `dataset`/`table`/tape=`name`/part-00000.parquet."""
    writer = TableWriter(dataset / table / f"tape={name}" / "part-00000.parquet", columns)
    try:
        yield writer
    finally:
        writer.close()

"""Stores figures of boards over many runs: a dataset of one Parquet file per board and run.

    history/figures/board=motor/20260102T030405-1a2b3c4d.parquet

Columns: `time` of the run (UTC), `image`, `figure`, `value_ns` (null when unknown), `low_ns` and
`high_ns` (limits of the value; null for none). docs/lab.md has a query.
"""

from __future__ import annotations

import statistics
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tickertape.answers.figures import times_of, unit_of
from tickertape.answers.statistics import statistics_of
from tickertape.errors import TapeWriteFailed, UsageError
from tickertape.formats.arrow.batches import pyarrow
from tickertape.model.entities import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from tickertape.answers.sample import Figure
    from tickertape.tape import TapeReader

FEW: Final = 3
"""Minimum number of earlier runs for calling a value an outlier."""
_TABLE: Final = "figures"


@dataclass(frozen=True, slots=True)
class Drift:
    """A figure of a run, compared with earlier runs.

    Attributes:
        board: name of the board.
        image: name of the firmware.
        figure: name of the figure.
        value_ns: value in this run.
        earlier_ns: values of the earlier runs, at least one, oldest first.
    """

    board: str
    image: str
    figure: str
    value_ns: float
    earlier_ns: Sequence[float]

    @property
    def median_ns(self) -> float:
        """Median of the earlier runs, ns."""
        return statistics.median(self.earlier_ns)

    @property
    def change(self) -> float | None:
        """Relative difference of the value to the median; None when the median is 0."""
        return self.value_ns / self.median_ns - 1 if self.median_ns else None

    @property
    def is_outside(self) -> bool:
        """Whether the value is outside the earlier range; False with fewer than `FEW` runs."""
        if len(self.earlier_ns) < FEW:
            return False
        return not min(self.earlier_ns) <= self.value_ns <= max(self.earlier_ns)


def figures_of(reader: TapeReader) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of the last boot of a tape in ns; none when its clock rate is unknown.

    The figures are the median, mean and maximum of the response time, and the maximum of the
    execution time, of each task and interrupt that has a name.
    """
    if not reader.epochs:
        return
    for boot in statistics_of(reader, epochs=[reader.epochs[-1]]):
        if unit_of(boot.clock) != "ns":
            return
        for one in boot.processes:
            if not one.name or one.kind not in {Kind.TASK, Kind.INTERRUPT}:
                continue
            for what, figure in (
                ("response p50", one.response.percentiles[50]),
                ("response mean", one.response.mean),
                ("response max", one.response.maximum),
                ("execution max", one.execution.maximum),
            ):
                yield f"{one.name}: {what}", times_of(boot.clock, figure)


def append(
    history: Path, board: str, when: datetime, figures: Sequence[tuple[str, str, Figure]]
) -> None:
    """Add the figures of a run of a board.

    Args:
        history: folder of the dataset; created if missing.
        board: name of the board.
        when: time of the run, UTC.
        figures: image, name, and value in ns of each figure.

    Raises:
        UsageError: pyarrow is not installed.
        TapeWriteFailed: the file cannot be written.
    """
    arrow, parquet = pyarrow(), pyarrow("pyarrow.parquet")
    columns = {
        "time": ([when] * len(figures), arrow.timestamp("us", tz="UTC")),
        "image": ([image for image, _, _ in figures], arrow.string()),
        "figure": ([name for _, name, _ in figures], arrow.string()),
        "value_ns": ([one.value for _, _, one in figures], arrow.float64()),
        "low_ns": ([one.low for _, _, one in figures], arrow.float64()),
        "high_ns": ([one.high for _, _, one in figures], arrow.float64()),
    }
    table = arrow.table(
        {name: arrow.array(values, type=kind) for name, (values, kind) in columns.items()}
    )
    folder = history / _TABLE / f"board={board}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{when:%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}.parquet"
        parquet.write_table(table, folder / name)
    except OSError as error:
        raise TapeWriteFailed(
            f"{folder} cannot be written ({error.strerror or error})", "give another `history`"
        ) from error


def drifts(history: Path, board: str) -> list[Drift]:
    """Return the figures of a board's newest run that an earlier run also has.

    Raises:
        UsageError: pyarrow is not installed, or a file of the dataset cannot be read.
    """
    folder = history / _TABLE / f"board={board}"
    found: dict[tuple[str, str], list[tuple[Any, float]]] = {}
    for row in _rows(folder):
        if row["value_ns"] is not None:
            place = found.setdefault((row["image"], row["figure"]), [])
            place.append((row["time"], row["value_ns"]))
    newest = max((time for rows in found.values() for time, _ in rows), default=None)
    made = []
    for (image, figure), rows in sorted(found.items()):
        rows.sort(key=lambda row: row[0])
        if len(rows) > 1 and rows[-1][0] == newest:
            values = [value for _, value in rows]
            made.append(Drift(board, image, figure, values[-1], values[:-1]))
    return made


def _rows(folder: Path) -> list[dict[str, Any]]:
    arrow, dataset = pyarrow(), pyarrow("pyarrow.dataset")
    if not folder.is_dir():
        return []
    try:
        rows: list[dict[str, Any]] = (
            dataset.dataset(str(folder), format="parquet").to_table().to_pylist()
        )
    except (OSError, arrow.ArrowException) as error:
        raise UsageError(
            f"{folder} cannot be read ({error})", "remove the file that is damaged"
        ) from error
    return rows

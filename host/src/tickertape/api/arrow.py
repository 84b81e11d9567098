"""Events as a table of Apache Arrow, for pandas, polars and DuckDB.

pyarrow is an extra: `pip install tickertape[arrow]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tickertape.formats.arrow.batches import EventBatches, pyarrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tickertape.decode.events import EventColumns
    from tickertape.decode.ticks import Clock


def table_of(parts: Iterable[EventColumns], clock_of: Callable[[int], Clock]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a `pyarrow.Table` of events.

    Args:
        parts: the events.
        clock_of: returns the clock of a boot, by epoch.

    Raises:
        UsageError: pyarrow is not installed.
    """
    batches = EventBatches(clock_of)
    made = [batches.batch(part) for part in parts if len(part)]
    return pyarrow().Table.from_batches(made, batches.schema).unify_dictionaries()


def batches_of(parts: Iterable[EventColumns], clock_of: Callable[[int], Clock]) -> Iterator[Any]:
    """Return an iterator of `pyarrow.RecordBatch`; arguments and errors are those of `table_of`."""
    batches = EventBatches(clock_of)
    return (batches.batch(part) for part in parts if len(part))

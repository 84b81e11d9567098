"""Selected events of a tape, as objects, columns, arrays or tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tickertape.api.arrays import structured
from tickertape.api.arrow import batches_of, table_of
from tickertape.api.columns import known_columns
from tickertape.api.event import tape_event
from tickertape.decode.events import EventColumns
from tickertape.formats.extras import load
from tickertape.model.compiled_running import running_threads
from tickertape.model.selection import narrow
from tickertape.printing.walk import Moment, Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.api.columns import TapeColumns
    from tickertape.api.event import TapeEvent
    from tickertape.decode.records import Structured
    from tickertape.model.boot import Boots
    from tickertape.model.selection import Mask

    Part = tuple[EventColumns, Mask | None]

Columns = TypeVar("Columns", bound=EventColumns)


class Selected:
    """Selected events of a tape, in order of time; returned by `Tape.select`.

    Each use reads the tape anew, in constant memory. The object has no length and is always truthy;
    `count()` counts the events.
    """

    def __init__(
        self, parts: Callable[[], Iterator[Part]], boots: Callable[[], Boots], text: str
    ) -> None:
        """Begin without reading.

        Args:
            parts: yields all events, each part with the mask of the selected ones.
            boots: returns new boots of the tape.
            text: tape and criteria, for `repr`.
        """
        self._parts = parts
        self._boots = boots
        self._text = text

    def __repr__(self) -> str:
        """Return tape and criteria, without reading events."""
        return f"<tickertape.Selected {self._text}>"

    def __iter__(self) -> Iterator[TapeEvent]:
        """Yield events as objects; for millions of events use `columns`."""
        walk = Walk(self._boots())
        for part, mask in self._parts():
            for item in walk.items(part, mask):
                if isinstance(item, Moment):
                    yield tape_event(item, walk)

    def count(self) -> int:
        """Count the events."""
        return sum(map(len, _narrowed(self._parts())))

    def columns(self) -> Iterator[TapeColumns]:
        """Yield events as numpy columns, some ten thousand rows at a time; never of two boots.

        Losses are in `TapeColumns.losses`, independent of the selection.
        """
        return _narrowed(known_columns(self._parts(), self._boots()))

    def arrays(self) -> Iterator[Structured]:
        """Yield events as numpy structured arrays of `ARRAY_DTYPE`, without payloads and losses."""
        return (structured(part) for part in _narrowed(self._parts()) if len(part))

    def to_arrow(self) -> Any:  # noqa: ANN401 - an optional package's
        """Return the events as a `pyarrow.Table`; docs/python.md lists its columns.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return table_of(self._with_running(), self._boots().clock)

    def iter_batches(self) -> Iterator[Any]:
        """Return an iterator of `pyarrow.RecordBatch`, with the columns of `to_arrow`.

        Each batch has some ten thousand rows and no row of two boots; memory stays constant.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return batches_of(self._with_running(), self._boots().clock)

    def to_polars(self) -> Any:  # noqa: ANN401 - an optional package's
        """Return the events as a `polars.DataFrame`, with the columns of `to_arrow`.

        Raises:
            UsageError: polars or pyarrow is not installed.
        """
        return load("polars", extra="polars", what="data frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:  # noqa: ANN401 - an optional package's
        """Return the events as a `pandas.DataFrame`, with the columns of `to_arrow`.

        `class` and `event` are categories; `tid` is `UInt32`, with `<NA>` for an unknown thread.

        Raises:
            UsageError: pandas or pyarrow is not installed.
        """
        pandas = load("pandas", extra="pandas", what="data frames")
        table = self.to_arrow()
        frame = table.to_pandas()
        nullable = {table["tid"].type: pandas.UInt32Dtype()}
        frame["tid"] = table["tid"].to_pandas(types_mapper=nullable.get)
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the events for any library with Arrow's C interface: polars, DuckDB, pandas.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _with_running(self) -> Iterator[EventColumns]:
        """Yield the selected columns with the running threads, which all events determine."""
        return _narrowed(_with_running(self._parts()))


def _narrowed(parts: Iterator[tuple[Columns, Mask | None]]) -> Iterator[Columns]:
    """Yield the selected events and all losses."""
    for part, mask in parts:
        chosen = part if mask is None else narrow(part, mask)
        if len(chosen) or chosen.gaps:
            yield chosen


def _with_running(parts: Iterator[Part]) -> Iterator[Part]:
    """Add the running threads, which selected events alone do not determine."""
    running = running_threads()
    for part, mask in parts:
        yield replace(part, running=running.column(part)), mask

"""Chosen events of a tape, in every form that programs take them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from tickertape.api.arrays import structured
from tickertape.api.arrow import table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.decode.events import Event, EventColumns
    from tickertape.decode.records import Structured
    from tickertape.decode.ticks import Clock


class Selected:
    """Chosen events of a tape, in order of time; `Tape.select` makes it.

    Each use reads the tape anew, in constant memory, so it is always true and has no length: count
    with `count()`.
    """

    def __init__(
        self, parts: Callable[[], Iterator[EventColumns]], clock_of: Callable[[int], Clock]
    ) -> None:
        """Take what reads the events, and the clocks of the boots."""
        self._parts = parts
        self._clock_of = clock_of

    def __iter__(self) -> Iterator[Event]:
        """Yield events as objects; for thousands, `columns` is for millions."""
        return chain.from_iterable(part.events() for part in self._parts())

    def count(self) -> int:
        """Count the events."""
        return sum(map(len, self._parts()))

    def columns(self) -> Iterator[EventColumns]:
        """Yield events as numpy columns, some ten thousand rows at a time; never of two boots.

        Losses are in `EventColumns.gaps`, whatever is chosen.
        """
        return self._parts()

    def arrays(self) -> Iterator[Structured]:
        """Yield events as numpy structured arrays of `ARRAY_DTYPE`, without payloads and losses."""
        return (structured(part) for part in self._parts() if len(part))

    def to_arrow(self) -> Any:  # noqa: ANN401 - an optional package's
        """Return the events as a `pyarrow.Table`; docs/python.md lists its columns.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return table_of(self._parts(), self._clock_of)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the events to polars, DuckDB, pandas: every library of Arrow's C interface.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

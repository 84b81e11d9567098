"""Base class of table exporters: one row per event, loss and reset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from tickertape.decode.events import Gap
from tickertape.printing.board_values import board_values
from tickertape.printing.walk import Moment, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.boot import BootOf
    from tickertape.printing.walk import Item
    from tickertape.tape.board import Board

Values = dict[str, object]
"""A row: values by name of the column."""


class TableExporter(ABC):
    """Converts events to rows, chunk by chunk."""

    def __init__(
        self,
        boots: BootOf,
        boards: Mapping[int, Board] | None = None,
    ) -> None:
        """Create an exporter.

        Args:
            boots: returns a `Boot` for an epoch.
            boards: board of each epoch, on a tape of several boards; None otherwise.
        """
        self._walk = Walk(boots)
        self._boards = boards or {}

    def head(self) -> Iterator[str]:
        """Return no lines: the table has no header."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the rows of the next events, without line ends."""
        for item in self._walk.items(columns, chosen):
            values = self._values(item, columns.epoch)
            if self._boards:
                values |= board_values(self._boards, item, columns.epoch)
            yield self._line(values)

    def tail(self) -> Iterator[str]:
        """Return no lines: the table has no trailer."""
        return iter(())

    def _values(self, item: Item, epoch: int) -> Values:
        match item:
            case Moment():
                return self._event(item)
            case Gap():
                return self._gap(item, epoch)
        return {"kind": "reset", "epoch": item.epoch}

    def _place(self, moment: Moment) -> Values:
        """Return the values that all tables have: place and time of the event, and its name."""
        event, what = moment.event, moment.event.type
        # The firmware, or the file of an import, names the events of its own classes.
        own = None if what.since else self._walk.names.event(what.code)
        return {
            "kind": "event",
            "epoch": event.epoch,
            "time_ns": self._walk.time_ns(event.time_ticks),
            "ticks": event.time_ticks,
            "stream": event.stream,
            "cpu": event.cpu,
            "ordinal": event.ordinal,
            "domain": event.domain,
            "tid": moment.tid,
            "task": self._walk.task(moment.tid),
            "class": what.class_name,
            "event": own or what.name,
        }

    @abstractmethod
    def _line(self, values: Values) -> str:
        """Format a row."""

    @abstractmethod
    def _event(self, moment: Moment) -> Values:
        """Return the row of an event."""

    @abstractmethod
    def _gap(self, gap: Gap, epoch: int) -> Values:
        """Return the row of a loss."""

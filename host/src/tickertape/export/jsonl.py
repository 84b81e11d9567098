"""Events as one JSON object a line. docs/formats.md has the keys.

Keys that would say nothing (no payload, no text, no flag) are left out; numbers are numbers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tickertape.decode.events import Gap
from tickertape.export.board_values import board_values
from tickertape.export.values import flags_of, typed_fields
from tickertape.export.walk import Moment, Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import Event, EventColumns
    from tickertape.export.walk import Item
    from tickertape.model.names import Names
    from tickertape.tape.board import Board

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class JsonlExporter:
    """Turns events into objects, chunk after chunk."""

    def __init__(
        self,
        names_of: Callable[[int], Names],
        tick_hz_of: Callable[[int], int],
        boards: Mapping[int, Board] | None = None,
    ) -> None:
        """Get ready.

        Args:
            names_of: as `Walk` has it.
            tick_hz_of: likewise.
            boards: by epoch, on a tape of several boards.
        """
        self._walk = Walk(names_of, tick_hz_of)
        self._boards = boards or {}

    def head(self) -> Iterator[str]:
        """Nothing stands before the first event."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the objects of the next events, without line ends."""
        for item in self._walk.items(columns, chosen):
            values = self._values(item, columns.epoch)
            if self._boards:
                values |= board_values(self._boards, item, columns.epoch)
            yield _ENCODER.encode(values)

    def tail(self) -> Iterator[str]:
        """Nothing is left to say."""
        return iter(())

    def _values(self, item: Item, epoch: int) -> dict[str, object]:
        match item:
            case Moment():
                return self._event(item)
            case Gap():
                return self._gap(item, epoch)
        return {"kind": "reset", "epoch": item.epoch}

    def _event(self, moment: Moment) -> dict[str, object]:
        event, what = moment.event, moment.event.type
        values: dict[str, object] = {
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
            "event": what.name,
            "class_number": event.cls,
            "event_number": event.event,
            "fields": typed_fields(event),
        }
        if names := self._names_in(event):
            values["names"] = names
        if event.payload is not None:
            values["payload"] = event.payload.hex()
        if event.text is not None:
            values["text"] = event.text
        return values | dict.fromkeys(flags_of(event), True)

    def _names_in(self, event: Event) -> dict[str, str]:
        """Give the names of what the fields refer to, as far as they are known."""
        names = self._walk.names
        lookups = {
            "thread": names.thread,
            "irq": names.interrupt,
            "object": names.object,
            "address": names.code,
        }
        found = {
            known.name: lookups[known.type](word)
            for known, word in event.fields
            if known.type in lookups
        }
        return {field: name for field, name in found.items() if name is not None}

    def _gap(self, gap: Gap, epoch: int) -> dict[str, object]:
        return {
            "kind": "gap",
            "epoch": epoch,
            "time_ns": self._walk.time_ns(gap.end_ticks),
            "ticks": gap.end_ticks,
            "stream": gap.stream,
            "cpu": gap.cpu,
            "first_ordinal": gap.first_ordinal,
            "records": gap.lost,
            "dropped": gap.dropped,
            "overwritten": gap.overwritten,
            "damaged": gap.damaged,
            "unknown": gap.unknown,
        }

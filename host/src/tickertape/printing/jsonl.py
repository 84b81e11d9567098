"""Prints events as JSON objects, one per line. docs/formats.md has the keys.

Keys without a value (no payload, no text, no flag) are left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tickertape.model.messages import is_message
from tickertape.printing.table import TableExporter
from tickertape.printing.values import flags_of, names_in, text_of, typed_fields

if TYPE_CHECKING:
    from tickertape.decode.events import Gap
    from tickertape.printing.table import Values
    from tickertape.printing.walk import Moment

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class JsonlExporter(TableExporter):
    """Converts events to JSON objects, chunk by chunk."""

    def _line(self, values: Values) -> str:
        return _ENCODER.encode(values)

    def _event(self, moment: Moment) -> Values:
        event = moment.event
        values = self._place(moment) | {
            "class_number": event.cls,
            "event_number": event.event,
            "fields": typed_fields(event),
        }
        if names := names_in(event, self._walk.names):
            values["names"] = names
        if event.payload is not None:
            values["payload"] = event.payload.hex()
        if (text := text_of(event, self._walk.names)) is not None:
            values["text"] = text
        elif is_message(event):
            values["needs_build"] = self._walk.names.build_id
        return values | dict.fromkeys(flags_of(event), True)

    def _gap(self, gap: Gap, epoch: int) -> Values:
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

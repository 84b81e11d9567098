"""Prints events as comma-separated values: a header, then one row per event.

docs/formats.md has the columns. The format is RFC 4180 with the line ends of Unix. Losses and
resets also are rows; the first column distinguishes them from events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.printing.board_values import BOARD_COLUMNS
from tickertape.printing.table import TableExporter
from tickertape.printing.values import flags_of, text_of, typed_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tickertape.decode.events import Gap
    from tickertape.printing.table import Values
    from tickertape.printing.walk import Moment

COLUMNS: Final = (
    "kind",
    "epoch",
    "time_ns",
    "ticks",
    "stream",
    "cpu",
    "ordinal",
    "domain",
    "tid",
    "task",
    "class",
    "event",
    "data0",
    "data1",
    "fields",
    "text",
    "payload",
    "flags",
)
"""Columns; their order is permanent. Append new ones; `BOARD_COLUMNS` follow the last."""

_SPECIAL: Final = frozenset(',"\r\n')


class CsvExporter(TableExporter):
    """Converts events to rows, chunk by chunk."""

    def head(self) -> Iterator[str]:
        """Yield the row of column names."""
        yield ",".join(self._columns)

    @property
    def _columns(self) -> Sequence[str]:
        return (*COLUMNS, *BOARD_COLUMNS) if self._boards else COLUMNS

    def _line(self, values: Values) -> str:
        return ",".join([_quoted(values.get(name, "")) for name in self._columns])

    def _event(self, moment: Moment) -> Values:
        event, fields = moment.event, typed_fields(moment.event)
        return {
            name: "" if value is None else value for name, value in self._place(moment).items()
        } | {
            "data0": event.words[0] if event.words else "",
            "data1": event.words[1] if len(event.words) > 1 else "",
            "fields": " ".join(f"{name}={value}" for name, value in fields.items()),
            "text": text_of(event, self._walk.names) or "",
            "payload": "" if event.payload is None else event.payload.hex(),
            "flags": " ".join(flags_of(event)),
        }

    def _gap(self, gap: Gap, epoch: int) -> Values:
        fates = ("dropped", "overwritten", "damaged")
        return {
            "kind": "gap",
            "epoch": epoch,
            "time_ns": self._walk.time_ns(gap.end_ticks),
            "ticks": gap.end_ticks,
            "stream": gap.stream,
            "cpu": gap.cpu,
            "ordinal": gap.first_ordinal,
            "fields": " ".join(
                [f"records={gap.lost}", *(f"{fate}={getattr(gap, fate)}" for fate in fates)]
            ),
            "flags": "unknown" if gap.unknown else "",
        }


def _quoted(value: object) -> str:
    text = str(value)
    if _SPECIAL.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'

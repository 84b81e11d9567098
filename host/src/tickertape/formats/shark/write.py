"""Writes the events of a tape as records of the S.Ha.R.K. tracer; docs/shark.md lists them.

report = export_shark(Source(reader), Path("fix1"), layout="original")
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tickertape.files import replacing
from tickertape.formats.report import Report
from tickertape.formats.shark.events import SharkView, micros
from tickertape.formats.shark.layout import SharkColumns, records_of
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.source import Source


def export_shark(
    source: Source, output: Path, *, layout: str = "original", stream: int | None = None
) -> Report:
    """Write the events of a tape in order of time.

    Args:
        source: the tape.
        output: the file to write; an existing file is replaced.
        layout: one of `LAYOUTS`.
        stream: number of the stream (a queue of the target); None for all.

    Returns:
        Counts of `records`; `repeated` (activations that an INTACTIVATION already reports);
        `others` (events that the tracer does not have); `gaps` on the tape.
    """
    reader, counts = source.reader, Counter[str]()
    views: dict[int, SharkView] = {}
    with replacing(output) as first, first.open("wb") as file:
        for columns in iter_events(reader, stream=stream):
            found = views.setdefault(columns.epoch, SharkView()).records(columns)
            time = micros(columns.time[found.rows], reader.clock(columns.epoch).hz)
            file.write(records_of(layout, SharkColumns(time, found.number, found.word)).tobytes())
            counts["records"] += len(found.rows)
            counts["repeated"] += found.repeated
            counts["others"] += len(columns) - len(found.rows) - found.repeated
            counts["gaps"] += len(columns.losses)
            source.on_progress(counts["records"] + counts["repeated"] + counts["others"])
    return Report(counts)

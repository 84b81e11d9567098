"""Writes a tape's events as records of the S.Ha.R.K. tracer; docs/shark.md lists them.

report = export_shark(reader, Path("fix1"), layout="original")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tickertape.formats.shark.events import SharkView, micros
from tickertape.formats.shark.layout import SharkColumns, records_of
from tickertape.tape.output import replacing
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.tape.reader import TapeReader


@dataclass(slots=True)
class SharkExport:
    """What was exported.

    Attributes:
        records: records written.
        others: events of the tape that are none of that tracer's.
        gaps: places at which records of the tape are missing; the file has no word for that.
    """

    records: int = 0
    others: int = 0
    gaps: int = 0


def export_shark(
    reader: TapeReader,
    path: Path,
    *,
    layout: str = "original",
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> SharkExport:
    """Write a tape's events in order of time.

    Args:
        reader: the tape.
        path: the file to write; one of that name is replaced.
        layout: one of `shark_layout.LAYOUTS`.
        stream: which stream, and so which queue of the target; None for all.
        on_progress: is called now and then with the number of events read.

    Raises:
        TapeWriteFailed: the file cannot be written.
    """
    report = SharkExport()
    views: dict[int, SharkView] = {}
    done = 0
    with replacing(path) as first, first.open("wb") as file:
        for columns in iter_events(reader, stream=stream):
            found = views.setdefault(columns.epoch, SharkView()).records(columns)
            time = micros(columns.time[found.rows], reader.clock(columns.epoch).hz)
            file.write(records_of(layout, SharkColumns(time, found.number, found.word)).tobytes())
            report.records += len(found.rows)
            report.others += len(columns) - len(found.rows)
            report.gaps += len(columns.gaps)
            done += len(columns)
            if on_progress is not None:
                on_progress(done)
    return report

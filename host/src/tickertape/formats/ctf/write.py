"""Writes a tape as a trace in the Common Trace Format, 1.8 or 2.

    report = export_ctf(reader, Path("trace"), version="1.8", program="0.1.0")

A boot of the target is one trace, since its clock begins anew; each of its rings is one stream. The
bytes of the streams are the same in both versions, only the metadata differ. docs/exports.md tells
people what becomes what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.formats.ctf.metadata_json import json_metadata
from tickertape.formats.ctf.metadata_tsdl import TraceFacts, tsdl_metadata
from tickertape.formats.ctf.stream import CtfStream
from tickertape.formats.ctf.types import ctf_events
from tickertape.formats.ctf.words import Ids
from tickertape.formats.ring_ends import last_ticks, lost_before
from tickertape.tape.output import new_folder
from tickertape.tape.stream import ring_events

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tickertape.analysis.balance import RingBalance
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader

VERSIONS: Final = ("1.8", "2")
_METADATA: Final = {"1.8": tsdl_metadata, "2": json_metadata}


@dataclass(slots=True)
class CtfReport:
    """What was exported.

    Attributes:
        traces: boots of the target.
        streams: rings of all boots.
        events: events written.
        discarded: records missing by the receipts, as the trace says it.
        unknown: places where an unknown number of records is missing.
        held: events whose clock stood before that of the event before them; the trace has that one.
        lost_records: records on the tape that belong to no event, left out.
    """

    traces: int = 0
    streams: int = 0
    events: int = 0
    discarded: int = 0
    unknown: int = 0
    held: int = 0
    lost_records: int = 0


def export_ctf(
    reader: TapeReader,
    folder: Path,
    *,
    version: str,
    program: str,
    on_progress: Callable[[int], None] | None = None,
) -> CtfReport:
    """Write a tape.

    Args:
        reader: the tape.
        folder: a folder that is new or empty. A tape of several boots gets folders `boot0`, … in
            it.
        version: of the format, one of `VERSIONS`.
        program: version of this program, for the metadata.
        on_progress: is called now and then with the number of events written.

    Raises:
        UsageError: no such version, or there is nothing to write.
        TapeWriteFailed: the folder holds something, or cannot be written.
    """
    if version not in VERSIONS:
        raise UsageError(f"there is no CTF {version}", f"take {' or '.join(VERSIONS)}")
    balances = {ring.ring: ring for ring in balance_of(reader, by_class=False).rings}
    if not balances:
        raise UsageError(f"{reader.path} holds no records", "capture again")
    epochs = sorted({ring.epoch for ring in balances})
    report = CtfReport(traces=len(epochs))
    with new_folder(folder) as place:
        for epoch in epochs:
            trace = place if len(epochs) == 1 else place / f"boot{epoch}"
            trace.mkdir(exist_ok=True)
            ids = Ids()
            rings = {ring: one for ring, one in balances.items() if ring.epoch == epoch}
            _write_streams(reader, trace, rings, ids, _Progress(report, on_progress))
            facts = TraceFacts(
                program=program,
                target=reader.target_of(epoch),
                boot=epoch,
                tick_hz=reader.clock(epoch).hz,
                events=tuple(ctf_events(ids)),
            )
            (trace / "metadata").write_bytes(_METADATA[version](facts))
    return report


@dataclass(slots=True)
class _Progress:
    """Counts for the report, and tells who waits."""

    report: CtfReport
    tell: Callable[[int], None] | None

    def add(self, events: int) -> None:
        self.report.events += events
        if self.tell is not None:
            self.tell(self.report.events)


def _write_streams(
    reader: TapeReader,
    trace: Path,
    rings: Mapping[RingKey, RingBalance],
    ids: Ids,
    progress: _Progress,
) -> None:
    report = progress.report
    counters = DecodeCounters()
    for ring, balance in rings.items():
        with (trace / f"stream{ring.stream}_cpu{ring.cpu}").open("wb") as file:
            stream = CtfStream(file, ring, ids)
            count, opened = lost_before(reader, balance)
            stream.lose(count, None, opened)
            for columns in ring_events(reader, ring, counters):
                stream.write(columns)
                progress.add(len(columns))
            # What no later buffer tells of, the last receipt does.
            rest = balance.balance.lost - stream.discarded
            stream.lose(max(rest, 0), None, last_ticks(reader, ring))
        report.streams += 1
        report.discarded += stream.discarded
        report.unknown += stream.unknown
        report.held += stream.held
    report.lost_records += counters.lost_records

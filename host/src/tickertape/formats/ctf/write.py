"""Writes a tape as a trace in the Common Trace Format, 1.8 or 2.

    report = export_ctf(Source(reader), Path("trace"), ctf="1.8")

Each boot of the target is a trace, because its clock restarts; each ring of a boot is a stream.
Only the metadata depend on the version. docs/exports.md has the mapping.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.files import new_folder
from tickertape.formats.ctf import VERSIONS
from tickertape.formats.ctf.metadata_json import json_metadata
from tickertape.formats.ctf.metadata_tsdl import TraceFacts, tsdl_metadata
from tickertape.formats.ctf.stream import CtfStream
from tickertape.formats.ctf.types import ctf_events
from tickertape.formats.ctf.words import Ids
from tickertape.formats.report import Report
from tickertape.formats.ring_ends import last_ticks, lost_before
from tickertape.tape.stream import ring_events
from tickertape.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tickertape.analysis.balance import RingBalance
    from tickertape.formats.source import Source
    from tickertape.tape.format import RingKey

_METADATA: Final = {"1.8": tsdl_metadata, "2": json_metadata}


def export_ctf(source: Source, output: Path, *, ctf: str = VERSIONS[0]) -> Report:
    """Write a tape.

    Args:
        source: the tape.
        output: a folder that does not exist or is empty. For a tape of several boots, it gets
            folders `boot0`, ….
        ctf: version of the format, one of `VERSIONS`.

    Returns:
        Counts of `boots`, 0 for a single one; `streams` (rings of all boots); `events`; `discarded`
        (missing records); `unknown` (losses of unknown size); `held` (events that got the time of
        the event before, because the clock stepped back); `lost_records` of incomplete events.

    Raises:
        UsageError: the version does not exist, or the tape has no records.
        TapeWriteFailed: the folder is not empty, or cannot be written.
    """
    if ctf not in VERSIONS:
        raise UsageError(f"there is no CTF {ctf}", f"choose {' or '.join(VERSIONS)}")
    reader, counts = source.reader, Counter[str]()
    balances = {ring.ring: ring for ring in balance_of(reader, by_class=False).rings}
    if not balances:
        raise UsageError(f"{reader.path} contains no records", "capture again")
    epochs = sorted({ring.epoch for ring in balances})
    counts["boots"] = len(epochs) if len(epochs) > 1 else 0
    with new_folder(output) as place:
        for epoch in epochs:
            trace = place if len(epochs) == 1 else place / f"boot{epoch}"
            trace.mkdir(exist_ok=True)
            ids = Ids()
            rings = {ring: one for ring, one in balances.items() if ring.epoch == epoch}
            _write_streams(source, trace, rings, ids, counts)
            facts = TraceFacts(
                program=__version__,
                target=reader.target_of(epoch),
                boot=epoch,
                tick_hz=reader.clock(epoch).hz,
                events=tuple(ctf_events(ids)),
            )
            (trace / "metadata").write_bytes(_METADATA[ctf](facts))
    return Report(counts)


def _write_streams(
    source: Source,
    trace: Path,
    rings: Mapping[RingKey, RingBalance],
    ids: Ids,
    counts: Counter[str],
) -> None:
    reader, counters = source.reader, DecodeCounters()
    for ring, balance in rings.items():
        with (trace / f"stream{ring.stream}_cpu{ring.cpu}").open("wb") as file:
            stream = CtfStream(file, ring, ids)
            count, opened = lost_before(reader, balance)
            stream.lose(count, None, opened)
            for columns in ring_events(reader, ring, counters):
                stream.write(columns)
                counts["events"] += len(columns)
                source.on_progress(counts["events"])
            # The last receipt counts losses after the last buffer.
            rest = balance.balance.lost - stream.discarded
            stream.lose(max(rest, 0), None, last_ticks(reader, ring))
        counts["streams"] += 1
        counts["discarded"] += stream.discarded
        counts["unknown"] += stream.unknown
        counts["held"] += stream.held
    counts["lost_records"] += counters.lost_records

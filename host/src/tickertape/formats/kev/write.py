"""Writes a tape as a kernel trace file of QNX Neutrino (`.kev`); docs/kev.md has the details.

    report = export_kev(reader, Path("trace.kev"))

Tools of that system read the file. Header bits and a key that they do not look at keep what their
format has no place for (payload lengths, domains, flags), so that `import_kev` gives equal events.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.formats.kev.header import kev_header, kev_meta
from tickertape.formats.kev.marks import FOREIGN_VALUE, OWN_KEY
from tickertape.formats.kev.write_buffers import BufferWriter
from tickertape.formats.kev.write_records import lay_out
from tickertape.tape.output import replacing
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.tape.reader import TapeReader

_HEADER_END: Final = "HEADER_END"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was exported.

    Attributes:
        events: events written.
        losses: places at which records are missing; the file marks them without their number.
        lost_records: records on the tape that belong to no event, left out.
    """

    events: int
    losses: int
    lost_records: int


def export_kev(
    reader: TapeReader,
    path: Path,
    version: str,
    *,
    epoch: int | None = None,
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> ExportReport:
    """Write one boot and one stream of a tape.

    Args:
        reader: the tape.
        path: the file to write; one of that name is replaced.
        version: of this program, for the header.
        epoch: which boot; may be None when there is one.
        stream: which stream; None for the first.
        on_progress: is called now and then with the number of events written.

    Raises:
        UsageError: several boots and none chosen, or no such boot or stream.
        TapeWriteFailed: the file cannot be written.
    """
    epoch, stream = _chosen(reader, epoch, stream)
    foreign = kev_meta(reader.meta) is not None
    counters = DecodeCounters()
    events = losses = 0
    with replacing(path) as place, place.open("wb") as file:
        file.write(_head(reader, version, foreign=foreign))
        buffers = BufferWriter(file, reader.header.byte_order, marks=not foreign)
        for columns in iter_events(reader, stream=stream, counters=counters):
            if columns.epoch != epoch:
                continue
            begin = 0
            for gap in sorted(columns.gaps, key=lambda gap: gap.row):
                buffers.write(*lay_out(columns.take(slice(begin, gap.row)), foreign=foreign))
                buffers.lose()
                begin = gap.row
                losses += 1
            buffers.write(*lay_out(columns.take(slice(begin, None)), foreign=foreign))
            events += len(columns)
            if on_progress is not None:
                on_progress(events)
    return ExportReport(events, losses, counters.lost_records)


def _chosen(reader: TapeReader, epoch: int | None, stream: int | None) -> tuple[int, int]:
    rings = reader.rings
    epochs = sorted({ring.epoch for ring in rings})
    if epoch is None and len(epochs) > 1:
        raise UsageError(
            f"{reader.path} holds {len(epochs)} boots of the target, a .kev file holds one",
            f"choose it with --epoch ({epochs[0]} to {epochs[-1]})",
        )
    epoch = epochs[0] if epoch is None and epochs else epoch or 0
    streams = sorted({ring.stream for ring in rings if ring.epoch == epoch})
    if stream is None and streams:
        stream = streams[0]
    if (streams and stream not in streams) or (epochs and epoch not in epochs):
        raise UsageError(
            f"{reader.path} has no stream {stream or 0} in boot {epoch}",
            "see 'tickertape info' for what it has",
        )
    return epoch, stream or 0


def _head(reader: TapeReader, version: str, *, foreign: bool) -> bytes:
    """Give header and system page."""
    values = kev_header(reader.path, reader.header, reader.hello, reader.meta, version)
    values.pop(_HEADER_END, None)
    hello = reader.hello
    values[OWN_KEY] = FOREIGN_VALUE if foreign else f"{hello.dictionary if hello else 0:016x}"
    page = _syspage(reader)
    values["SYSPAGE_LEN"] = str(len(page))
    text = "".join(f"TRACE_{key}::{value}" for key, value in values.items())
    return f"{text}TRACE_{_HEADER_END}::".encode() + page


def _syspage(reader: TapeReader) -> bytes:
    kept = kev_meta(reader.meta)
    text = kept.get("syspage") if kept else None
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except binascii.Error:
        return b""

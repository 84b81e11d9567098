"""Writes a tape as a kernel trace file of QNX Neutrino (`.kev`); docs/kev.md has the details.

    report = export_kev(Source(reader), Path("trace.kev"))

Tools of QNX can read the file. Facts that the format cannot express (payload lengths, domains,
flags) are in header bits and a key that these tools ignore, so that `import_kev` restores equal
events.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.files import replacing
from tickertape.formats.kev.header import kev_header, kev_meta
from tickertape.formats.kev.marks import FOREIGN_VALUE, OWN_KEY
from tickertape.formats.kev.write_buffers import BufferWriter
from tickertape.formats.kev.write_records import lay_out
from tickertape.formats.report import Report
from tickertape.formats.ring_ends import chosen_stream
from tickertape.tape.stream import iter_events
from tickertape.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.source import Source
    from tickertape.tape.reader import TapeReader

_HEADER_END: Final = "HEADER_END"


def export_kev(
    source: Source, output: Path, *, boot: int | None = None, stream: int | None = None
) -> Report:
    """Write one boot and one stream of a tape.

    Args:
        source: the tape.
        output: the file to write; an existing file is replaced.
        boot: boot to export; None if the tape has only one.
        stream: stream to export; None for the lowest one in use.

    Returns:
        Counts of `events`; `losses` (gaps); `lost_records` of incomplete events.

    Raises:
        UsageError: the tape has several boots and `boot` is None, or has no such boot or stream.
        TapeWriteFailed: the file cannot be written.
    """
    reader, report, counters = source.reader, Report(), DecodeCounters()
    epoch = _chosen_boot(reader, boot)
    number = chosen_stream(reader, stream, epoch)
    foreign = kev_meta(reader.meta) is not None
    with replacing(output) as place, place.open("wb") as file:
        file.write(_head(reader, foreign=foreign))
        buffers = BufferWriter(file, reader.header.byte_order, marks=not foreign)
        for columns in iter_events(reader, stream=number, counters=counters):
            if columns.epoch != epoch:
                continue
            begin = 0
            for gap in sorted(columns.losses, key=lambda gap: gap.row):
                buffers.write(*lay_out(columns.take(slice(begin, gap.row)), foreign=foreign))
                buffers.lose()
                begin = gap.row
                report.counts["losses"] += 1
            buffers.write(*lay_out(columns.take(slice(begin, None)), foreign=foreign))
            report.counts["events"] += len(columns)
            source.on_progress(report.counts["events"])
    report.counts["lost_records"] = counters.lost_records
    return report


def _chosen_boot(reader: TapeReader, boot: int | None) -> int:
    boots = sorted({ring.epoch for ring in reader.rings}) or [0]
    if boot is None and len(boots) > 1:
        raise UsageError(
            f"{reader.path} holds {len(boots)} boots of the target, a .kev file holds one",
            f"choose it with --boot ({boots[0]} to {boots[-1]})",
        )
    if boot is not None and boot not in boots:
        raise UsageError(f"{reader.path} has no boot {boot}", "'tickertape info' lists its boots")
    return boots[0] if boot is None else boot


def _head(reader: TapeReader, *, foreign: bool) -> bytes:
    """Return header and system page."""
    values = kev_header(reader.path, reader.header, reader.hello, reader.meta, __version__)
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

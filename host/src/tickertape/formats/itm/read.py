"""Makes a tape of what a Cortex-M's trace unit sent: ITM and DWT packets from an SWO pin.

    report = import_itm(Path("swo.bin"), Path("T.tape"), hz=168_000_000)

`model/hardware.py` has the mapping. Memory does not depend on the file's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.itm import ItmDecoder
from tickertape.errors import ForeignFile
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import RecordFile
from tickertape.formats.report import Count, Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.model.hardware import LOST, HardwareLevel
from tickertape.protocol.wire import ByteOrder, record_dtype
from tickertape.tape.output import replacing
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tickertape.formats.report import Progress
    from tickertape.model.hardware import Row

_LOW_WORD: Final = 0xFFFF_FFFF


def import_itm(
    file: Path,
    tape: Path,
    *,
    hz: int,
    watch: Iterable[tuple[int, int]] = (),
    on_progress: Progress = no_progress,
) -> Report:
    """Make a tape of a file.

    Args:
        file: the bytes of the SWO pin, without the frames of a TPIU.
        tape: the tape to write; an existing tape is replaced.
        hz: clock rate of the local time stamps, after their prescaler.
        watch: number of a comparator of the DWT, and the address that it watches.
        on_progress: takes the number of packets.

    Returns:
        Counts of `packets` of the file; `events` on the tape; `overflows`, places where the trace
        unit lost packets; `unsure`, events whose time stamp came late; `unstamped`, events that no
        time stamp follows. Packets without an event and bytes that are no packets are `left_out`.
    """
    report, decoder, ring = Report(), ItmDecoder(), TimedRing()
    level = HardwareLevel(dict(watch))
    with (
        RecordFile(file, 1) as source,
        replacing(tape) as place,
        TapeWriter(place, meta={"imported_from": file.name}) as writer,
    ):
        writer.hello(build_hello("ITM and DWT", hz))

        def move() -> None:
            for packet in decoder.packets():
                report.counts["packets"] += 1
                level.take(packet)
            rows, level.rows = level.rows, []
            for body in _bodies(ring, rows):
                writer.buffer(0, 0, body)

        for block in source.blocks():
            decoder.receive(block)
            move()
            on_progress(report.counts["packets"])
        decoder.finish()
        level.finish()
        move()
        report.counts.update(
            events=ring.count,
            overflows=level.overflows,
            unsure=level.unsure,
            unstamped=level.unstamped,
        )
        for what, count in (level.left_out + decoder.skipped).items():
            writer.note(f"left out: {what}, {count} times or bytes")
        report.left_out.update(level.left_out)
        for why, count in decoder.skipped.items():
            report.remarks.append(
                f"{Count(count)} bytes left out: {why}; check rate and wiring of the pin"
            )
        if level.overflows:
            writer.note(f"the trace unit lost packets at {level.overflows} places")
        if not report.counts["packets"]:
            raise ForeignFile(f"{file} has no packet of ITM or DWT", "give the bytes of an SWO pin")
    return report


def _bodies(ring: TimedRing, rows: Sequence[Row]) -> list[bytes]:
    """Put events into a ring, and mark where packets were lost."""
    found: list[bytes] = []
    begin = 0
    places = [place for place, row in enumerate(rows) if row[1] == LOST]
    for end in (*places, len(rows)):
        part = rows[begin:end]
        records = np.zeros(len(part), record_dtype(ByteOrder.LITTLE))
        for column, name in enumerate(("time", "header", "data0", "data1")):
            values = [row[column] & _LOW_WORD for row in part]
            records[name] = np.array(values, np.uint32)
        found += ring.buffers(records, np.array([row[0] for row in part], np.uint64))
        if end < len(rows):
            ring.lose()
        begin = end + 1
    return found

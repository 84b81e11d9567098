"""Makes a tape of what a Cortex-M's trace unit sent: ITM and DWT packets from an SWO pin.

    report = import_itm(Path("swo.bin"), Path("T.tape"), tick_hz=168_000_000)

`model/hardware.py` has the mapping. Memory does not depend on the file's size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.itm import ItmDecoder
from tickertape.errors import ForeignFile
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import RecordFile
from tickertape.formats.timed_ring import TimedRing
from tickertape.model.hardware import LOST, HardwareLevel
from tickertape.protocol.wire import ByteOrder, record_dtype
from tickertape.tape.output import replacing
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tickertape.model.hardware import Row

_LOW_WORD: Final = 0xFFFF_FFFF


@dataclass(slots=True)
class ItmReport:
    """What was imported.

    Attributes:
        packets: packets of the file.
        events: events on the tape.
        overflows: places at which the trace unit lost packets; the number is unknown.
        unsure: events whose time stamp came late.
        unstamped: events that no time stamp follows.
        left_out: packets that became nothing, by what they are.
        skipped: bytes that are no packets, by the reason for which they were skipped.
    """

    packets: int = 0
    events: int = 0
    overflows: int = 0
    unsure: int = 0
    unstamped: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)


def import_itm(
    source: Path | str,
    tape: Path | str,
    *,
    tick_hz: int,
    watched: Mapping[int, int] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> ItmReport:
    """Make a tape of a file.

    Args:
        source: the bytes of the SWO pin, without the frames of a TPIU.
        tape: the tape to write; one of that name is replaced.
        tick_hz: clock rate of the local time stamps, behind their prescaler.
        watched: addresses that the comparators of the DWT watch, by their numbers.
        on_progress: is called now and then with the number of packets.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: there is not a single packet in it.
        TapeWriteFailed: the tape cannot be written; what was written is readable.
    """
    report, decoder, level, ring = ItmReport(), ItmDecoder(), HardwareLevel(watched), TimedRing()
    meta = {"imported_from": Path(source).name}
    with (
        RecordFile(source, 1) as file,
        replacing(Path(tape)) as place,
        TapeWriter(place, meta=meta) as writer,
    ):
        writer.hello(build_hello("ITM and DWT", tick_hz))

        def move() -> None:
            for packet in decoder.packets():
                report.packets += 1
                level.take(packet)
            rows, level.rows = level.rows, []
            for body in _bodies(ring, rows):
                writer.buffer(0, 0, body)

        for block in file.blocks():
            decoder.receive(block)
            move()
            if on_progress is not None:
                on_progress(report.packets)
        decoder.finish()
        level.finish()
        move()
        report.events, report.overflows = ring.count, level.overflows
        report.unsure, report.unstamped = level.unsure, level.unstamped
        report.left_out, report.skipped = level.left_out, decoder.skipped
        for what, count in (report.left_out + report.skipped).items():
            writer.note(f"left out: {what}, {count} times or bytes")
        if report.overflows:
            writer.note(f"the trace unit lost packets at {report.overflows} places")
        if not report.packets:
            raise ForeignFile(
                f"{source} has no packet of ITM or DWT", "give the bytes of an SWO pin"
            )
    return report


def _bodies(ring: TimedRing, rows: Sequence[Row]) -> list[bytes]:
    """Put events into a ring, and say where packets were lost."""
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

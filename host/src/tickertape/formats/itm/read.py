"""Convert the packets of a Cortex-M's trace unit to a tape: ITM and DWT, from an SWO pin.

    report = import_itm(Path("swo.bin"), Path("T.tape"), hz=168_000_000)

`model/hardware.py` has the mapping. Memory does not depend on the file's size.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tickertape.decode.itm import ItmDecoder
from tickertape.decode.tpiu import FULL_SYNC, Unformatter
from tickertape.errors import ForeignFile, UsageError
from tickertape.formats.hello import build_hello
from tickertape.formats.itm.rows import bodies_of
from tickertape.formats.itm.variables import Variables
from tickertape.formats.record_file import RecordFile
from tickertape.formats.report import Count, Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.model.hardware import HardwareLevel
from tickertape.tape.output import replacing
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tickertape.formats.report import Progress


def import_itm(  # noqa: PLR0913 - the options of the command
    file: Path,
    tape: Path,
    *,
    hz: int,
    watch: Iterable[tuple[int, int]] = (),
    tpiu: int | None = None,
    elf: Path | None = None,
    on_progress: Progress = no_progress,
) -> Report:
    """Make a tape of a file.

    Args:
        file: the bytes of the SWO pin; frames of a TPIU's formatter are removed when the file
            begins with their synchronization, or `tpiu` is given.
        tape: the tape to write; an existing tape is replaced.
        hz: clock rate of the local time stamps, after their prescaler.
        watch: number of a comparator of the DWT, and the address that it watches.
        tpiu: number of the trace source in the TPIU's frames; the file begins with a frame. None
            for the only one.
        elf: the firmware; variables get their names and types from it.
        on_progress: takes the number of packets.

    Returns:
        Counts of `packets` of the file; `events` on the tape; `overflows`, places where the trace
        unit lost packets; `unsure`, events whose time stamp came late; `unstamped`, events that no
        time stamp follows. Packets without an event and bytes that are not packets are `left_out`.

    Raises:
        TapeMissing: there is no such file.
        ForeignFile: it has no packet.
        FirmwareError: the ELF file cannot be read.
        UsageError: the TPIU's frames have several sources, or not this one.
    """
    report, decoder, ring = Report(), ItmDecoder(), TimedRing()
    level = HardwareLevel(dict(watch))
    with (
        RecordFile(file, 1) as pin,
        replacing(tape) as place,
        TapeWriter(place, meta={"imported_from": file.name}) as writer,
    ):
        writer.hello(build_hello("ITM and DWT", hz))
        variables = Variables(writer, elf)

        def move() -> None:
            for packet in decoder.packets():
                report.counts["packets"] += 1
                level.take(packet)
            rows, level.rows = level.rows, []
            variables.describe(rows)
            for body in bodies_of(ring, rows):
                writer.buffer(0, 0, body)

        port = _Port(tpiu)
        for block in map(port.receive, pin.blocks()):
            decoder.receive(block)
            move()
            on_progress(report.counts["packets"])
        decoder.finish()
        level.finish()
        move()
        variables.finish(is_strict=True)
        report.counts.update(
            events=ring.count,
            overflows=level.overflows,
            unsure=level.unsure,
            unstamped=level.unstamped,
        )
        report.left_out.update(port.others)
        for what, count in (level.left_out + decoder.skipped + port.others).items():
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


class _Port:
    """Removes the frames of a TPIU's formatter where there are any.

    Attributes:
        others: bytes of other sources.
    """

    def __init__(self, source: int | None) -> None:
        """Take the number of a source; None: see whether there are frames, with one source."""
        self.others: Counter[str] = Counter()
        self._source = source
        self._formatter = None if source is None else Unformatter()
        self._is_first = True

    def receive(self, data: bytes) -> bytes:
        """Return the packets in the next bytes, at first at least a frame's."""
        is_first, self._is_first = self._is_first, False
        if is_first and data.startswith(FULL_SYNC):
            self._formatter = Unformatter()
        if self._formatter is None:
            return data
        parts = self._formatter.receive(data)
        if is_first:
            self._source = _only(self._source, sorted(parts))
        for number in parts.keys() - {self._source}:
            self.others[f"source {number} of the TPIU"] += len(parts[number])
        return parts.get(self._source or 0, b"")


def _only(wanted: int | None, found: list[int]) -> int:
    """Return the source to take.

    Raises:
        UsageError: it is not there, or is one of several.
    """
    if wanted in found or (wanted is None and len(found) == 1):
        return found[0] if wanted is None else wanted
    known = ", ".join(map(str, found)) or "none"
    raise UsageError(
        f"the TPIU's frames have these sources: {known}", "choose that of the ITM with --tpiu N"
    )

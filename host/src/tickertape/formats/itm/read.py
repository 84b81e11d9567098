"""Converts packets of a Cortex-M's trace unit (ITM and DWT, from an SWO pin) to a tape.

    report = import_itm(Path("swo.bin"), Path("T.tape"), hz=168_000_000)

`model/hardware.py` has the mapping. Memory does not depend on the size of the file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tickertape.decode.alignment import AlignedItm
from tickertape.decode.itm import Skipped
from tickertape.decode.tpiu import FULL_SYNC, Unformatter
from tickertape.errors import ForeignFile, UsageError
from tickertape.file_kinds import kind_of
from tickertape.files import Keep, replacing
from tickertape.formats.hello import build_hello
from tickertape.formats.itm.rows import bodies_of
from tickertape.formats.itm.variables import Variables
from tickertape.formats.record_file import RecordFile
from tickertape.formats.report import Count, Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.model.hardware import HardwareLevel
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
    """Convert a file to a tape.

    Args:
        file: bytes of the SWO pin. TPIU formatter frames are removed if the file begins with their
            synchronization, or if `tpiu` is given.
        tape: the tape to write; an existing tape is replaced.
        hz: clock rate of the local time stamps, after their prescaler.
        watch: pairs of a DWT comparator number and the address that it watches.
        tpiu: number of the trace source in the TPIU frames; the file then begins with a frame. None
            for the only source.
        elf: ELF file of the firmware, for names and types of variables; None without one.
        on_progress: called with the number of packets.

    Returns:
        Counts of `packets` in the file; `events` on the tape; `overflows` (places where the trace
        unit lost packets); `unsure` (events with a late time stamp); `unstamped` (events without a
        time stamp). `left_out` counts packets without an event and bytes of other TPIU sources;
        `remarks` report bytes that are not packets.

    Raises:
        TapeMissing: the file does not exist or is not readable.
        ForeignFile: the file contains no packet.
        FirmwareError: the ELF file cannot be read.
        UsageError: the TPIU frames have several sources, or not the requested one.
    """
    report, decoder, ring, level = Report(), AlignedItm(), TimedRing(), HardwareLevel(dict(watch))
    with (
        RecordFile(file, 1) as pin,
        replacing(tape, Keep.OLD) as place,
        TapeWriter(place, meta={"imported_from": file.name}) as writer,
    ):
        writer.hello(build_hello("ITM and DWT", hz))
        variables = Variables(writer, elf)

        def move() -> None:
            for packet in decoder.packets():
                report.counts["packets"] += not isinstance(packet, Skipped)
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
        move()
        level.finish()
        move()
        if ring.is_lost:
            writer.buffer(0, 0, ring.lost_end())
        variables.finish(is_strict=True)
        report.counts.update(
            events=ring.count,
            overflows=level.overflows,
            unsure=level.unsure,
            unstamped=level.unstamped,
        )
        for what, count in (level.left_out + decoder.skipped + port.others).items():
            writer.note(f"left out: {what}, {count} times or bytes")
        report.left_out.update(level.left_out + port.others)
        for why, count in decoder.skipped.items():
            report.remarks.append(
                f"{Count(count)} bytes left out: {why}; check rate and wiring of the pin"
            )
        if level.overflows:
            writer.note(f"the trace unit lost packets at {level.overflows} places")
        if not report.counts["packets"] or _is_text(file):
            raise ForeignFile(f"{file} has no packet of ITM or DWT", "give the bytes of an SWO pin")
    return report


def _is_text(file: Path) -> bool:
    kind = kind_of(file)
    return kind is not None and kind.name == "text"


class _Port:
    """Removes TPIU formatter frames, if there are any.

    Attributes:
        others: number of bytes of other sources, by description.
    """

    def __init__(self, source: int | None) -> None:
        """Set the source to keep; None: detect frames, and accept only one source."""
        self.others: Counter[str] = Counter()
        self._source = source
        self._formatter = None if source is None else Unformatter()
        self._is_first = True

    def receive(self, data: bytes) -> bytes:
        """Return the packets in the next bytes; the first call needs at least a frame."""
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
    """Return the source to keep: the wanted one, or the only one.

    Raises:
        UsageError: the wanted source is missing, or None is wanted and there is not exactly one.
    """
    if wanted in found or (wanted is None and len(found) == 1):
        return found[0] if wanted is None else wanted
    known = ", ".join(map(str, found)) or "none"
    raise UsageError(
        f"the TPIU's frames have these sources: {known}", "choose that of the ITM with --tpiu N"
    )

"""Converts packets of a Cortex-M's trace unit (ITM and DWT, from an SWO pin) to a tape.

    report = import_itm(Path("swo.bin"), Path("T.tape"), hz=168_000_000)

`model/hardware.py` has the mapping. Memory does not depend on the size of the file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.decode.alignment import AlignedItm, packet_share
from tickertape.decode.itm import Skipped
from tickertape.decode.tpiu import FULL_SYNC, Unformatter
from tickertape.decode.tpiu_phase import (
    UNKNOWN_SOURCE,
    AlignedFrames,
    LostFrames,
    end_of_frame,
    phase_of,
)
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tickertape.formats.report import Progress

_JUDGED_BYTES: Final = 4096
_SYNCS: Final = 2
_LIKE_PLAIN: Final = 0.8
_LEAST_FRAMED: Final = 0.3
_LEAST_SHARE: Final = 0.02


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
        file: bytes of the SWO pin, from any byte on. Frames of a TPIU's formatter are recognised
            by their synchronization or by likelihood, and removed.
        tape: the tape to write; an existing tape is replaced.
        hz: clock rate of the local time stamps, after their prescaler.
        watch: pairs of a DWT comparator number and the address that it watches.
        tpiu: number of the trace source in the TPIU frames; 0 if there are no frames; None to
            detect frames with only one source.
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
        for block in pin.blocks():
            port.send(block, decoder)
            move()
            on_progress(report.counts["packets"])
        port.send(b"", decoder, is_end=True)
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
        """Set the source to keep; 0: no frames; None: detect them, and accept only one source."""
        self.others: Counter[str] = Counter()
        self._source = source
        self._frames = None if source == 0 else AlignedFrames()
        self._formatter = Unformatter()
        self._is_first, self._is_chosen = True, False

    def send(self, data: bytes, decoder: AlignedItm, *, is_end: bool = False) -> None:
        """Send the packets in the next bytes, and losses, to a decoder."""
        for piece in self._pieces(data, is_end=is_end):
            if isinstance(piece, LostFrames):
                decoder.lose(piece.count)
            else:
                decoder.receive(piece)

    def _pieces(self, data: bytes, *, is_end: bool) -> Iterator[bytes | LostFrames]:
        """Yield the packets in the next bytes, and losses; the first call gets at least 64 KiB."""
        if self._is_first:
            self._is_first = False
            if self._source is None and not _is_framed(data):
                self._frames = None
        if self._frames is None:
            yield data
            return
        pieces = list(self._frames.receive(data, is_end=is_end))
        self._choose([piece for piece in pieces if isinstance(piece, bytes)])
        for piece in pieces:
            if isinstance(piece, LostFrames):
                yield piece
                if piece.rest:
                    yield end_of_frame(piece.rest, self._source or 0)
                continue
            parts = self._formatter.receive(piece)
            for number in parts.keys() - {self._source}:
                self.others[f"source {number} of the TPIU"] += len(parts[number])
            yield parts.get(self._source or 0, b"")

    def _choose(self, pieces: Sequence[bytes]) -> None:
        """Choose the source from the first frames; bytes before the first number are its bytes."""
        if self._is_chosen or not pieces:
            return
        self._is_chosen = True
        parts = Unformatter(UNKNOWN_SOURCE).receive(b"".join(pieces))
        first = parts.pop(UNKNOWN_SOURCE, b"")
        if parts or not first:
            self._source = _only(self._source, parts)
        self._source = self._source or UNKNOWN_SOURCE
        self._formatter = Unformatter(self._source)


def _is_framed(data: bytes) -> bool:
    """Return whether bytes are frames of a TPIU: by their synchronization, or by likelihood."""
    if data.startswith(FULL_SYNC) or data.count(FULL_SYNC) >= _SYNCS:
        return True
    plain, (_, framed) = packet_share(data[:_JUDGED_BYTES]), phase_of(data)
    # Packets in frames look like packets in part; packets look like frames far less.
    return framed > max(_LIKE_PLAIN * plain, _LEAST_FRAMED)


def _only(wanted: int | None, parts: Mapping[int, bytes]) -> int:
    """Return the source to keep: the wanted one, or the only one with more than a few bytes.

    Raises:
        UsageError: the wanted source is missing, or None is wanted and there is not exactly one.
    """
    sizes = Counter({number: len(found) for number, found in parts.items()})
    found = sorted(one for one, size in sizes.items() if size >= _LEAST_SHARE * sizes.total())
    if wanted in sizes or (wanted is None and len(found) == 1):
        return found[0] if wanted is None else wanted
    known = ", ".join(map(str, found)) or "none"
    raise UsageError(
        f"the TPIU's frames have these sources: {known}", "choose that of the ITM with --tpiu N"
    )

"""Writes a tape as a system trace in the Best Trace Format. docs/btf.md has the mapping.

    report = export_btf(Source(reader), Path("T.btf"), version="2.3")

Memory depends on the number of entities, not of events. Lines are in order of time. Comments mark
missing records (`# loss`) and resets of the target (`# reset`); states from before such a comment
are invalid after it.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tickertape.decode.events import DecodeCounters
from tickertape.decode.ticks import NS_PER_S
from tickertape.files import replacing
from tickertape.formats.btf import VERSIONS
from tickertape.formats.btf.compiled_lines import btf_lines
from tickertape.formats.report import Report
from tickertape.formats.ring_ends import EndLosses, chosen_stream
from tickertape.model.compiled_system import system_model
from tickertape.model.knowledge import breaks_in
from tickertape.model.system import gaps_from
from tickertape.tape.stream import iter_events
from tickertape.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.ticks import Clock
    from tickertape.formats.btf.transition_lines import Block
    from tickertape.formats.ring_ends import EndLoss
    from tickertape.formats.source import Source
    from tickertape.model.boot import BootOf
    from tickertape.model.transitions import Transitions
    from tickertape.tape.reader import TapeReader


def export_btf(
    source: Source, output: Path, *, version: str = "2.3", stream: int | None = None
) -> Report:
    """Write a tape as one file; boots follow each other.

    Args:
        source: the tape.
        output: the file; an existing file is replaced when the new one is complete.
        version: a key of VERSIONS.
        stream: the stream to export; None for the lowest one in use.

    Returns:
        Counts of `events`; `lines` that are events; `losses` (gaps); `without_source` (changes that
        the format cannot express, because their cause is unknown); `lost_records` of incomplete
        events.
    """
    reader, counters = source.reader, DecodeCounters()
    chosen = chosen_stream(reader, stream)
    exporter = BtfExporter(reader, source.boots, version, EndLosses(reader, chosen))
    with replacing(output) as place, place.open("wb") as out:
        out.write(exporter.header())
        for columns in iter_events(reader, stream=chosen, counters=counters):
            out.writelines(exporter.blocks(columns))
            source.on_progress(exporter.counts["events"])
        out.writelines(exporter.end())
    exporter.counts["lost_records"] = counters.lost_records
    return Report(exporter.counts)


class BtfExporter:
    """Converts events to lines, chunk by chunk.

    Attributes:
        counts: counts of `export_btf` so far.
    """

    def __init__(
        self,
        reader: TapeReader,
        boots: BootOf,
        version: str,
        ends: EndLosses,
    ) -> None:
        """Create a model and a writer of lines.

        Args:
            reader: the tape.
            boots: returns the boot of an epoch.
            version: a key of VERSIONS.
            ends: losses before the first and after the last buffers.
        """
        self.counts = Counter[str]()
        self._reader = reader
        self._ends = ends
        self._version = version
        self._model = system_model(lambda epoch: boots(epoch).names)
        self._lines = btf_lines(self._model.entities, old=version == "2.1")
        self._epoch: int | None = None
        self._offset_ns = 0
        self._last_ns = 0
        self._is_interrupted = False

    def header(self) -> bytes:
        """Return the meta section."""
        header, hello = self._reader.header, self._reader.hello
        created = datetime.fromtimestamp(header.created_ns // NS_PER_S, UTC)
        lines = [
            f"#version {VERSIONS[self._version]}",
            f"#creator tickertape {__version__}",
            f"#creationDate {created:%Y-%m-%dT%H:%M:%SZ}",
            "#timeScale ns",
        ]
        target = hello.target if hello else ""
        if target:
            lines.append(f"# target: {self._lines.comment_text(target)}")
        if hello is None or not hello.tick_hz:
            lines.append("# the clock rate is unknown: a tick is shown as 1 ns")
        return "".join(f"{line}\n" for line in lines).encode()

    def blocks(self, columns: EventColumns) -> Iterator[Block]:
        """Yield the lines of the next events; a block is valid until the next one is requested."""
        transitions = self._model.feed(columns)
        yield from self._begin_boot(columns)
        clock = self._reader.clock(columns.epoch)
        begin = 0
        for row, gap, is_begin in _marks(columns):
            end = int(transitions.row.searchsorted(row))
            yield from self._written(transitions, begin, end)
            if gap is None:
                self._is_interrupted = self._lines.count > 0
                self._lines.forget()
            elif is_begin:
                yield self._loss(gap, clock, others_go_on=row < gap.row)
            else:
                yield self._lines.loss_ends(gap.cpu)
            begin = end
        self._ends.show(columns.epoch, columns.gaps)
        yield from self._written(transitions, begin, len(transitions))
        self._last_ns = self._lines.time_ns
        self.counts["events"] += len(columns)
        self.counts["lines"] = self._lines.count
        self.counts["without_source"] = self._lines.without_source

    def _written(self, transitions: Transitions, begin: int, end: int) -> Iterator[Block]:
        """Yield the lines of transitions; after a break, a comment precedes the first ones."""
        for block in self._lines.blocks(transitions, begin, end):
            if self._is_interrupted and len(block):
                self._is_interrupted = False
                yield b"# loss: recording was stopped, or events were deselected\n"
            yield block

    def _loss(self, gap: Gap, clock: Clock, *, others_go_on: bool) -> bytes:
        before = gap.begin_ticks
        since = self._last_ns if before is None else clock.ns(before)
        count = None if gap.unknown else gap.lost
        self.counts["losses"] += 1
        return self._lines.loss(gap.cpu, count, since, others_go_on=others_go_on)

    def end(self) -> Iterator[bytes]:
        """Yield the lines at the end."""
        yield from self._end_losses(self._ends.behind())
        yield from self._unknown_losses()
        yield self._lines.stop()
        self.counts["lines"] = self._lines.count

    def _end_losses(self, losses: Iterable[EndLoss]) -> Iterator[bytes]:
        for loss in losses:
            self.counts["losses"] += 1
            yield self._lines.loss(loss.cpu, loss.count, self._lines.time_ns)

    def _unknown_losses(self, until: int | None = None) -> Iterator[bytes]:
        for cpu in self._ends.unknown_behind(until):
            self.counts["losses"] += 1
            yield self._lines.loss(cpu, None, self._lines.time_ns)

    def _begin_boot(self, columns: EventColumns) -> Iterator[bytes]:
        if columns.epoch == self._epoch or not len(columns):
            return
        clock = self._reader.clock(columns.epoch)
        first = clock.ns(int(columns.time[0]))
        if self._epoch is None:
            self._lines.begin_boot(clock.hz, 0)
            hello = self._reader.hello
            cpus, target = (hello.cpu_count, hello.target) if hello else (1, "")
            yield self._lines.start(first, cpus, target)
            yield from self._end_losses(self._ends.behind(columns.epoch))
        else:
            yield from self._end_losses(self._ends.behind(columns.epoch))
            yield from self._unknown_losses(columns.epoch)
            # The time between two boots is unknown: time continues from the last line.
            offset = max(self._lines.time_ns - first, 0)
            self._lines.begin_boot(clock.hz, offset)
            self._lines.forget()
            yield f"# reset: boot {columns.epoch} begins here\n".encode()
        self._epoch = columns.epoch
        yield from self._end_losses(self._ends.before(columns.epoch))


def _marks(columns: EventColumns) -> list[tuple[int, Gap | None, bool]]:
    """Return the marks in order: row that follows, gap (None for a break), whether it begins.

    The end of a gap is a mark of its own only if other CPUs have events during the gap.
    """
    begins = [(begin, gap, True) for begin, gap in gaps_from(columns)]
    ends = [(gap.row, gap, False) for begin, gap, _ in begins if begin < gap.row]
    breaks = [(one.row, None, True) for one in breaks_in(columns)]
    return sorted([*ends, *begins, *breaks], key=lambda mark: mark[0])

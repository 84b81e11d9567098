"""A tape as a system trace in the Best Trace Format. docs/btf.md has the mapping.

    report = export_btf(reader, Path("T.btf"), boots, version="2.3")

Streamed: memory depends on the number of entities. Lines come in order of time; where records are
missing, and where the target was reset, a comment says so (`# loss`, `# reset`), and the states of
before hold no longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from tickertape.decode.events import DecodeCounters
from tickertape.decode.ticks import NS_PER_S
from tickertape.formats.btf.compiled_lines import btf_lines
from tickertape.formats.ring_ends import EndLosses, chosen_stream
from tickertape.model.compiled_system import system_model
from tickertape.model.system import gaps_from
from tickertape.tape.output import replacing
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.ticks import Clock
    from tickertape.formats.btf.transition_lines import Block
    from tickertape.formats.ring_ends import EndLoss
    from tickertape.model.boot import BootOf
    from tickertape.tape.reader import TapeReader

VERSIONS: Final = {"2.1": "2.1.5", "2.3": "2.3.0"}


@dataclass(slots=True)
class BtfReport:
    """What was exported.

    Attributes:
        events: events of the tape that were looked at.
        lines: lines of the file that are events.
        losses: at how many places records are missing.
        without_source: changes that the format cannot say, because their cause is unknown; the
            file has comments in their places.
        lost_records: records of incomplete events, left out.
    """

    events: int = 0
    lines: int = 0
    losses: int = 0
    without_source: int = 0
    lost_records: int = 0


def export_btf(  # noqa: PLR0913 - what a user can choose
    reader: TapeReader,
    output: Path,
    boots: BootOf,
    program: str,
    *,
    version: str = "2.3",
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> BtfReport:
    """Write a tape as one file; boots follow each other.

    Args:
        reader: the tape.
        output: the file; one of that name is replaced when the new one is whole.
        boots: returns a `Boot` for an epoch.
        program: version of this program.
        version: one of VERSIONS.
        stream: which stream; None for the first to which anything was offered.
        on_progress: is called now and then with the number of events.

    Raises:
        UsageError: there is no such stream.
        TapeWriteFailed: the file cannot be written.
    """
    chosen = chosen_stream(reader, stream)
    exporter = BtfExporter(reader, boots, version, EndLosses(reader, chosen))
    with replacing(output) as place, place.open("wb") as out:
        out.write(exporter.header(program))
        counters = DecodeCounters()
        for columns in iter_events(reader, stream=chosen, counters=counters):
            for block in exporter.blocks(columns):
                out.write(block)
            if on_progress is not None:
                on_progress(exporter.report.events)
        for block in exporter.end():
            out.write(block)
    exporter.report.lost_records = counters.lost_records
    return exporter.report


class BtfExporter:
    """Makes lines of events, chunk after chunk.

    Attributes:
        report: what was made so far.
    """

    def __init__(
        self,
        reader: TapeReader,
        boots: BootOf,
        version: str,
        ends: EndLosses,
    ) -> None:
        """Get ready; the arguments are those of `export_btf`, with the losses at both ends."""
        self.report = BtfReport()
        self._reader = reader
        self._ends = ends
        self._version = version
        self._model = system_model(lambda epoch: boots(epoch).names)
        self._lines = btf_lines(self._model.entities, old=version == "2.1")
        self._epoch: int | None = None
        self._offset_ns = 0
        self._last_ns = 0

    def header(self, program: str) -> bytes:
        """Give the meta section."""
        header, hello = self._reader.header, self._reader.hello
        created = datetime.fromtimestamp(header.created_ns // NS_PER_S, UTC)
        lines = [
            f"#version {VERSIONS[self._version]}",
            f"#creator tickertape {program}",
            f"#creationDate {created:%Y-%m-%dT%H:%M:%SZ}",
            "#timeScale ns",
        ]
        target = hello.target if hello else ""
        if target:
            lines.append(f"# target: {self._lines.comment_text(target)}")
        if hello is None or not hello.tick_hz:
            lines.append("# the clock rate is not known: a tick is shown as 1 ns")
        return "".join(f"{line}\n" for line in lines).encode()

    def blocks(self, columns: EventColumns) -> Iterator[Block]:
        """Yield the lines of the next events; a block is good until the next one."""
        transitions = self._model.feed(columns)
        yield from self._begin_boot(columns)
        clock = self._reader.clock(columns.epoch)
        begin = 0
        for row, gap, is_begin in _marks(columns):
            end = int(transitions.row.searchsorted(row))
            yield from self._lines.blocks(transitions, begin, end)
            if is_begin:
                yield self._loss(gap, clock, others_go_on=row < gap.row)
            else:
                yield self._lines.loss_ends(gap.cpu)
            begin = end
        self._ends.show(columns.epoch, columns.gaps)
        yield from self._lines.blocks(transitions, begin, len(transitions))
        self._last_ns = self._lines.time_ns
        self.report.events += len(columns)
        self.report.lines = self._lines.count
        self.report.without_source = self._lines.without_source

    def _loss(self, gap: Gap, clock: Clock, *, others_go_on: bool) -> bytes:
        before = gap.begin_ticks
        since = self._last_ns if before is None else clock.ns(before)
        count = None if gap.unknown else gap.lost
        self.report.losses += 1
        return self._lines.loss(gap.cpu, count, since, others_go_on=others_go_on)

    def end(self) -> Iterator[bytes]:
        """Yield what stands at the end."""
        yield from self._end_losses(self._ends.behind())
        yield self._lines.stop()
        self.report.lines = self._lines.count

    def _end_losses(self, losses: Iterable[EndLoss]) -> Iterator[bytes]:
        for loss in losses:
            self.report.losses += 1
            yield self._lines.loss(loss.cpu, loss.count, self._lines.time_ns)

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
            # How long it was off is unknown: time continues from the last line.
            offset = max(self._lines.time_ns - first, 0)
            self._lines.begin_boot(clock.hz, offset)
            self._lines.forget()
            yield f"# reset: boot {columns.epoch} begins here\n".encode()
        self._epoch = columns.epoch
        yield from self._end_losses(self._ends.before(columns.epoch))


def _marks(columns: EventColumns) -> list[tuple[int, Gap, bool]]:
    """Tell before which rows gaps begin, and end if others go on meanwhile, in order."""
    begins = [(begin, gap, True) for begin, gap in gaps_from(columns)]
    ends = [(gap.row, gap, False) for begin, gap, _ in begins if begin < gap.row]
    return sorted([*ends, *begins], key=lambda mark: mark[0])

"""Convert a tape to rows of intervals, in one pass over the transitions of the kernel model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from tickertape.decode.events import DecodeCounters
from tickertape.formats.ring_ends import EndLosses, chosen_stream
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.tape.stream import boot_events
from tickertape.view.arrow_log import ArrowLog
from tickertape.view.axis import Axis
from tickertape.view.board_rows import BoardRows, RowTable
from tickertape.view.losses import Losses
from tickertape.view.rows import RowLog
from tickertape.view.sample import RecentReader, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.tape.reader import TapeReader
    from tickertape.view.axis import Place
    from tickertape.view.losses import Loss

_NOT_ALIGNED: Final = "its place in the common time is unknown"


@dataclass(frozen=True, slots=True)
class Segment:
    """A boot on the axis.

    Attributes:
        epoch: number of the boot.
        begin: axis time of its first record, ns.
        end: axis time of its last record, ns.
        offset: time on the axis minus time that `print` shows, ns.
        name: name to show.
        known_rate: False if the clock rate is unknown and a tick is shown as a nanosecond.
    """

    epoch: int
    begin: int
    end: int
    offset: int
    name: str
    known_rate: bool


@dataclass(frozen=True, slots=True)
class Built:
    """The description of a tape that a page needs first.

    Attributes:
        begin: begin of the axis, ns.
        end: end of the axis, ns.
        events: number of events that were read.
        stream: stream of the events.
        rows: rows of the timeline, by number.
        segments: the boots.
        losses: intervals with missing records, or without recording.
        issues: damage of the tape.
    """

    begin: int
    end: int
    events: int
    stream: int
    rows: list[dict[str, object]]
    segments: list[Segment]
    losses: list[Loss]
    issues: list[str]

    def to_json(self) -> dict[str, object]:
        """Return the description as JSON values."""
        return asdict(self)


class Builder:
    """Reads one stream of a tape into a folder."""

    def __init__(self, reader: TapeReader, folder: Path, stream: int | None = None) -> None:
        """Create the logs of rows and arrows.

        Args:
            reader: the tape.
            folder: existing folder for the files.
            stream: stream number; None for the first one in use.

        Raises:
            UsageError: there is no such stream.
        """
        self._reader = reader
        self._stream = chosen_stream(reader, stream)
        self._boots = Boots(reader, CodeNames(reader).of)
        self._log = RowLog(folder)
        self._arrows = ArrowLog(folder)
        self._table = RowTable()
        self._axis = Axis(reader)
        self._losses = Losses(reader.left_out if isinstance(reader, SampleReader) else None)
        self._segments: list[Segment] = []
        self._boards: dict[int, BoardRows] = {}
        self._events = 0

    def run(self, tell: Callable[[int], None] = lambda _events: None) -> Built:
        """Read the tape.

        Args:
            tell: takes the number of events read so far; an exception that it raises ends the
                reading.
        """
        try:
            return self._run(tell)
        finally:
            self._log.close()
            self._arrows.close()

    def _run(self, tell: Callable[[int], None]) -> Built:
        ends = EndLosses(self._reader, self._stream)
        for epoch in self._reader.epochs:
            self._boot(epoch, ends, tell)
        # Missing records at the end of a growing tape will arrive: they are not lost.
        grows = isinstance(self._reader, RecentReader) and not self._reader.closed
        last = max(self._reader.epochs, default=0) if grows else None
        for loss in ends.behind(last):
            self._lost_at_end(loss.epoch, loss.cpu, loss.count, loss.ticks)
        rows = self._table.to_json()
        segments = self._segments
        begin = min((one.begin for one in segments), default=0)
        end = self._axis.end + 1
        self._log.finish(self._table.heads(), begin, lambda: tell(self._events))
        issues = [f"byte {issue.offset}: {issue.what}" for issue in self._reader.issues]
        losses = self._losses.found(begin, end)
        spans = [(one.begin, one.end) for one in losses]
        self._arrows.finish(spans, lambda: tell(self._events))
        return Built(begin, end, self._events, self._stream, rows, segments, losses, issues)

    def _boot(self, epoch: int, ends: EndLosses, tell: Callable[[int], None]) -> None:
        board = self._reader.boards.get(epoch)
        number = board.number if board is not None else 0
        name = board.name if board is not None else ""
        rows = self._boards.setdefault(
            number, BoardRows(self._boots, self._table, (self._log, self._arrows), name, number)
        )
        place: Place | None = None
        begin = 0
        counters = DecodeCounters()
        events = boot_events(self._reader, epoch, stream=self._stream, counters=counters)
        for columns in events:
            if not len(columns):
                self._note(columns, place)
                continue
            if place is None:
                place = self._axis.place(epoch, int(columns.time.min()))
                begin = place.ns_of(int(columns.time.min()))
                rows.begin(place, begin)
                for loss in ends.before(epoch):
                    at = place.ns_of(loss.ticks)
                    self._losses.add(loss.cpu, at, at, loss.count, "lost before the first record")
            self._axis.reach(place.ns_of(int(columns.time.max())))
            rows.feed(columns)
            self._note(columns, place)
            ends.show(epoch, columns.gaps)
            self._events += len(columns)
            tell(self._events)
        if place is not None:
            end = rows.finish()
            self._axis.reach(end)
            offset = place.ns_of(0) if place.board is None else 0
            self._segments.append(
                Segment(epoch, begin, end, offset, self._name(epoch), bool(place.clock.tick_hz))
            )

    def _note(self, columns: EventColumns, place: Place | None) -> None:
        if place is not None:
            self._losses.gaps(columns, place)
        elif columns.gaps:
            for gap in columns.gaps:
                self._losses.add(gap.cpu, 0, 0, gap.lost, "lost before the first record")

    def _lost_at_end(self, epoch: int, cpu: int, count: int, ticks: int) -> None:
        mine = [one for one in self._segments if one.epoch == epoch]
        if not mine:
            self._losses.add(
                cpu, self._axis.end, self._axis.end, count, "a boot without any record"
            )
            return
        segment = mine[0]
        known = self._reader.boards.get(epoch)
        at = segment.end
        if known is None:
            at = max(at, self._reader.clock(epoch).ns(ticks) + segment.offset)
        last = epoch == self._segments[-1].epoch
        at = at if last else segment.end
        self._axis.reach(at)
        self._losses.add(cpu, segment.end, at, count, "lost after the last record")

    def _name(self, epoch: int) -> str:
        board = self._reader.boards.get(epoch)
        parts = [f"boot {epoch}", board.name if board is not None else ""]
        parts.append(self._reader.target_of(epoch))
        if board is not None and not board.aligned:
            parts.append(_NOT_ALIGNED)
        return ", ".join(part for part in parts if part)

"""A whole tape as parts of a timeline, for all who show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

from tickertape.decode.events import DecodeCounters
from tickertape.formats.ring_ends import EndLosses, chosen_stream
from tickertape.formats.timeline.compiled import fastest_timeline
from tickertape.tape.output import replacing
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tickertape.decode.ticks import Clock
    from tickertape.formats.ring_ends import EndLoss
    from tickertape.formats.timeline.timeline import Part, Timeline
    from tickertape.model.boot import BootOf
    from tickertape.tape.reader import TapeReader


@dataclass(slots=True)
class ViewReport:
    """What was exported.

    Attributes:
        events: events read.
        slices: slices and moments written.
        tracks: tracks, counters and groups not counted.
        flows: messages of which both ends were seen.
        lost: records missing, marked.
    """

    events: int = 0
    slices: int = 0
    tracks: int = 0
    flows: int = 0
    lost: int = 0


class ViewWriter(Protocol):
    """Encodes parts of a timeline into a file.

    Attributes:
        slices: slices and moments so far.
        flows: messages so far of which both ends were seen.
    """

    slices: int
    flows: int

    def write(self, part: Part) -> None:
        """Encode a part."""
        ...

    def finish(self) -> None:
        """Say what is said at the end."""
        ...


@dataclass(frozen=True, slots=True)
class ViewSource:
    """What a view is made of.

    Attributes:
        reader: the tape.
        boots: returns a `Boot` for an epoch.
        stream: which stream; None for the first to which anything was offered.
        on_progress: is called now and then with the number of events read.
    """

    reader: TapeReader
    boots: BootOf
    stream: int | None = None
    on_progress: Callable[[int], None] | None = None


def export_view(
    source: ViewSource,
    path: Path,
    new_writer: Callable[[BinaryIO, Timeline], ViewWriter],
    *,
    packets: bool = False,
) -> ViewReport:
    """Write one stream of a tape as a file that shows tracks.

    Args:
        source: what is written.
        path: the file; one of that name is replaced when the new one is whole.
        new_writer: makes a writer for a file and a timeline.
        packets: the writer takes `Packets`.

    Raises:
        UsageError: there is no such stream.
        TapeWriteFailed: the file cannot be written.
    """
    reader, report = source.reader, ViewReport()
    stream = chosen_stream(reader, source.stream)

    def count(events: int) -> None:
        report.events += events
        if source.on_progress is not None:
            source.on_progress(report.events)

    timeline = fastest_timeline(source.boots, packets=packets)
    with replacing(path) as place, place.open("wb") as file:
        writer = new_writer(file, timeline)
        for part in parts_of(reader, timeline, stream, count):
            writer.write(part)
        writer.finish()
    report.slices, report.flows = writer.slices, writer.flows
    report.tracks = sum(not track.is_counter for track in timeline.tracks)
    report.lost = timeline.losses
    return report


def parts_of(
    reader: TapeReader,
    timeline: Timeline,
    stream: int,
    on_events: Callable[[int], None],
) -> Iterator[Part]:
    """Give a whole tape as parts of a timeline, all of its losses among them."""
    ends = EndLosses(reader, stream)
    for columns in iter_events(reader, stream=stream, counters=DecodeCounters()):
        begins = columns.epoch != timeline.epoch
        if begins:
            yield from _lost(timeline, ends.behind(columns.epoch), reader.clock)
        yield from timeline.feed(columns)
        if begins:
            for loss in ends.before(columns.epoch):
                when = reader.clock(columns.epoch).ns(loss.ticks)
                yield timeline.lose(loss.cpu, loss.count, when, when)
        ends.show(columns.epoch, columns.gaps)
        on_events(len(columns))
    yield from _lost(timeline, ends.behind(), reader.clock)
    if timeline.epoch >= 0:
        yield from timeline.finish()


def _lost(
    timeline: Timeline, losses: Iterable[EndLoss], clock_of: Callable[[int], Clock]
) -> Iterator[Part]:
    """Show what is missing behind the boot that was shown last, and of boots without any event."""
    for loss in losses:
        if loss.epoch != timeline.epoch:
            yield from timeline.begin_boot(loss.epoch)
        end = clock_of(loss.epoch).ns(loss.ticks)
        yield timeline.lose(loss.cpu, loss.count, timeline.last_ns, end)

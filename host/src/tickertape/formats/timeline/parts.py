"""Converts a whole tape to parts of a timeline, and writes them to a file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, BinaryIO, Protocol

from tickertape.decode.events import DecodeCounters
from tickertape.files import replacing
from tickertape.formats.report import Report
from tickertape.formats.ring_ends import EndLosses, chosen_stream
from tickertape.formats.timeline.compiled import timeline
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tickertape.decode.ticks import Clock
    from tickertape.formats.ring_ends import EndLoss
    from tickertape.formats.source import Source
    from tickertape.formats.timeline.timeline import Part, Timeline
    from tickertape.tape.reader import TapeReader


class ViewWriter(Protocol):
    """Encodes parts of a timeline into a file.

    Attributes:
        slices: number of slices and moments so far.
        flows: number of messages with both ends so far.
    """

    slices: int
    flows: int

    def write(self, part: Part) -> None:
        """Encode a part."""
        ...

    def finish(self) -> None:
        """Write the end of the file, such as the descriptions of tracks."""
        ...


def export_view(
    source: Source,
    output: Path,
    new_writer: Callable[[BinaryIO, Timeline], ViewWriter],
    stream: int | None,
    *,
    packets: bool = False,
) -> Report:
    """Write one stream of a tape as tracks.

    Args:
        source: the tape.
        output: the file; an existing file is replaced when the new one is complete.
        new_writer: returns a writer for a file and a timeline.
        stream: number of the stream; None for the lowest one in use.
        packets: whether the writer accepts `Packets`.

    Returns:
        Counts of `events` read; `slices`, moments included; `tracks` without counters and groups;
        `flows` (messages with both ends); `lost` records, which the file marks.

    Raises:
        UsageError: the tape has no such stream.
        TapeWriteFailed: the file cannot be written.
    """
    reader, counts = source.reader, Counter[str]()
    chosen = chosen_stream(reader, stream)

    def count(events: int) -> None:
        counts["events"] += events
        source.on_progress(counts["events"])

    tracks = timeline(source.boots, packets=packets)
    with replacing(output) as place, place.open("wb") as file:
        writer = new_writer(file, tracks)
        for part in parts_of(reader, tracks, chosen, count):
            writer.write(part)
        writer.finish()
    counts["slices"], counts["flows"] = writer.slices, writer.flows
    counts["tracks"] = sum(not track.is_counter for track in tracks.tracks)
    counts["lost"] = tracks.losses
    return Report(counts)


def parts_of(
    reader: TapeReader,
    timeline: Timeline,
    stream: int,
    on_events: Callable[[int], None],
) -> Iterator[Part]:
    """Yield the parts of a timeline for a whole tape, including all losses."""
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
    """Yield the losses at the end of the current boot, and of boots without any event."""
    for loss in losses:
        if loss.epoch != timeline.epoch:
            yield from timeline.begin_boot(loss.epoch)
        end = clock_of(loss.epoch).ns(loss.ticks)
        yield timeline.lose(loss.cpu, loss.count, timeline.last_ns, end)

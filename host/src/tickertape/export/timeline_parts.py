"""A whole tape as parts of a timeline, for all who show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.export.timeline import Counters, Timeline, TrackEvents
    from tickertape.tape.reader import TapeReader

_NS_PER_S: Final = 1_000_000_000


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


def parts_of(
    reader: TapeReader,
    timeline: Timeline,
    stream: int,
    on_events: Callable[[int], None],
) -> Iterator[TrackEvents | Counters]:
    """Give a whole tape as parts of a timeline, also what was lost behind its last events."""
    seen: dict[tuple[int, int], int] = {}
    last_epoch = -1
    for columns in iter_events(reader, stream=stream, counters=DecodeCounters()):
        if columns.epoch != last_epoch and last_epoch >= 0:
            yield from _behind(reader, timeline, stream, last_epoch, seen)
        last_epoch = columns.epoch
        yield from timeline.feed(columns)
        for gap in columns.gaps:
            key = (columns.epoch, gap.cpu)
            seen[key] = seen.get(key, 0) + gap.lost
        on_events(len(columns))
    if last_epoch >= 0:
        yield from _behind(reader, timeline, stream, last_epoch, seen)
        yield from timeline.finish()


def _behind(
    reader: TapeReader,
    timeline: Timeline,
    stream: int,
    epoch: int,
    seen: dict[tuple[int, int], int],
) -> Iterator[TrackEvents]:
    """What only the last receipt of a ring tells."""
    hz = reader.tick_hz(epoch)
    for one in balance_of(reader, by_class=False).rings:
        if (one.ring.epoch, one.ring.stream) == (epoch, stream):
            rest = one.balance.lost - seen.get((epoch, one.ring.cpu), 0)
            ticks = max((status.ticks for status in reader.statuses(one.ring)), default=0)
            if rest > 0:
                end = ticks * _NS_PER_S // hz
                yield timeline.lose(one.ring.cpu, rest, timeline.last_ns, end)


def chosen_stream(reader: TapeReader, stream: int | None) -> int:
    """Give the stream that was asked for, or the first.

    Raises:
        UsageError: there is no such stream.
    """
    streams = sorted({ring.stream for ring in reader.rings})
    if stream is None:
        return streams[0] if streams else 0
    if stream not in streams:
        raise UsageError(
            f"{reader.path} has no stream {stream}", "see 'tickertape info' for what it has"
        )
    return stream

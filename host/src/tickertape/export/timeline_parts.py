"""A whole tape as parts of a timeline, for all who show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.export.ring_ends import last_ticks, lost_before
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
    """Give a whole tape as parts of a timeline, all of its losses among them."""
    ends = _Ends(reader, timeline, stream)
    epoch = -1
    for columns in iter_events(reader, stream=stream, counters=DecodeCounters()):
        begins = columns.epoch != epoch
        if begins:
            yield from ends.behind(epoch)
            epoch = columns.epoch
        yield from timeline.feed(columns)
        if begins:
            yield from ends.before(epoch)
        for gap in columns.gaps:
            ends.seen[epoch, gap.cpu] = ends.seen.get((epoch, gap.cpu), 0) + gap.lost
        on_events(len(columns))
    yield from ends.behind(epoch)
    if epoch >= 0:
        yield from timeline.finish()


class _Ends:
    """What only receipts tell: losses before the first and behind the last buffer of a ring.

    Attributes:
        seen: records known to be lost so far, by boot and CPU.
    """

    def __init__(self, reader: TapeReader, timeline: Timeline, stream: int) -> None:
        self._reader = reader
        self._timeline = timeline
        rings = balance_of(reader, by_class=False).rings
        self._rings = [one for one in rings if one.ring.stream == stream]
        self.seen: dict[tuple[int, int], int] = {}

    def before(self, epoch: int) -> Iterator[TrackEvents]:
        for one in self._rings:
            count, ticks = lost_before(self._reader, one)
            if one.ring.epoch == epoch and count:
                self.seen[epoch, one.ring.cpu] = count
                when = ticks * _NS_PER_S // self._reader.tick_hz(epoch)
                yield self._timeline.lose(one.ring.cpu, count, when, when)

    def behind(self, epoch: int) -> Iterator[TrackEvents]:
        for one in self._rings:
            rest = one.balance.lost - self.seen.get((epoch, one.ring.cpu), 0)
            if one.ring.epoch == epoch and rest > 0:
                ticks = last_ticks(self._reader, one.ring)
                end = ticks * _NS_PER_S // self._reader.tick_hz(epoch)
                yield self._timeline.lose(one.ring.cpu, rest, self._timeline.last_ns, end)


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

"""Read all events of a tape in order of time."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.compiled import ring_decoder
from tickertape.decode.events import DecodeCounters, concatenate, split_columns
from tickertape.decode.moves import Moves
from tickertape.decode.one_stream import HARDWARE_STREAM, of_stream
from tickertape.protocol.wire import BufferFlag
from tickertape.tape.ring_end import tail_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.records import U64, Rows
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader


_ROOM_BYTES = 31 << 20  # just below the largest block for which glibc adapts its limits


def iter_events(
    reader: TapeReader,
    *,
    stream: int | None = None,
    counters: DecodeCounters | None = None,
) -> Iterator[EventColumns]:
    """Yield the events of a tape, epoch after epoch, all CPUs merged by 64-bit time.

    Memory is bounded by one chunk per ring. The merge is stable: inside a ring the order of
    recording is kept, and at equal times the lower (stream, CPU) comes first.

    Args:
        reader: the tape.
        stream: only this stream, and the accesses to variables that the trace unit recorded
            (`decode.one_stream`). Boots in which the trace unit lost records have no such accesses,
            because the reader of one stream cannot see that an access is missing. None for all
            streams.
        counters: counters to increment while the iterator is consumed.

    Yields:
        Columns of one epoch, with up to some ten thousand rows per ring.
    """
    counts = counters if counters is not None else DecodeCounters()
    for epoch in reader.epochs:
        yield from boot_events(reader, epoch, stream=stream, counters=counts)


def boot_events(
    reader: TapeReader,
    epoch: int,
    *,
    stream: int | None,
    counters: DecodeCounters,
    with_tails: bool = False,
) -> Iterator[EventColumns]:
    """Yield the events of one epoch, all CPUs merged; see `iter_events`.

    Args:
        reader: the tape.
        epoch: number of the boot.
        stream: see `iter_events`.
        counters: see `iter_events`.
        with_tails: also yield a gap after the last record of each CPU that may have recorded more
            (`ring_end`), if a later event of another CPU is on the tape.
    """
    rings = [
        ring
        for ring in reader.rings_of(epoch)
        if stream in {None, ring.stream}
        or (ring.stream == HARDWARE_STREAM and _is_whole(reader, ring))
    ]
    moves = Moves() if any(ring.cpu for ring in rings) else None
    parts = [
        _of_all_cpus(ring_events(reader, ring, counters, moves), _cpus_of(reader, ring))
        for ring in rings
    ]
    if with_tails and len(rings) > 1:
        parts = [_with_tail(one, reader, ring) for one, ring in zip(parts, rings, strict=True)]
        merged = _before_events(merge(parts))
    else:
        merged = merge(parts)
    if stream is None:
        yield from merged
        return
    for columns in merged:
        found = of_stream(columns, stream)
        if len(found) or found.gaps:
            yield found


def _with_tail(
    parts: Iterator[EventColumns], reader: TapeReader, ring: RingKey
) -> Iterator[EventColumns]:
    """Yield the events of a ring, then the gap after its last record, if there is one."""
    last: int | None = None
    for columns in parts:
        last = int(columns.time[-1]) if len(columns) else last
        yield columns
        rest = columns
    tail = tail_of(reader, ring, last)
    if tail is not None:
        yield replace(rest.take(slice(0, 0)), gaps=(tail,))


def _before_events(parts: Iterator[EventColumns]) -> Iterator[EventColumns]:
    """Move each tail to the events after it; leave out tails that no event follows."""
    held: tuple[Gap, ...] = ()
    for columns in parts:
        gaps = columns.gaps
        if held and len(columns):
            gaps, held = (*held, *gaps), ()
        late = tuple(gap for gap in gaps if gap.tail and gap.row >= len(columns))
        held += tuple(replace(gap, row=0) for gap in late)
        kept = tuple(gap for gap in gaps if gap not in late)
        if len(columns) or kept:
            yield columns if kept == columns.gaps else replace(columns, gaps=kept)


def _cpus_of(reader: TapeReader, ring: RingKey) -> int:
    """Return the number of CPUs that record into a ring: all CPUs if its stream has one ring."""
    hello = reader.hellos.get(ring.epoch)
    is_only = not any(
        other.cpu for other in reader.rings_of(ring.epoch) if other.stream == ring.stream
    )
    return hello.cpu_count if hello is not None and is_only else 1


def _of_all_cpus(parts: Iterator[EventColumns], cpus: int) -> Iterator[EventColumns]:
    """Repeat the gaps of a ring for each CPU that records into it; only CPU 0 has the counts."""
    for columns in parts:
        if cpus == 1 or not columns.gaps:
            yield columns
            continue
        gaps = [
            gap if cpu == 0 else _without_counts(gap, cpu)
            for gap in columns.gaps
            for cpu in range(cpus)
        ]
        yield replace(columns, gaps=tuple(gaps))


def _without_counts(gap: Gap, cpu: int) -> Gap:
    """Return the gap as an echo for another CPU, without counts."""
    end = gap.first_ordinal
    return replace(gap, cpu=cpu, end_ordinal=end, dropped=0, overwritten=0, damaged=0, echo=True)


def _is_whole(reader: TapeReader, ring: RingKey) -> bool:
    """Return whether no records of a ring are missing without a count."""
    return not any(
        (chunk.buffers["flags"] & BufferFlag.LOSS_BEFORE).any()
        for chunk in reader.records_chunks(ring)
    )


def ring_events(
    reader: TapeReader, ring: RingKey, counters: DecodeCounters, moves: Moves | None = None
) -> Iterator[EventColumns]:
    """Yield the events of one ring in order of recording."""
    _make_room()
    decoder = ring_decoder(
        (ring.stream, ring.cpu),
        byte_order=reader.header.byte_order,
        counters=counters,
        epoch=ring.epoch,
        moves=moves,
    )
    for chunk in reader.records_chunks(ring):
        yield decoder.feed_spread(chunk.buffers, chunk.data, chunk.start)
    yield decoder.finish()


def _make_room() -> None:
    """Let the C library keep the memory of a chunk's columns for the next chunk.

    Freeing one large block raises the size from which glibc returns memory to the system at once
    (mallopt(3), M_MMAP_THRESHOLD). Otherwise every chunk has page faults for a few megabytes, a
    fifth of the decoding time. The block is not written to, so it uses no memory.
    """
    np.empty(_ROOM_BYTES, np.uint8)


def merge(parts: Sequence[Iterator[EventColumns]]) -> Iterator[EventColumns]:
    """Merge rings of one epoch by time; at equal times the order of `parts` decides."""
    if len(parts) == 1:
        yield from (columns for columns in parts[0] if len(columns) or columns.gaps)
        return
    sources = [source for source in map(_Source, parts) if source.fill()]
    while sources:
        yield _next_of(sources)
        sources = [source for source in sources if source.fill()]


def _next_of(sources: Sequence[_Source]) -> EventColumns:
    """Return the events that no later event can precede; every source must be filled."""
    # All events are known up to the end of the source that ends first. At exactly that time its own
    # events come before those of later sources, so the later sources have to wait.
    bound = min(range(len(sources)), key=lambda number: sources[number].end)
    limit = sources[bound].end
    taken = [source.take(limit, inclusive=number <= bound) for number, source in enumerate(sources)]
    return _interleave([part for part in taken if len(part.columns) or part.columns.gaps])


class Merging:
    """Merges growing rings of one epoch, like `merge`; holds back events that are not certain yet.

    An event is certain when every ring has an event that is not earlier.
    """

    def __init__(self, ring_count: int) -> None:
        """Start without events.

        Args:
            ring_count: number of rings.
        """
        self._waiting: list[deque[EventColumns]] = [deque() for _ in range(ring_count)]
        self._sources = [_Source(_drained(one)) for one in self._waiting]

    def add(self, number: int, columns: EventColumns) -> None:
        """Add the next events of a ring; at equal times the lower ring number comes first."""
        self._waiting[number].append(columns)

    def taken(self) -> Iterator[EventColumns]:
        """Yield the events that are certain."""
        while all(source.fill() and source.has_events for source in self._sources):
            yield _next_of(self._sources)

    def rest(self) -> Iterator[EventColumns]:
        """Yield the events that were held back; do not call `add` afterwards."""
        while sources := [source for source in self._sources if source.fill()]:
            yield _next_of(sources)


def _drained(waiting: deque[EventColumns]) -> Iterator[EventColumns | None]:
    while True:
        yield waiting.popleft() if waiting else None


class _Part:
    """Events of one ring, with the times used for the merge."""

    def __init__(self, columns: EventColumns, key: U64) -> None:
        self.columns = columns
        self.key = key


class _Source:
    """Events of one ring, as input of the merge."""

    def __init__(self, parts: Iterator[EventColumns | None]) -> None:
        self._parts = parts
        self._columns: EventColumns | None = None
        self._key: U64 = np.empty(0, np.uint64)
        self._latest = np.uint64(0)

    @property
    def has_events(self) -> bool:
        """Whether there is an event, not only a gap."""
        return bool(len(self._key))

    @property
    def end(self) -> int:
        """Time of the last loaded event; 0 if none is loaded."""
        return int(self._key[-1]) if len(self._key) else 0

    def fill(self) -> bool:
        """Load events if none is loaded; False if there are neither events nor gaps."""
        while not len(self._key):
            columns = next(self._parts, None)
            if columns is None:
                break
            if self._columns is not None and self._columns.gaps:
                columns = concatenate([self._columns, columns])
            self._columns = columns
            self._key = self._keys_of(columns)
        return self._columns is not None and bool(len(self._columns) or self._columns.gaps)

    def take(self, limit: int, *, inclusive: bool) -> _Part:
        """Return the events before `limit`, with `inclusive` also those at `limit`."""
        assert self._columns is not None  # noqa: S101 - fill() ensures it
        row = int(np.searchsorted(self._key, np.uint64(limit), "right" if inclusive else "left"))
        if not len(self._key):
            part = _Part(self._columns, self._key)
            self._columns = None
            return part
        head, self._columns = split_columns(self._columns, row)
        part = _Part(head, self._key[:row])
        self._key = self._key[row:]
        return part

    def _keys_of(self, columns: EventColumns) -> U64:
        """Return times that never decrease: the order of a ring has priority over its clock."""
        key = columns.time
        if len(key):
            if key[0] < self._latest or np.any(key[1:] < key[:-1]):
                key = np.maximum(np.maximum.accumulate(key), self._latest)
            self._latest = key[-1]
        return key


def _interleave(parts: Sequence[_Part]) -> EventColumns:
    if len(parts) == 1:
        return parts[0].columns
    joined = concatenate([part.columns for part in parts])
    order = np.argsort(np.concatenate([part.key for part in parts]), kind="stable")
    return replace(joined.take(order), gaps=_moved(parts, order))


def _moved(parts: Sequence[_Part], order: Rows) -> tuple[Gap, ...]:
    """Return the gaps of all parts, with their rows in the merged order."""
    if not any(part.columns.gaps for part in parts):
        return ()
    place = np.empty(len(order) + 1, np.intp)
    place[order] = np.arange(len(order))
    moved = []
    base = 0
    for part in parts:
        count = len(part.columns)
        for gap in part.columns.gaps:
            row = int(place[base + gap.row]) if gap.row < count else len(order)
            moved.append(replace(gap, row=row))
        base += count
    return tuple(sorted(moved, key=lambda gap: gap.row))

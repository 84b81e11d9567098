"""Read all events of a tape of several boards, in order of their common time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.decode.events import DecodeCounters
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64
    from tickertape.tape.board import Board
    from tickertape.tape.reader import TapeReader

_NEVER = (1 << 63) - 1


class Run(NamedTuple):
    """Consecutive events of one board.

    Attributes:
        board: board and boot of the events.
        columns: the events, with the time of the board's clock.
        utc_ns: i64, UTC of each event, ns since 1970; meaningless unless `board.aligned`.
    """

    board: Board
    columns: EventColumns
    utc_ns: I64


def iter_common(
    reader: TapeReader,
    *,
    stream: int | None = None,
    boards: frozenset[int] | None = None,
    counters: DecodeCounters | None = None,
    prepare: Callable[[EventColumns], EventColumns] | None = None,
) -> Iterator[Run]:
    """Yield the events of several boards by UTC; at equal times the lower board comes first.

    The order of boots and rings of a board is kept. A boot with unknown time is yielded in one
    piece, after the earlier boots of its board. Memory is bounded by one chunk per ring of a boot
    of each board.

    Args:
        reader: a tape with BOARD chunks; boots without one are left out.
        stream: only this stream; None for all streams.
        boards: only boards with these numbers; None for all boards.
        counters: counters to increment while the iterator is consumed.
        prepare: function applied to the events of a boot, thousands at a time, before they are cut
            into runs.
    """
    counts = counters if counters is not None else DecodeCounters()
    numbers = sorted({board.number for board in reader.boards.values()})
    wanted = [number for number in numbers if boards is None or number in boards]
    sources = [_Source(_parts(reader, number, stream, counts), prepare) for number in wanted]
    while sources := [source for source in sources if source.fill()]:
        heads = [source.head for source in sources]
        first = min(range(len(heads)), key=heads.__getitem__)
        before, behind = heads[:first], heads[first + 1 :]
        # At equal times the lower board comes first.
        limit = min(min(before, default=_NEVER) - 1, min(behind, default=_NEVER))
        yield sources[first].take(limit)


def _parts(
    reader: TapeReader, number: int, stream: int | None, counters: DecodeCounters
) -> Iterator[tuple[Board, EventColumns]]:
    """Yield the events of one board, boot after boot."""
    for epoch, board in sorted(reader.boards.items()):
        if board.number == number:
            for columns in boot_events(reader, epoch, stream=stream, counters=counters):
                yield board, columns


class _Source:
    """Events of one board, as input of the merge."""

    def __init__(
        self,
        parts: Iterator[tuple[Board, EventColumns]],
        prepare: Callable[[EventColumns], EventColumns] | None,
    ) -> None:
        self._parts = parts
        self._prepare = prepare or (lambda columns: columns)
        self._part: tuple[Board, EventColumns] | None = None
        self._row = 0
        self._utc: I64 = np.empty(0, np.int64)
        self._key: I64 = self._utc
        self._latest = np.int64(0)

    @property
    def head(self) -> int:
        """Time of the next event; for gaps after the last event, the time of that event."""
        return int(self._key[self._row]) if self._row < len(self._key) else int(self._latest)

    def fill(self) -> bool:
        """Load events if none is loaded; False at the end of the input."""
        if self._part is None:
            self._part = next(self._parts, None)
            if self._part is not None:
                board, columns = self._part
                self._part = (board, self._prepare(columns))
                self._row = 0
                self._utc = board.utc_of(columns.time)
                self._key = self._keys(self._utc, aligned=board.aligned)
        return self._part is not None

    def take(self, limit: int) -> Run:
        """Return the events up to time `limit`, but at least one event."""
        assert self._part is not None  # noqa: S101 - fill() ensures it
        board, columns = self._part
        begin = self._row
        end = max(int(np.searchsorted(self._key, limit, "right")), min(begin + 1, len(self._key)))
        self._row = end
        if end == len(self._key):
            self._part = None
            self._latest = self._key[-1] if end else self._latest
        if begin == 0 and self._part is None:
            return Run(board, columns, self._utc)
        # The last piece includes gaps after the last event.
        gaps = tuple(
            replace(gap, row=gap.row - begin)
            for gap in columns.gaps
            if begin <= gap.row < end or (self._part is None and gap.row >= end)
        )
        piece = replace(columns.take(slice(begin, end)), gaps=gaps)
        return Run(board, piece, self._utc[begin:end])

    def _keys(self, utc: I64, *, aligned: bool) -> I64:
        """Return times that never decrease: the board's own order has priority over UTC."""
        if not aligned:
            return np.full(len(utc), self._latest)
        return np.maximum(np.maximum.accumulate(utc), self._latest) if len(utc) else utc


def origin_ns(reader: TapeReader) -> int:
    """Return the origin of printed common times, in ns of UTC.

    It is the origin that the merge stored; without one, the least aligned time of the boards.
    """
    merged = reader.meta.get("merge")
    origin = merged.get("origin_ns") if isinstance(merged, dict) else None
    if isinstance(origin, int) and not isinstance(origin, bool) and origin >= 0:
        return origin
    known: Sequence[int] = [board.utc_ns for board in reader.boards.values() if board.aligned]
    return min(known, default=0)

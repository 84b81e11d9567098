"""Lines of text by numpy alone; `text` is the reference and writes what is not here yet.

A line is its time and an end that is often said again (`tail_table`). Both are laid into one block
for many lines at once: first the ends, each with filling behind it that the next one covers, then
the times between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.decode.payloads import items_at, padded
from tickertape.model.kernel import THREAD_NAME, new_names
from tickertape.printing.tail_table import LONGEST_BYTES, WIDTH_BYTES, TailTable, keys_of
from tickertape.printing.templates import Templates
from tickertape.printing.text import _FLAG_BITS, _NS_PER_S, TextExporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U8, U64, Rows
    from tickertape.model.names import Names
    from tickertape.printing.tail_table import Keys

# So many rows at a time: what is between fits into the processor's cache.
_ROWS: Final = 8192
_SHORT_ROWS: Final = 64
# The column of seconds takes so many digits at least; with more, all of a block have as many.
_SECOND_DIGITS: Final = 5
_MOST_SECONDS: Final = 1000
_TEN_THOUSAND: Final = 10_000
_FOUR_DIGITS: Final = np.frombuffer(
    b"".join(b"%04d" % number for number in range(_TEN_THOUSAND)), np.uint32
)
_STEP_BYTES: Final = 16
_MOST_NEW: Final = _ROWS // 4


class NumpyTextExporter(TextExporter):
    """Gives the same lines in `blocks` as its base class, without colours."""

    def __init__(
        self,
        names_of: Callable[[int], Names],
        tick_hz_of: Callable[[int], int],
        *,
        short_rows: int = _SHORT_ROWS,
    ) -> None:
        """Get ready.

        Args:
            names_of: names within a boot, by epoch.
            tick_hz_of: clock rate of a boot, by epoch.
            short_rows: stretches between gaps and new names that are shorter than this on average
                are written line by line.
        """
        super().__init__(names_of, tick_hz_of)
        self._short_rows = short_rows
        self._tails = TailTable()
        self._templates = Templates(self._middle)

    def blocks(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[bytes | memoryview]:
        """Yield lines with their ends; see the base class."""
        yield from _encoded(self._enter(columns))
        running = self._running.column(columns)
        cuts = sorted({0, *(gap.row for gap in columns.gaps), *self._new_names(columns)})
        clock = clock_of(columns.time, self._tick_hz)
        if clock is None or len(columns) < self._short_rows * len(cuts):
            yield from _encoded(self._lines(columns, running, chosen))
            return
        payload = padded(columns.payload, LONGEST_BYTES)
        for begin, end in zip(cuts, [*cuts[1:], len(columns)], strict=True):
            yield from _encoded(self._gap(gap) for gap in columns.gaps if gap.row == begin)
            if begin < end:
                self._learn_from(columns, begin)
            for first in range(begin, end, _ROWS):
                rows: slice | Rows = slice(first, min(first + _ROWS, end))
                if chosen is not None:
                    rows = np.flatnonzero(chosen[rows]) + first
                block = _Block(columns.take(rows), running[rows], payload)
                if len(block.columns):
                    yield from self._block(block, clock)

    def _forget(self) -> None:
        super()._forget()
        self._tails.forget()
        self._templates.forget()

    def _new_names(self, columns: EventColumns) -> list[int]:
        """Find the rows that give a thread a name that it has not had until then."""
        found = []
        names: dict[int, str | None] = {}
        for row in sorted(new_names(columns, np.flatnonzero(columns.code == THREAD_NAME))):
            event = columns.event_at(row)
            if event.text and len(event.words) > 1:
                tid = event.words[1]
                if names.get(tid, self._names.thread(tid)) != event.text:
                    names[tid] = event.text
                    found.append(row)
        return found

    def _learn_from(self, columns: EventColumns, row: int) -> None:
        if columns.code[row] == THREAD_NAME:
            self._learn(columns.event_at(row))

    def _block(self, block: _Block, clock: _Clock) -> Iterator[bytes | memoryview]:
        """Write rows between which no name changes."""
        keys = keys_of(block.columns, block.running, block.payload)
        known = self._tails.find(keys)
        odd: dict[int, bytes] = {}
        if not known.all():
            _, firsts = np.unique(keys.mixed[~known], return_index=True)
            if len(firsts) > _MOST_NEW:
                yield self._by_templates(block, clock)
                return
            odd = self._write_new(block, keys, np.flatnonzero(~known)[firsts].tolist())
        lengths = self._tails.lengths.take(keys.slots)
        if odd:
            lengths[list(odd)] = [len(text) for text in odd.values()]
        yield self._laid(times_of(block.columns.time, clock), keys.slots, lengths, odd)

    def _write_new(self, block: _Block, keys: Keys, rows: list[int]) -> dict[int, bytes]:
        """Keep new ends of lines; give those that cannot be kept, by row."""
        for row in rows:
            self._tails.keep(keys, row, self._tail(block, row))
        left = np.flatnonzero(~self._tails.find(keys)).tolist()
        return {row: self._tail(block, row) for row in left}

    def _by_templates(self, block: _Block, clock: _Clock) -> bytes:
        """Write rows of which too many are new to be kept."""
        columns = block.columns
        special = (columns.payload_offset >= 0) | (columns.header & _FLAG_BITS != 0)
        rows = zip(
            columns.cpu.tolist(),
            block.running.tolist(),
            columns.code.tolist(),
            columns.data0.tolist(),
            columns.data1.tolist(),
            special.tolist(),
            strict=True,
        )
        tails = []
        for row, (cpu, tid, code, word0, word1, is_special) in enumerate(rows):
            template = self._templates.get(cpu, tid, code)
            if template.suits and not is_special:
                tails.append(template.write(word0, word1))
            else:
                tails.append(self._tail(block, row))
        times = times_of(columns.time, clock)
        parts = [b""] * (2 * len(tails))
        parts[::2] = times.view(f"S{times.itemsize}").tolist()
        parts[1::2] = tails
        return b"".join(parts)

    def _tail(self, block: _Block, row: int) -> bytes:
        """Write a line without its time."""
        columns, tid = block.columns, int(block.running[row])
        code = int(columns.code[row])
        if columns.payload_offset[row] >= 0 or columns.header[row] & _FLAG_BITS:
            details = self._special(columns.event_at(row))
        else:
            details = self._simple(code, int(columns.data0[row]), int(columns.data1[row]))
        line = f"{self._middle(int(columns.cpu[row]), tid, code)}{details}".rstrip()
        return f"{line}\n".encode("utf-8", errors="replace")

    def _laid(
        self, times: NDArray[np.void], slots: Rows, lengths: I64, odd: Mapping[int, bytes]
    ) -> memoryview:
        """Lay times and ends of lines side by side; what is in `odd` is not in the table."""
        width = times.itemsize
        ends = np.cumsum(lengths + width)
        places = ends - lengths
        out = np.empty(int(ends[-1]) + WIDTH_BYTES, np.uint8)
        size = min(-(-int(lengths.max()) // _STEP_BYTES) * _STEP_BYTES, WIDTH_BYTES)
        tails = self._tails.text[:, :size].view(f"V{size}")[:, 0]
        items_at(out, size)[places] = tails[slots]
        for row, text in odd.items():
            out[places[row] : ends[row]] = np.frombuffer(text, np.uint8)
        items_at(out, width)[places - width] = times.view(f"V{width}")
        return out[: int(ends[-1])].data


class _Block(NamedTuple):
    """Rows that are written together.

    Attributes:
        columns: the rows.
        running: the thread of each.
        payload: that of the columns, with some more behind it.
    """

    columns: EventColumns
    running: NDArray[np.int64]
    payload: U8


class _Clock(NamedTuple):
    """How times are written that lie close together.

    Attributes:
        tick_hz: rate of the clock.
        first: whole seconds of the earliest.
        seconds: text of each second from there on, all of one length.
    """

    tick_hz: int
    first: int
    seconds: NDArray[np.bytes_]


def clock_of(times: U64, tick_hz: int) -> _Clock | None:
    """Get ready to write times; None where they are too far apart for one form."""
    if not len(times):
        return None
    first, last = int(times.min()) // tick_hz, int(times.max()) // tick_hz
    one_length = max(len(str(first)), _SECOND_DIGITS) == max(len(str(last)), _SECOND_DIGITS)
    if not one_length or last - first > _MOST_SECONDS:
        return None
    texts = [f"{second:>{_SECOND_DIGITS}}." for second in range(first, last + 1)]
    return _Clock(tick_hz, first, np.array(texts, np.bytes_))


def times_of(times: U64, clock: _Clock) -> NDArray[np.void]:
    """Write times: seconds, rounded down to nanoseconds."""
    ticks = times - np.uint64(clock.first * clock.tick_hz)
    if len(clock.seconds) == 1:
        second = np.zeros(1, np.intp)
    else:
        whole = ticks // np.uint64(clock.tick_hz)
        ticks -= whole * np.uint64(clock.tick_hz)
        second = whole.astype(np.intp)
    ns = (ticks * np.uint64(_NS_PER_S) // np.uint64(clock.tick_hz)).astype(np.uint32)
    thousands = ns // np.uint32(_TEN_THOUSAND)
    high = thousands // np.uint32(_TEN_THOUSAND)
    seconds = clock.seconds.dtype
    made = np.empty(
        len(times), [("second", seconds), ("high", "u1"), ("middle", "u4"), ("low", "u4")]
    )
    made["second"] = clock.seconds[second]
    made["high"] = high + np.uint32(ord("0"))
    made["middle"] = _FOUR_DIGITS.take(thousands - high * np.uint32(_TEN_THOUSAND))
    made["low"] = _FOUR_DIGITS.take(ns - thousands * np.uint32(_TEN_THOUSAND))
    return made


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode("utf-8", errors="replace") for line in lines)

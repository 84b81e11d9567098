"""Converts records of a QNX trace file to records of a tape, whole blocks at a time.

In such a file, a combine event is BEGIN, CONTINUE*, END with two words of payload in each record;
the number of valid bytes in the last two words is not stored. On a tape, the last word is the
length in bytes (protocol/SPEC.md, "The record"). For a string, its terminating zero gives the
length; for other payloads all words count. Records of incomplete events are copied unchanged, so
that the decoder counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.combine import assemble
from tickertape.decode.payloads import ranges
from tickertape.decode.records import FIRST_COMBINE, empty, split
from tickertape.formats.kev.marks import (
    BUFFER_CODE,
    MARKS_SHIFT,
    STRING_WORDS,
    TIME_CODE,
)
from tickertape.protocol.wire import (
    CLASS_BITS,
    CPU_BITS,
    EVENT_BITS,
    KEYED_BITS,
    STRUCT_BITS,
    STRUCT_SHIFT,
    RecordStruct,
    record_dtype,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.combine import Runs
    from tickertape.decode.records import I64, U32, RecordColumns, Rows, Structured
    from tickertape.protocol.wire import ByteOrder

CODE_BITS: Final = np.uint32(CLASS_BITS | EVENT_BITS)
SIMPLE_CODE_BITS: Final = np.uint32(STRUCT_BITS | CLASS_BITS | EVENT_BITS)
MADE_BIT: Final = np.uint32(KEYED_BITS)
"""Header bit of CONTROL records that `export_kev` adds for readers of QNX."""

_MOST_FILLING: Final = 16
_FILLING_MASK: Final = 0xFF
_SEQUENCE_MASK: Final = 0x7FF
_MEANT_THERE: Final = np.uint32(STRUCT_BITS | CPU_BITS | CLASS_BITS | EVENT_BITS)
_PAIR_BYTES: Final = 8
_WORD_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Converted:
    """Records in the format of a tape. All arrays have one element per record.

    Attributes:
        records: structured array, `wire.record_dtype`, in order.
        segment: number of losses in the file before the record, i64.
        made: whether `export_kev` added the record for readers of the file.
        tells_time: whether the record is a CONTROL TIME of the file, not of the target.
    """

    records: Structured
    segment: I64
    made: NDArray[np.bool_]
    tells_time: NDArray[np.bool_]

    def take(self, rows: Rows) -> Converted:
        """Return some of the records, by row."""
        return Converted(
            self.records[rows], self.segment[rows], self.made[rows], self.tells_time[rows]
        )


class Converter:
    """Converts the records of a file block by block; holds at most 4096 records and a block."""

    def __init__(self, byte_order: ByteOrder, *, own: bool, marked: bool) -> None:
        """Create a converter.

        Args:
            byte_order: byte order of the records.
            own: whether `export_kev` wrote the file, with lengths and flags in header bits.
            marked: whether it also added CONTROL records, which `MADE_BIT` marks.
        """
        self._dtype = record_dtype(byte_order)
        self._byte_order = byte_order
        self._own = own
        self._marked = marked
        self._carry: RecordColumns = empty()
        self._count = 0
        self._sequence: int | None = None
        self._losses = 0

    @property
    def losses(self) -> int:
        """Number of places in the file with missing buffers."""
        return self._losses

    def feed(self, block: Structured) -> Converted:
        """Convert the next records; return those of simple and of complete events."""
        ordinal = np.arange(self._count, self._count + len(block), dtype=np.uint64)
        self._count += len(block)
        new = split(block, ordinal, self._segments(block))
        return self._convert(new if not len(self._carry) else self._carry.followed_by(new))

    def finish(self) -> Converted:
        """Return the records of events whose further records are missing at the end."""
        return self._convert(self._carry, last=True)

    def _segments(self, block: Structured) -> I64:
        """Return the number of losses before each record: gaps in the 11-bit buffer numbers."""
        header = block["header"].astype(np.uint32)
        rows = np.flatnonzero(self._tells(header, BUFFER_CODE))
        numbers = block["data0"][rows].astype(np.int64) & _SEQUENCE_MASK
        # The first buffer may have any number: no loss is known before it.
        before = self._sequence if self._sequence is not None or not len(rows) else numbers[0] - 1
        steps_of = np.diff(numbers, prepend=before if before is not None else 0)
        lost = steps_of & _SEQUENCE_MASK != 1
        if len(rows):
            self._sequence = int(numbers[-1])
        steps = np.zeros(len(block), np.int64)
        steps[rows] = lost
        segment = np.cumsum(steps) + self._losses
        self._losses += int(lost.sum())
        return segment

    def _convert(self, columns: RecordColumns, *, last: bool = False) -> Converted:
        combine = np.flatnonzero(columns.header >= FIRST_COMBINE)
        found = assemble(columns, combine, last=last)
        cut = len(columns) if found.first_open is None else found.first_open
        events = [runs.pick(np.flatnonzero(runs.begins < cut)) for runs in found.closed]
        used = np.zeros(len(columns), bool)
        for runs in events:
            used[runs.members] = True
        kept = np.flatnonzero(~used[cut:]) + cut
        self._carry = columns.take(kept)
        return self._build(columns, cut, events, used)

    def _build(
        self, columns: RecordColumns, cut: int, events: list[Runs], used: NDArray[np.bool_]
    ) -> Converted:
        """Rearrange the records before `cut`: all records of an event follow its BEGIN."""
        header = columns.header[:cut]
        counts = (~used[:cut]).astype(np.intp)
        lengths = [self._lengths(columns, runs) for runs in events]
        sizes = [record_counts(length) for length in lengths]
        for runs, size in zip(events, sizes, strict=True):
            counts[runs.begins] = size
        place = np.cumsum(counts) - counts
        out = np.zeros(int(counts.sum()), self._dtype)
        source = np.repeat(np.arange(cut), counts)
        out["header"] = self._plain(header)[source]
        out["time"] = columns.low[source]
        raw = out.view(np.uint64).reshape(-1, 2)
        raw[:, 1] = columns.pairs[source]
        for runs, size, length in zip(events, sizes, lengths, strict=True):
            self._place(out, columns, runs, (place[runs.begins], size, length))
        segment = columns.segment if columns.segment is not None else np.zeros(cut, np.int64)
        made, tells_time = self._made(header), self._tells(header, TIME_CODE)
        return Converted(out, segment[source], made[source], tells_time[source])

    def _made(self, header: U32) -> NDArray[np.bool_]:
        code = header & SIMPLE_CODE_BITS
        is_clock = (code == TIME_CODE) | (code == BUFFER_CODE)
        made: NDArray[np.bool_] = is_clock & ((header & MADE_BIT) != 0) & self._marked
        return made

    def _tells(self, header: U32, code: int) -> NDArray[np.bool_]:
        """Find CONTROL records of the file, as opposed to events of the target with this code."""
        marks = MADE_BIT if self._marked else np.uint32(0)
        tells: NDArray[np.bool_] = header & (SIMPLE_CODE_BITS | marks) == code | marks
        return tells

    def _plain(self, header: U32) -> U32:
        """Clear the header bits that QNX does not use, unless `export_kev` set them."""
        return header & ~MADE_BIT if self._own else header & _MEANT_THERE

    def _lengths(self, columns: RecordColumns, runs: Runs) -> I64:
        """Return the payload length of each event in bytes."""
        full = runs.counts.astype(np.int64) * _PAIR_BYTES
        if self._own:
            padding = columns.header[runs.ends] >> np.uint32(MARKS_SHIFT) & _FILLING_MASK
            padding = padding.astype(np.int64)
            return np.where(padding <= np.minimum(_MOST_FILLING, full), full - padding, full)
        codes = columns.header[runs.begins] & CODE_BITS
        text = np.full(len(full), -1, np.int64)
        for code, words in STRING_WORDS.items():
            text[codes == code] = words * _WORD_BYTES
        if not len(full) or text.max() < 0:
            return full
        zeros = np.flatnonzero(columns.pairs[runs.members].view(np.uint8) == 0)
        begins = runs.starts.astype(np.int64) * _PAIR_BYTES
        number = np.searchsorted(zeros, begins + text)
        ends = np.append(zeros, np.iinfo(np.int64).max)[number] - begins
        return np.where(text >= 0, np.minimum(ends, full), full)

    def _place(
        self,
        out: Structured,
        columns: RecordColumns,
        runs: Runs,
        where: tuple[Rows, I64, I64],
    ) -> None:
        """Fill in the records of events: kinds, payload, length."""
        place, size, length = where
        kinds = out["header"].astype(np.uint32) & ~np.uint32(3 << STRUCT_SHIFT)
        rows, number = ranges(place, size)
        kind = np.full(len(rows), RecordStruct.CONTINUE, np.uint32)
        kind[number == 0] = RecordStruct.BEGIN
        kind[number == np.repeat(size, size) - 1] = RecordStruct.END
        out["header"][rows] = kinds[rows] | kind << np.uint32(STRUCT_SHIFT)
        raw = out.view(np.uint64).reshape(-1, 2)
        raw[rows, 1] = 0
        kept = np.minimum(runs.counts, size)
        to, index = ranges(place, kept)
        raw[to, 1] = columns.pairs[runs.members[np.repeat(runs.starts, kept) + index]]
        out["data1"][place + size - 1] = length


def record_counts(payload_bytes: I64) -> I64:
    """Return the number of records on a tape of combine events with these payload sizes."""
    words = (payload_bytes + (_WORD_BYTES - 1)) // _WORD_BYTES
    counts: I64 = np.maximum(2, (words + 2) // 2)
    return counts

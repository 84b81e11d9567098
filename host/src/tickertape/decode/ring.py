"""Decode the buffers of one ring to events, chunk by chunk, in constant memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode import gaps as gaps_of
from tickertape.decode.clock import ticks_64
from tickertape.decode.combine import Runs, assemble
from tickertape.decode.events import EventColumns
from tickertape.decode.records import (
    DATA0,
    DATA1,
    FIRST_COMBINE,
    FIRST_PART,
    HEADER,
    LOW,
    RecordColumns,
    empty,
    gathered,
    identity_numbers,
    is_keyed,
    joined,
    own,
    pairs_of,
    split,
)
from tickertape.protocol.wire import KEYED_BITS, record_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.decode.bodies import Receipt
    from tickertape.decode.combine import Assembly
    from tickertape.decode.events import DecodeCounters, Gap
    from tickertape.decode.moves import Moves
    from tickertape.decode.records import I64, U8, U32, U64, Rows, Structured
    from tickertape.protocol.wire import ByteOrder

_PAIR_BYTES = 8
_FEWEST_RECORDS = 2


@dataclass(frozen=True, slots=True)
class _Rows:
    """Records of a ring.

    Attributes:
        columns: all records.
        starts: rows of the SIMPLE and BEGIN records, ascending.
        words: words of these records.
        time: times of these records.
    """

    columns: RecordColumns
    starts: Rows
    words: U32
    time: U64

    @property
    def first_ordinal(self) -> int | None:
        """Ordinal of the first record; None if there is none."""
        return int(self.columns.ordinal[0]) if len(self.columns) else None


_NO_GAPS: Rows = np.empty(0, np.intp)
_NO_ROWS = _Rows(empty(), np.empty(0, np.intp), empty().words, np.empty(0, np.uint64))


class RingDecoder:
    """Decodes the buffers of one ring to events.

    Records from the first BEGIN without its END on are carried over to the next chunk, so that the
    events are in order of time. At most 4096 records and a chunk are held.
    """

    def __init__(
        self,
        ring: tuple[int, int],
        *,
        byte_order: ByteOrder,
        counters: DecodeCounters,
        epoch: int = 0,
        moves: Moves | None = None,
    ) -> None:
        """Start a ring.

        Args:
            ring: (stream, cpu).
            byte_order: byte order of the records.
            counters: counters to increment.
            epoch: boot of the target within the tape.
            moves: shared by all rings of a target with several CPUs; None for one CPU.
        """
        self._ring = ring
        self._byte_order = byte_order
        self._counters = counters
        self._epoch = epoch
        self._moves = moves
        self._last: Receipt | None = None  # after the last buffer
        self._last_ticks: int | None = None
        self._carry = _NO_ROWS
        self._gaps: list[Gap] = []  # gaps whose row is not returned yet

    def feed(self, buffers: Structured, records: Structured) -> EventColumns:
        """Decode the next buffers.

        Args:
            buffers: structured, `wire.BUFFER_HEADER_DTYPE`, in order.
            records: structured, `wire.record_dtype`: the records of all buffers.

        Returns:
            The complete events; they do not share memory with the arguments.
        """
        buffers, records, gap_buffers = self._usable(buffers, records)
        if not len(buffers):
            return self._emit(self._carry)
        self._counters.records += len(records)
        return self._emit(self._behind_carry(self._read(buffers, records, gap_buffers)))

    def feed_spread(self, buffers: Structured, data: U8, start: U64) -> EventColumns:
        """Decode the next buffers, whose records lie in several places; see `feed`.

        Args:
            buffers: structured, `wire.BUFFER_HEADER_DTYPE`, in order.
            data: bytes that contain the records.
            start: offset of the first record of each buffer in `data`, in bytes.
        """
        counts = buffers["count"].astype(np.int64)
        dtype = record_dtype(self._byte_order)
        return self.feed(buffers, gathered(data, start, counts, dtype))

    def finish(self) -> EventColumns:
        """End the input; return the events that were held back."""
        return self._emit(self._carry, last=True)

    def _usable(
        self, buffers: Structured, records: Structured
    ) -> tuple[Structured, Structured, Rows]:
        """Remove buffers without records and buffers with repeated ordinals.

        A gap around an empty buffer counts as a gap before the next buffer with records.

        Returns:
            Buffers, their records, and the indices of the buffers after a gap.
        """
        if self._last is not None and len(buffers) and gaps_of.go_on(buffers, self._last):
            return buffers, records, _NO_GAPS
        buffers, records = self._without_old(buffers, records)
        gap_buffers = gaps_of.find_gaps(buffers, self._last) if len(buffers) else _NO_GAPS
        return buffers, records, gap_buffers

    def _without_old(
        self, buffers: Structured, records: Structured
    ) -> tuple[Structured, Structured]:
        """Remove buffers without records and buffers with repeated ordinals."""
        if self._last is None and len(buffers) and not buffers["count"][0]:
            # The ring begins with a receipt: records missing after it are a gap.
            self._last = gaps_of.receipt_behind(buffers[0])
        buffers = buffers[buffers["count"] > 0]
        if not len(buffers):
            return buffers, records
        end = int(buffers["first_ordinal"].astype(np.int64)[0])
        kept = gaps_of.fresh(buffers, end if self._last is None else self._last.ordinal)
        if kept is None:
            return buffers, records
        counts = buffers["count"].astype(np.intp)
        wanted = np.zeros(len(buffers), bool)
        wanted[kept] = True
        chosen = records[np.repeat(wanted, counts)]
        self._counters.repeated_records += len(records) - len(chosen)
        return buffers[kept], chosen

    def _read(self, buffers: Structured, records: Structured, gap_buffers: Rows) -> _Rows:
        """Convert records to columns with ordinals and times; note the gaps."""
        counts = buffers["count"].astype(np.intp)
        firsts = np.cumsum(counts) - counts
        ordinal, segment = _ordinals(buffers, counts, gap_buffers)
        columns = split(records, ordinal, segment)
        if len(columns) and columns.header.max() >= FIRST_PART:
            starts = np.flatnonzero(columns.header < FIRST_PART)
            first_starts = np.searchsorted(starts, firsts)
            words = columns.words_at(starts)
        else:
            starts = np.arange(len(columns))
            first_starts = firsts
            words = columns.words.copy()
        time = ticks_64(own(words[:, LOW]), first_starts, buffers["ticks"])
        self._note_gaps(buffers, gap_buffers, time, first_starts)
        self._note_time(time, first_starts)
        self._last = gaps_of.receipt_behind(buffers[-1])
        return _Rows(columns, starts, words, time)

    def _note_gaps(
        self, buffers: Structured, gap_buffers: Rows, time: U64, first_starts: Rows
    ) -> None:
        for number in gap_buffers.tolist():
            last = gaps_of.receipt_behind(buffers[number - 1]) if number else self._last
            if last is not None:
                start = int(first_starts[number])
                ticks = int(time[start - 1]) if start else self._last_ticks
                self._gaps.append(gaps_of.gap_between(last, buffers[number], self._ring, ticks))

    def _note_time(self, time: U64, first_starts: Rows) -> None:
        """Count buffers that begin before the last record of the previous buffer."""
        if not len(time):
            return
        # A buffer without SIMPLE and BEGIN records has the same start as the next one.
        inner = first_starts[(first_starts > 0) & (first_starts < len(time))]
        inner = inner[np.diff(inner, prepend=0) > 0]
        self._counters.time_faults += int(np.count_nonzero(time[inner] < time[inner - 1]))
        if self._last_ticks is not None and int(time[0]) < self._last_ticks:
            self._counters.time_faults += 1
        self._last_ticks = int(time[-1])

    def _behind_carry(self, new: _Rows) -> _Rows:
        carry = self._carry
        if not len(carry.columns):
            return new
        return _Rows(
            carry.columns.followed_by(new.columns),
            np.concatenate([carry.starts, new.starts + len(carry.columns)]),
            joined(carry.words, new.words),
            np.concatenate([carry.time, new.time]),
        )

    def _emit(self, rows: _Rows, *, last: bool = False) -> EventColumns:
        """Assemble combine events; keep records from the first open event on, return the rest."""
        columns = rows.columns
        combine = np.flatnonzero(columns.header >= FIRST_COMBINE)
        if not len(combine):
            self._carry = _NO_ROWS
            return self._columns(rows, None)
        found = assemble(columns, combine, last=last)
        cut = len(columns) if found.first_open is None else found.first_open
        runs = _in_order(found.closed, cut)
        lengths = columns.words_at(runs.ends)[:, DATA1].astype(np.int64)
        keys = is_keyed(columns.header.take(runs.begins)).astype(np.intp)
        fits = runs.counts == keys + _record_counts(lengths)
        self._carry = _carry_from(rows, cut, runs, found.given_up)
        if fits.all() and not found.given_up and not found.orphans:
            return self._columns(_starts_before(rows, cut), (runs, lengths))
        out = _starts_before(rows, cut, self._count_lost(columns, runs, fits, found, cut))
        good = np.flatnonzero(fits)
        return self._columns(out, (runs.pick(good), lengths[good]))

    def _count_lost(
        self, columns: RecordColumns, runs: Runs, fits: Rows, found: Assembly, cut: int
    ) -> Rows:
        """Count records that make no event; return the rows of their BEGINs before `cut`."""
        counters = self._counters
        misfits = np.flatnonzero(~fits)
        counters.mismatched_events += len(misfits)
        counters.lost_records += int(runs.counts[misfits].sum())
        given_up = [event for event in found.given_up if event[0] < cut]
        orphans = sum(row < cut for row in found.orphans)
        counters.orphan_records += orphans
        counters.lost_records += orphans + sum(len(event) for event in given_up)
        members = np.concatenate([*given_up, np.empty(0, np.intp)])
        begins = members[columns.header[members] < FIRST_PART]
        self._count_incomplete(identity_numbers(columns.words_at(begins)))
        return np.concatenate([runs.begins[misfits], begins[begins < cut]])

    def _count_incomplete(self, identities: Sequence[int]) -> None:
        """Count events that were given up, except those that were recorded again."""
        moved = 0
        if self._moves is not None:
            moved = self._moves.give_up(self._epoch, self._ring[0], identities)
        self._counters.incomplete_events += len(identities) - moved

    def _note_moves(self, columns: EventColumns) -> EventColumns:
        """Subtract events that were recorded again from the incomplete ones."""
        if self._moves is not None:
            self._counters.incomplete_events -= self._moves.find(columns)
        return columns

    def _columns(self, out: _Rows, combine: tuple[Runs, I64] | None) -> EventColumns:
        """Return the events of `out`; `combine` has the records and lengths of combine events."""
        columns, starts = out.columns, out.starts
        whole = len(starts) == len(columns)
        header = columns.header if whole else out.words[:, HEADER].astype(np.uint32)
        ordinal = columns.ordinal if whole else columns.ordinals_at(starts)
        offset = np.full(len(starts), -1, np.int64)
        size: U32 = np.zeros(len(starts), np.uint32)
        payload = np.empty(0, np.uint8)
        if combine is not None and len(combine[0].starts):
            runs, lengths = combine
            places = runs.places if runs.first else np.flatnonzero(header >= FIRST_COMBINE)
            offset[places] = runs.starts * _PAIR_BYTES
            size[places] = lengths
            words = columns.words_at(runs.members)
            payload = pairs_of(words).copy().view(np.uint8)
            keyed = np.flatnonzero(is_keyed(header[places]))
            if len(keyed):
                # The first record holds the key; the event begins with the second one.
                firsts = runs.starts[keyed] + 1
                places = places[keyed]
                offset[places] += _PAIR_BYTES
                header = header.copy()
                header[places] &= ~np.uint32(KEYED_BITS)
                shown = out.words.copy()
                shown[places] = words[firsts]
                out = replace(out, words=shown)
        self._counters.events += len(starts)
        events = EventColumns(
            epoch=self._epoch,
            byte_order=self._byte_order,
            header=header,
            time=out.time,
            data0=own(out.words[:, DATA0]),
            data1=own(out.words[:, DATA1]),
            ordinal=ordinal,
            stream=np.full(len(starts), self._ring[0], np.uint8),
            payload_offset=offset,
            payload_bytes=size,
            payload=payload,
            gaps=self._gaps_out(ordinal, self._carry.first_ordinal) if self._gaps else (),
        )
        return self._note_moves(events)

    def _gaps_out(self, ordinal: U64, held: int | None) -> tuple[Gap, ...]:
        """Return the gaps before `held`, the first carried ordinal, with their rows."""
        ready = [gap for gap in self._gaps if held is None or gap.end_ordinal <= held]
        self._gaps = self._gaps[len(ready) :]
        rows = np.searchsorted(ordinal, np.array([gap.end_ordinal for gap in ready], np.uint64))
        return tuple(replace(gap, row=int(row)) for gap, row in zip(ready, rows, strict=True))


def _ordinals(buffers: Structured, counts: Rows, gap_buffers: Rows) -> tuple[U64, I64 | None]:
    """Return ordinal and segment of each record; segment is None without gaps."""
    total = int(counts.sum())
    if not len(gap_buffers):
        first = int(buffers["first_ordinal"][0])
        return np.arange(first, first + total, dtype=np.uint64), None
    ordinal = np.arange(total, dtype=np.uint64)
    firsts = (np.cumsum(counts) - counts).astype(np.uint64)
    # Modulo 2^64, like the sum below.
    ordinal += np.repeat(buffers["first_ordinal"] - firsts, counts)
    stretch = np.zeros(len(buffers), np.int64)
    stretch[gap_buffers] = 1
    return ordinal, np.repeat(np.cumsum(stretch), counts)


def _record_counts(payload_bytes: I64) -> I64:
    """Return the number of records of combine events, from their payload sizes."""
    words = (payload_bytes + 3) >> 2  # shifts, because numpy divides slowly
    # One more word for the length, two words per record, rounded up.
    counts: I64 = np.maximum(_FEWEST_RECORDS, (words + 2) >> 1)
    return counts


def _in_order(closed: list[Runs], cut: int) -> Runs:
    """Join the events of all rounds, ordered by BEGIN; leave out events from row `cut` on."""
    if not closed:
        none = np.empty(0, np.intp)
        return Runs(none, none, none)
    runs = closed[0]
    if len(closed) > 1:
        bases = np.cumsum([0, *(len(part.members) for part in closed[:-1])])
        runs = Runs(
            np.concatenate([part.members for part in closed]),
            np.concatenate([part.starts + base for part, base in zip(closed, bases, strict=True)]),
            np.concatenate([part.counts for part in closed]),
        )
        order = np.argsort(runs.begins, kind="stable")
        runs = Runs(runs.members, runs.starts[order], runs.counts[order])
    if not len(runs.starts) or runs.begins[-1] < cut:
        return runs
    number = int(np.searchsorted(runs.begins, cut))
    return Runs(runs.members, runs.starts[:number], runs.counts[:number], first=runs.first)


def _starts_before(rows: _Rows, cut: int, dead: Rows | None = None) -> _Rows:
    """Return the SIMPLE and BEGIN rows before `cut` that are not in `dead`."""
    number = int(np.searchsorted(rows.starts, cut))
    starts, words, time = rows.starts[:number], rows.words[:number], rows.time[:number]
    if dead is not None:
        alive = np.ones(number, bool)
        alive[np.searchsorted(starts, dead)] = False
        starts, words, time = starts[alive], words[alive], time[alive]
    return _Rows(rows.columns, starts, words, time)


def _carry_from(rows: _Rows, cut: int, runs: Runs, given_up: list[Rows]) -> _Rows:
    """Return the rows from `cut` on, without rows of events that began before it."""
    columns = rows.columns
    if cut == len(columns):
        return _NO_ROWS
    wanted = np.ones(len(columns) - cut, bool)
    used = runs.pick(np.flatnonzero(runs.ends >= cut)).members
    for members in [used, *(event for event in given_up if event[0] < cut)]:
        wanted[members[members >= cut] - cut] = False
    kept = np.flatnonzero(wanted) + cut
    first = int(np.searchsorted(rows.starts, cut))
    carried = columns.take(kept)
    # All rows are after the last gap: an open event continues in the same segment.
    carried = replace(carried, segment=None)
    # A BEGIN is not kept if its event cannot be distinguished from an earlier one.
    alive = wanted[rows.starts[first:] - cut]
    starts = np.searchsorted(kept, rows.starts[first:][alive])
    return _Rows(carried, starts, rows.words[first:][alive], rows.time[first:][alive])

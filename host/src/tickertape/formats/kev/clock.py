"""Extends the times of one CPU of a QNX trace file to 64 bits, and cuts its records into buffers.

A record of such a file has the low word of the time. CONTROL TIME records contain the high word,
after each wrap and at each new buffer. Records of one CPU are nearly in order of time: a record
that an interrupt overtook may be slightly late. The time of a record follows from the record before
it, and each TIME record corrects it:

    step back by up to 2^20 ticks   the record was overtaken
    any other difference            forward, through a wrap if necessary

After a loss, the next TIME also applies to the records before it. Within a buffer of a tape, time
never steps back; a buffer therefore ends where it would. Records keep their order and their times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.records import FIRST_PART
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, BufferFlag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.records import I64, U32, U64, Rows, Structured
    from tickertape.formats.kev.read_records import Converted

_PERIOD: Final = 1 << 32
_OVERTAKEN: Final = 1 << 20
_MOST_RECORDS: Final = 4092  # that fit into a BUFFER frame


@dataclass(slots=True)
class CpuClock:
    """State of one CPU after its last record.

    Attributes:
        ordinal: ordinal of the next record.
        sequence: sequence number of the next buffer.
        low: low word of the last time; None before the first record.
        time: last time in ticks, modulo 2^64.
        said: number of losses that the file reports before `time`.
        last: time of the last record written to the tape, ticks.
        segment: number of losses that the file reports before that record.
    """

    ordinal: int = 0
    sequence: int = 0
    low: int | None = None
    time: int = 0
    said: int = 0
    last: int = 0
    segment: int = 0

    def buffers(self, part: Converted, near: int | None) -> Iterator[bytes]:
        """Yield the CPU's next records as bodies of BUFFER frames.

        Args:
            part: at least one record, all of this CPU.
            near: latest time of another CPU in ticks, for first records of this CPU without a TIME;
                None when no time is known.
        """
        records = part.records
        starts = np.flatnonzero(records["header"].astype(np.uint32) < FIRST_PART)
        time = self._times(part.take(starts), near)
        kept = np.flatnonzero(~part.made)
        if not len(kept):
            return
        is_kept = ~part.made[starts]
        starts, time = np.searchsorted(kept, starts[is_kept]), time[is_kept]
        records, segment = records[kept], part.segment[kept]
        before, last = (self.segment, self.last) if self.ordinal else (None, None)
        cuts, flags = _cuts(starts, time, last, segment, before)
        ends = np.append(cuts[1:], len(records))
        # The anchor of a buffer is the time of its first SIMPLE or BEGIN; without one, any time.
        self.last = int(time[-1]) if len(time) else self.last
        known = np.append(time, np.uint64(self.last))
        ticks = known[np.searchsorted(starts, cuts)]
        self.segment = int(segment[-1])
        yield from self._bodies(records, cuts, ends, (ticks, flags))

    def _times(self, starts: Converted, near: int | None) -> U64:
        """Return the time of SIMPLE and BEGIN records, modulo 2^64."""
        if not len(starts.records):
            return np.empty(0, np.uint64)
        low = starts.records["time"].astype(np.uint32)
        first = int(low[0]) if self.low is None else self.low
        way = np.cumsum(_steps(low - np.concatenate([[np.uint32(first)], low[:-1]])))
        base = self._base(starts, way.view(np.uint64), near)
        time = base + way.view(np.uint64)
        self.low, self.time, self.said = int(low[-1]), int(time[-1]), int(starts.segment[-1])
        return time

    def _base(self, starts: Converted, way: U64, near: int | None) -> U64:
        """Return the base time of each record, from a TIME record; time is base plus `way`."""
        records, segment = starts.records, starts.segment
        rows = np.flatnonzero(starts.tells_time)
        msb, lsb, stamp = (
            records[name][rows].astype(np.uint64) for name in ("data0", "data1", "time")
        )
        late = _steps((stamp - lsb).astype(np.uint32))
        said = (msb << np.uint64(32)) + lsb + late.view(np.uint64) - way[rows]
        if self.low is None:
            begin, known = _guess(int(records["time"][0]), near), -1
        else:
            begin, known = self.time, self.said
        bases = np.concatenate([np.array([begin], np.uint64), said])
        valid_for = np.concatenate([[known], segment[rows], [-1]])
        number = np.searchsorted(rows, np.arange(len(records)), "right")
        following = np.minimum(number + 1, len(rows))
        is_stale = valid_for[number] != segment
        told_later = is_stale & (number < len(rows)) & (valid_for[following] == segment)
        return bases[np.where(told_later, following, number)]

    def _bodies(
        self, records: Structured, cuts: Rows, ends: Rows, rest: tuple[U64, I64]
    ) -> Iterator[bytes]:
        headers = np.zeros(len(cuts), BUFFER_HEADER_DTYPE)
        headers["first_ordinal"] = headers["sent"] = self.ordinal + cuts
        headers["ticks"], headers["flags"] = rest
        headers["sequence"] = (self.sequence + np.arange(len(cuts))) % _PERIOD
        headers["count"] = ends - cuts
        for number, (begin, end) in enumerate(zip(cuts.tolist(), ends.tolist(), strict=True)):
            yield headers[number].tobytes() + records[begin:end].tobytes()
        self.ordinal += len(records)
        self.sequence += len(cuts)


def _steps(ahead: U32) -> I64:
    """Convert differences modulo 2^32 to signed steps: forward, or at most 2^20 back."""
    steps: I64 = ahead.astype(np.int64)
    steps[steps >= _PERIOD - _OVERTAKEN] -= _PERIOD
    return steps


def _guess(low: int, near: int | None) -> int:
    """Return the time with low word `low` that is closest to `near`; `low` if that is None."""
    if near is None:
        return low
    return (near + (low - near + _PERIOD // 2) % _PERIOD - _PERIOD // 2) % (1 << 64)


def _cuts(
    starts: Rows, time: U64, last: int | None, segment: I64, before: int | None
) -> tuple[Rows, I64]:
    """Return the first row of each buffer, and its flags."""
    first = time[:1] if last is None else np.array([last], np.uint64)
    steps = np.diff(time, prepend=first).view(np.int64)
    turns = starts[(steps < 0) | (steps >= _PERIOD)]
    losses = np.flatnonzero(np.diff(segment, prepend=segment[0] if before is None else before))
    firsts = np.unique(np.concatenate([[0], turns, losses]).astype(np.intp))
    lengths = np.diff(np.append(firsts, len(segment)))
    pieces = -(-lengths // _MOST_RECORDS)
    inside = np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    cuts = np.repeat(firsts, pieces) + inside * _MOST_RECORDS
    flags = np.where(np.isin(cuts, losses), int(BufferFlag.LOSS_BEFORE), 0)
    return cuts, flags

"""Compiled version of `RingDecoder`; `ring` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tickertape._native.assembler import Assembler
from tickertape._native.engine import engine
from tickertape.decode import gaps as gaps_of
from tickertape.decode.events import EventColumns
from tickertape.decode.ring import RingDecoder
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, ByteOrder, record_dtype

if TYPE_CHECKING:
    from tickertape._native.assembler import Assembled
    from tickertape.decode.events import DecodeCounters
    from tickertape.decode.moves import Moves
    from tickertape.decode.records import U8, U64, Rows, Structured


def ring_decoder(
    ring: tuple[int, int],
    *,
    byte_order: ByteOrder,
    counters: DecodeCounters,
    epoch: int = 0,
    moves: Moves | None = None,
) -> RingDecoder:
    """Return the decoder of this process's engine; see `RingDecoder` for the arguments."""
    compiled = engine()
    if compiled is None:
        return RingDecoder(ring, byte_order=byte_order, counters=counters, epoch=epoch, moves=moves)
    assembler = Assembler(compiled, byte_order.name.lower())
    return CompiledRingDecoder(
        assembler, ring, byte_order=byte_order, counters=counters, epoch=epoch, moves=moves
    )


class CompiledRingDecoder(RingDecoder):
    """Returns the same events, gaps and counts as its base class."""

    def __init__(
        self,
        compiled: Assembler,
        ring: tuple[int, int],
        *,
        byte_order: ByteOrder,
        counters: DecodeCounters,
        epoch: int = 0,
        moves: Moves | None = None,
    ) -> None:
        """Start a ring.

        Args:
            compiled: a new assembler for this ring.
            ring: (stream, cpu).
            byte_order: byte order of the records.
            counters: counters to increment.
            epoch: boot of the target within the tape.
            moves: shared by all rings of a target with several CPUs; None for one CPU.
        """
        super().__init__(ring, byte_order=byte_order, counters=counters, epoch=epoch, moves=moves)
        self._assembler = compiled

    def feed(self, buffers: Structured, records: Structured) -> EventColumns:
        """Decode the next buffers; see the base class."""
        buffers, records, gap_buffers = self._usable(buffers, records)
        if not len(buffers):
            return self._take_nothing(last=False)
        return self._feed(buffers, records, gap_buffers)

    def feed_spread(self, buffers: Structured, data: U8, start: U64) -> EventColumns:
        """Decode the next buffers, without a copy of the records in the common case."""
        if self._last is None or not len(buffers) or not gaps_of.go_on(buffers, self._last):
            return super().feed_spread(buffers, data, start)
        return self._feed(buffers, data, np.empty(0, np.intp), start)

    def _feed(
        self,
        buffers: Structured,
        records: Structured | U8,
        gap_buffers: Rows,
        start: U64 | None = None,
    ) -> EventColumns:
        self._counters.records += int(buffers["count"].sum(dtype=np.int64))
        found = self._assembler.take(buffers, records, gap_buffers, start=start)
        self._note_missing(buffers, gap_buffers, found)
        self._last = gaps_of.receipt_behind(buffers[-1])
        return self._result(found)

    def finish(self) -> EventColumns:
        """End the input; return the events that were held back."""
        return self._take_nothing(last=True)

    def _take_nothing(self, *, last: bool) -> EventColumns:
        buffers = np.empty(0, BUFFER_HEADER_DTYPE)
        records = np.empty(0, record_dtype(self._byte_order))
        return self._result(self._assembler.take(buffers, records, np.empty(0, np.intp), last=last))

    def _note_missing(self, buffers: Structured, gap_buffers: Rows, found: Assembled) -> None:
        for number in gap_buffers.tolist():
            last = gaps_of.receipt_behind(buffers[number - 1]) if number else self._last
            if last is not None:
                ticks = found.ticks_before[number]
                self._gaps.append(gaps_of.gap_between(last, buffers[number], self._ring, ticks))

    def _result(self, found: Assembled) -> EventColumns:
        counters, columns = self._counters, found.columns
        counters.orphan_records += found.orphans
        counters.mismatched_events += found.mismatched
        counters.lost_records += found.lost_records
        counters.time_faults += found.time_faults
        counters.events += len(columns["header"])
        self._count_incomplete(found.given_up)
        ordinal = columns["ordinal"]
        return self._note_moves(
            EventColumns(
                epoch=self._epoch,
                byte_order=self._byte_order,
                stream=np.full(len(ordinal), self._ring[0], np.uint8),
                gaps=self._gaps_out(ordinal, found.held_ordinal) if self._gaps else (),
                **columns,
            )
        )

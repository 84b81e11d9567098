"""What receipts tell of a ring before its first buffer and behind its last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tickertape.analysis.balance import RingBalance
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader


def lost_before(reader: TapeReader, balance: RingBalance) -> tuple[int, int]:
    """Give how many records were lost before the first buffer, and when that was opened, ticks."""
    for chunk in reader.records_chunks(balance.ring):
        if len(chunk.buffers):
            first = chunk.buffers[0]
            count = int(first["first_ordinal"]) - balance.first_ordinal
            return max(count, 0), int(first["ticks"])
    return 0, 0


def last_ticks(reader: TapeReader, ring: RingKey) -> int:
    """Give the time of a ring's last counters; what is lost behind its end was lost by then."""
    return max((status.ticks for status in reader.statuses(ring)), default=0)

"""Find the gaps of a ring from the receipts before and after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.bodies import Receipt
from tickertape.decode.events import Gap
from tickertape.protocol.wire import BufferFlag

if TYPE_CHECKING:
    from tickertape.decode.records import I64, Rows, Structured


def ends_of(buffers: Structured) -> I64:
    """Return the ordinal after the last record of each buffer."""
    ends: I64 = (buffers["first_ordinal"] + buffers["count"]).astype(np.int64)
    return ends


def fresh(buffers: Structured, end: int) -> Rows | None:
    """Find the buffers whose ordinals are not repeated.

    Args:
        buffers: buffer headers in order.
        end: the ordinal after all earlier records.

    Returns:
        Indices of these buffers, ascending; None if these are all buffers.
    """
    firsts = buffers["first_ordinal"].astype(np.int64)
    ends = ends_of(buffers)
    if firsts[0] >= end and np.all(firsts[1:] >= ends[:-1]):
        return None
    kept = []
    for number, (first, stop) in enumerate(zip(firsts.tolist(), ends.tolist(), strict=True)):
        if first >= end:
            kept.append(number)
            end = stop
    return np.array(kept, np.intp)


def go_on(buffers: Structured, last: Receipt) -> bool:
    """Return whether the common case holds: no overlap, no gap, no empty buffer.

    Args:
        buffers: buffer headers in order, at least one.
        last: the receipt after the previous buffer.
    """
    firsts, counts = buffers["first_ordinal"], buffers["count"]
    ends = firsts + counts
    return bool(
        firsts[0] == last.ordinal
        and (firsts[1:] == ends[:-1]).all()
        and counts.all()
        and not (buffers["flags"] & BufferFlag.LOSS_BEFORE.value).any()
    )


def find_gaps(buffers: Structured, last: Receipt | None) -> Rows:
    """Return the indices of the buffers before which records are missing.

    Args:
        buffers: buffer headers in order, without repeated ordinals.
        last: the receipt after the previous buffer; None at the start of the ring.
    """
    firsts = buffers["first_ordinal"].astype(np.int64)
    before = int(firsts[0]) if last is None else last.ordinal
    missing = firsts != np.concatenate([[before], ends_of(buffers)[:-1]])
    missing |= (buffers["flags"] & BufferFlag.LOSS_BEFORE) != 0
    return np.flatnonzero(missing)


def receipt_behind(buffer: np.void) -> Receipt:
    """Return the receipt after the last record of a buffer."""
    count = int(buffer["count"])
    return Receipt(
        int(buffer["first_ordinal"]) + count, int(buffer["dropped"]), int(buffer["sent"]) + count
    )


def gap_between(
    last: Receipt, buffer: np.void, ring: tuple[int, int], begin_ticks: int | None
) -> Gap:
    """Return the gap between the receipt `last` and a buffer; the caller sets its `row`.

    If the two receipts contradict each other, the loss is unknown.
    """
    first = int(buffer["first_ordinal"])
    begin = Receipt(first, int(buffer["dropped"]), int(buffer["sent"]))
    known = last.leads_to(begin)
    dropped = begin.dropped - last.dropped if known else 0
    damaged = begin.sent - last.sent if known else 0
    overwritten = first - last.ordinal - dropped - damaged if known else 0
    return Gap(
        row=0,
        stream=ring[0],
        cpu=ring[1],
        first_ordinal=last.ordinal,
        end_ordinal=first,
        dropped=dropped,
        overwritten=overwritten,
        damaged=damaged,
        begin_ticks=begin_ticks,
        end_ticks=int(buffer["ticks"]),
        unknown=not known or bool(buffer["flags"] & BufferFlag.LOSS_BEFORE),
    )

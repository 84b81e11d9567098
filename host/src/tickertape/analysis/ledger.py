"""The ledger of one ring: computes its balance from its receipts, at any moment.

The law of loss (protocol/SPEC.md): between two receipts of a ring,
offered = delivered + overwritten + dropped + damaged, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.bodies import BufferHeader, Receipt
from tickertape.decode.gaps import ends_of, fresh
from tickertape.protocol.wire import BufferFlag

if TYPE_CHECKING:
    from tickertape.decode.bodies import Status
    from tickertape.decode.records import Structured


@dataclass(frozen=True, slots=True)
class Balance:
    """Records between two receipts, by their fate; `+` adds two balances.

    Attributes:
        offered: all records.
        delivered: stored on the tape.
        overwritten: replaced by newer records.
        dropped: no buffer was free.
        damaged: sent, but lost or changed on the link.
    """

    offered: int = 0
    delivered: int = 0
    overwritten: int = 0
    dropped: int = 0
    damaged: int = 0

    @property
    def lost(self) -> int:
        """Records offered but not delivered."""
        return self.offered - self.delivered

    @property
    def holds(self) -> bool:
        """True when the terms add up and none is negative."""
        terms = (self.delivered, self.overwritten, self.dropped, self.damaged)
        return min(terms) >= 0 and self.offered == sum(terms)

    def __add__(self, other: Balance) -> Balance:
        """Add term by term."""
        return Balance(
            self.offered + other.offered,
            self.delivered + other.delivered,
            self.overwritten + other.overwritten,
            self.dropped + other.dropped,
            self.damaged + other.damaged,
        )


def balance_between(first: Receipt, last: Receipt, delivered: int) -> Balance:
    """Apply the law to two receipts of one ring and the records received between them."""
    offered = last.ordinal - first.ordinal
    dropped = last.dropped - first.dropped
    sent = last.sent - first.sent
    return Balance(offered, delivered, offered - dropped - sent, dropped, sent - delivered)


@dataclass(slots=True)
class _Span:
    """A part of a ring whose receipts agree: no term of its balance is negative."""

    first: Receipt
    last: Receipt
    delivered: int = 0

    @property
    def balance(self) -> Balance:
        return balance_between(self.first, self.last, self.delivered)

    def agrees(self, receipt: Receipt) -> bool:
        """Return whether a receipt is consistent with both ends of the span."""
        return _agree(receipt, self.first) and _agree(receipt, self.last)

    def widen(self, receipt: Receipt) -> None:
        if receipt.ordinal < self.first.ordinal:
            self.first = receipt
        if receipt.ordinal > self.last.ordinal:
            self.last = receipt


def _agree(one: Receipt, other: Receipt) -> bool:
    return one.leads_to(other) if one.ordinal < other.ordinal else other.leads_to(one)


@dataclass(slots=True)
class RingLedger:
    """The receipts of one ring of one boot.

    Receipts that contradict each other come from a reset that the capture did not see, or from a
    broken target. The balance is then the sum over spans in which they agree. Losses between two
    spans are unknown, which `unknown_losses` and `contradictions` report.

    Attributes:
        first: the receipt at which the balance begins, None before any.
        last: the receipt at which the balance ends, None before any.
        delivered: records received.
        repeated: records received again, with ordinals already received; not in `delivered`.
        offered: records offered so far, by the last STATUS.
        unknown_losses: places at which records are missing that no receipt counts.
        level: the first and the last STATUS at which nothing was waiting in the ring, so that the
            counters of the classes cover the same records as the receipt.
        contradictions: one line for each pair of receipts that cannot both be true.
    """

    delivered: int = 0
    repeated: int = 0
    offered: int = 0
    unknown_losses: int = 0
    level: list[Status] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    _earlier: Balance = field(default_factory=Balance)  # of the spans before the current one
    _begin: Receipt | None = None  # of the first span, once there is another
    _span: _Span | None = None
    _behind: Receipt | None = None  # of the last buffer
    _settled: Receipt | None = None  # of the last STATUS that was not final
    _final: Receipt | None = None

    def buffer(self, header: BufferHeader) -> None:
        """Add the header of a received buffer."""
        before = self._behind
        if before is not None and header.first_ordinal < before.ordinal:
            self.repeated += header.count
            return
        span = self._span
        if before is not None:
            self.unknown_losses += bool(header.flags & BufferFlag.LOSS_BEFORE)
        if span is None:
            span = self._span = _Span(header.begin, header.begin)
        elif (before is not None and not before.leads_to(header.begin)) or not (
            span.agrees(header.begin) and span.agrees(header.end)
        ):
            self._contradict(before or span.last, header.begin)
            span = self._break(header.begin)
        span.widen(header.begin)
        span.widen(header.end)
        span.delivered += header.count
        self.delivered += header.count
        self._behind = header.end

    def buffers(self, headers: Structured) -> None:
        """Take many headers at once: structured, `wire.BUFFER_HEADER_DTYPE`, in order."""
        if not len(headers):
            return
        one_by_one = fresh(headers, self._behind.ordinal if self._behind else 0) is not None
        last = header_of(headers[-1]).end
        if one_by_one or not _is_chain(headers) or not (self._span is None or self._agrees(last)):
            for row in headers:
                self.buffer(header_of(row))
            return
        self.buffer(header_of(headers[0]))
        if len(headers) > 1 and self._span is not None:
            self._span.widen(last)
            self._behind = last
            flags = headers["flags"][1:]
            self.unknown_losses += int(np.count_nonzero(flags & BufferFlag.LOSS_BEFORE))
            count = int(headers["count"][1:].sum(dtype=np.int64))
            self._span.delivered += count
            self.delivered += count

    def status(self, status: Status) -> None:
        """Add the counters of the ring."""
        settled, span = status.settled, self._span
        if span is None:
            span = self._span = _Span(settled, settled)
        if self._settled is not None and not self._settled.leads_to(settled):
            self._contradict(self._settled, settled)
        elif not span.agrees(settled):
            self._contradict(span.last, settled)
        else:
            span.widen(settled)
        if not status.final:  # a final STATUS may repeat the receipt of the last buffer
            self._settled = settled
        self.offered = max(self.offered, status.offered)
        if status.final:
            self._final = settled
        if status.offered == settled.ordinal and status.classes:
            self.level[1:] = [status]

    @property
    def first(self) -> Receipt | None:
        """The receipt at which the balance begins."""
        return self._begin or (self._span.first if self._span else None)

    @property
    def last(self) -> Receipt | None:
        """The receipt at which the balance ends."""
        return self._span.last if self._span else None

    @property
    def balance(self) -> Balance:
        """Balance from the first receipt to the last, without records between two spans."""
        return self._earlier + self._span.balance if self._span else self._earlier

    @property
    def final(self) -> bool:
        """True when no record was offered after the last receipt (final STATUS)."""
        return self._final is not None and self._final == self.last

    @property
    def unsettled(self) -> int:
        """Records known to be offered after the last receipt; their fate is unknown."""
        return max(0, self.offered - (self.last.ordinal if self.last else 0))

    def problems(self) -> tuple[str, ...]:
        """Return all contradictions and the number of repeated records, one line each."""
        found = list(self.contradictions)
        if self.repeated:
            found.append(f"{self.repeated} records came twice and are counted once")
        return tuple(found)

    def _agrees(self, receipt: Receipt) -> bool:
        return self._span is not None and self._span.agrees(receipt)

    def _break(self, receipt: Receipt) -> _Span:
        """Begin another span; losses before it are unknown."""
        self.unknown_losses += 1
        if self._span is not None:
            self._earlier += self._span.balance
            self._begin = self._begin or self._span.first
        self._span = _Span(receipt, receipt)
        return self._span

    def _contradict(self, before: Receipt, after: Receipt) -> None:
        self.contradictions.append(
            f"the receipts at the ordinals {before.ordinal} and {after.ordinal} contradict each"
            f" other: {after.ordinal - before.ordinal} records offered,"
            f" {after.dropped - before.dropped} dropped, {after.sent - before.sent} sent; what was"
            " lost between them is unknown"
        )


def _is_chain(headers: Structured) -> bool:
    """Return whether each buffer can follow the previous one; ordinals have to ascend."""
    offered = headers["first_ordinal"][1:].astype(np.int64) - ends_of(headers)[:-1]
    dropped = np.diff(headers["dropped"].astype(np.int64))
    counts = headers["count"][:-1].astype(np.int64)
    sent = np.diff(headers["sent"].astype(np.int64)) - counts
    return not ((dropped < 0) | (sent < 0) | (dropped + sent > offered)).any()


def header_of(row: np.void) -> BufferHeader:
    """Return a row of `wire.BUFFER_HEADER_DTYPE` as a `BufferHeader`."""
    return BufferHeader(*row.item())

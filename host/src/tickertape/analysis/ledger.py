"""The books of one ring: receipts in, balance out, at any moment.

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
        offered: all of them.
        delivered: are here.
        overwritten: gave way to newer ones.
        dropped: no buffer was free.
        damaged: were sent, but did not arrive whole.
    """

    offered: int = 0
    delivered: int = 0
    overwritten: int = 0
    dropped: int = 0
    damaged: int = 0

    @property
    def lost(self) -> int:
        """Offered and not delivered."""
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
class RingLedger:
    """The receipts of one ring of one boot.

    Attributes:
        first: the earliest receipt, None before any.
        last: the latest receipt.
        delivered: records received.
        repeated: records received whose ordinals had come before; not in `delivered`.
        offered: records offered so far, by the last STATUS.
        unknown_losses: places at which records are missing that no receipt counts.
        level: the first and the last STATUS at which nothing was waiting in the ring, so that the
            counters of the classes speak of the same records as the receipt.
        contradictions: one line for each pair of receipts that cannot both be true.
    """

    first: Receipt | None = None
    last: Receipt | None = None
    delivered: int = 0
    repeated: int = 0
    offered: int = 0
    unknown_losses: int = 0
    level: list[Status] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    _behind: Receipt | None = None  # of the last buffer
    _settled: Receipt | None = None  # of the last STATUS
    _final: Receipt | None = None

    def buffer(self, header: BufferHeader) -> None:
        """Take the header of a buffer that was received."""
        before = self._behind
        if before is not None and header.first_ordinal < before.ordinal:
            self.repeated += header.count
            return
        if before is not None:
            self._compare(before, header.begin)
            self.unknown_losses += bool(header.flags & BufferFlag.LOSS_BEFORE)
        self._take(header.begin)
        self._take(header.end)
        self._behind = header.end
        self.delivered += header.count

    def buffers(self, headers: Structured) -> None:
        """Take many headers at once: structured, `wire.BUFFER_HEADER_DTYPE`, in order."""
        if not len(headers):
            return
        if fresh(headers, self._behind.ordinal if self._behind else 0) is not None:
            for row in headers:
                self.buffer(header_of(row))
            return
        self.buffer(header_of(headers[0]))
        last = header_of(headers[-1])
        if len(headers) > 1:
            self._check_chain(headers)
            self._take(last.end)
            self._behind = last.end
            flags = headers["flags"][1:]
            self.unknown_losses += int(np.count_nonzero(flags & BufferFlag.LOSS_BEFORE))
            self.delivered += int(headers["count"][1:].sum(dtype=np.int64))

    def status(self, status: Status) -> None:
        """Take the counters of the ring."""
        same = self.last is not None and self.last.ordinal == status.settled.ordinal
        before = self.last if same else self._settled
        if before is not None:
            self._compare(before, status.settled)
        self._settled = status.settled
        self._take(status.settled)
        self.offered = max(self.offered, status.offered)
        if status.final:
            self._final = status.settled
        if status.offered == status.settled.ordinal and status.classes:
            self.level[1:] = [status]

    @property
    def balance(self) -> Balance:
        """From the first receipt to the last."""
        if self.first is None or self.last is None:
            return Balance()
        return balance_between(self.first, self.last, self.delivered)

    @property
    def final(self) -> bool:
        """True when the target said that nothing follows the last receipt."""
        return self._final is not None and self._final == self.last

    @property
    def unsettled(self) -> int:
        """Records known to be offered after the last receipt; what became of them is unknown."""
        return max(0, self.offered - (self.last.ordinal if self.last else 0))

    def problems(self) -> tuple[str, ...]:
        """Give all contradictions, those of the whole balance included."""
        found = list(self.contradictions)
        if not self.balance.holds:
            found.append(f"the receipts do not add up: {self.balance}")
        if self.repeated:
            found.append(f"{self.repeated} records came twice and are counted once")
        return tuple(found)

    def _take(self, receipt: Receipt) -> None:
        """Widen the span of the balance."""
        if self.first is None or receipt.ordinal < self.first.ordinal:
            self.first = receipt
        if self.last is None or receipt.ordinal > self.last.ordinal:
            self.last = receipt

    def _compare(self, before: Receipt, after: Receipt) -> None:
        """Check that the later receipt has only grown, and by what was offered at most."""
        offered = after.ordinal - before.ordinal
        dropped = after.dropped - before.dropped
        sent = after.sent - before.sent
        if min(offered, dropped, sent) < 0 or dropped + sent > offered:
            self.contradictions.append(
                f"between the ordinals {before.ordinal} and {after.ordinal} {offered} records"
                f" were offered, {dropped} dropped and {sent} sent"
            )

    def _check_chain(self, headers: Structured) -> None:
        """Compare each buffer with the one before; headers are fresh, so ordinals only grow."""
        offered = headers["first_ordinal"][1:].astype(np.int64) - ends_of(headers)[:-1]
        dropped = np.diff(headers["dropped"].astype(np.int64))
        counts = headers["count"][:-1].astype(np.int64)
        sent = np.diff(headers["sent"].astype(np.int64)) - counts
        wrong = (dropped < 0) | (sent < 0) | (dropped + sent > offered)
        for number in np.flatnonzero(wrong).tolist():
            self._compare(header_of(headers[number]).end, header_of(headers[number + 1]).begin)


def header_of(row: np.void) -> BufferHeader:
    """Make a value of one row of `wire.BUFFER_HEADER_DTYPE`."""
    return BufferHeader(*row.item())

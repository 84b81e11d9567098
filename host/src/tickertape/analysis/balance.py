"""The balance of a tape: records offered, delivered and lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tickertape.analysis.ledger import Balance, RingLedger, balance_between
from tickertape.decode.bodies import ClassCounters, Receipt
from tickertape.decode.gaps import ends_of, fresh
from tickertape.protocol.wire import CLASS_MASK, CLASS_SHIFT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.decode.records import I64
    from tickertape.tape.format import RecordsChunk, RingKey
    from tickertape.tape.reader import TapeReader

__all__ = ["Balance", "ClassBalance", "RingBalance", "TapeBalance", "balance_of"]

_CLASS_COUNT = CLASS_MASK + 1
_COUNTER_LIMIT = 1 << 32


@dataclass(frozen=True, slots=True)
class ClassBalance:
    """The balance by class, between two moments at which no record waited in the ring.

    Attributes:
        first_ordinal: ordinal at which it begins; not before the balance of the ring.
        end_ordinal: ordinal at which it ends; not after the balance of the ring.
        classes: balance of each class that occurs, by class number.
    """

    first_ordinal: int
    end_ordinal: int
    classes: Mapping[int, Balance]


@dataclass(frozen=True, slots=True)
class RingBalance:
    """The balance of one ring of one boot.

    Attributes:
        ring: the ring.
        balance: balance from the first receipt to the last, without records between two receipts
            that contradict each other.
        first_ordinal: ordinal of the first receipt.
        end_ordinal: ordinal of the last receipt.
        final: no record was offered after the last receipt (final STATUS). Otherwise
            the number of such records is unknown.
        unsettled: records known to be offered after the last receipt; there may be more.
        by_class: the balance by class, None if the target's counters do not allow it or
            contradict each other, or the byte order of the records is unknown without HELLO.
        contradictions: one line for each way in which the receipts contradict each other.
        unknown_losses: places at which records are missing that no receipt counts; the balance
            does not include them.
    """

    ring: RingKey
    balance: Balance
    first_ordinal: int
    end_ordinal: int
    final: bool
    unsettled: int
    by_class: ClassBalance | None
    contradictions: tuple[str, ...]
    unknown_losses: int = 0


@dataclass(frozen=True, slots=True)
class TapeBalance:
    """The balance of a whole tape, ring by ring and boot by boot."""

    rings: tuple[RingBalance, ...]

    @property
    def total(self) -> Balance:
        """Sum over rings and boots."""
        return sum((ring.balance for ring in self.rings), Balance())

    @property
    def unknown_losses(self) -> int:
        """Number of places in rings where an unknown number of records is missing."""
        return sum(ring.unknown_losses for ring in self.rings)

    @property
    def final(self) -> bool:
        """True when no record was offered after the last receipt of any ring."""
        return bool(self.rings) and all(ring.final for ring in self.rings)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Contradictions of all rings, each with its ring; empty in a consistent tape."""
        return tuple(
            f"epoch {ring.ring.epoch}, stream {ring.ring.stream}, CPU {ring.ring.cpu}: {line}"
            for ring in self.rings
            for line in ring.contradictions
        )


def balance_of(reader: TapeReader, *, by_class: bool = True) -> TapeBalance:
    """Compute the balance of a tape.

    Args:
        reader: the tape.
        by_class: whether to count the records of each class as well, which takes longer.
    """
    return TapeBalance(tuple(_ring_balance(reader, ring, by_class) for ring in reader.rings))


def _ring_balance(reader: TapeReader, ring: RingKey, by_class: bool) -> RingBalance:  # noqa: FBT001 - private
    ledger = RingLedger()
    for chunk in reader.records_chunks(ring):
        ledger.buffers(chunk.buffers)
    for status in reader.statuses(ring):
        ledger.status(status)
    problems = list(ledger.problems())
    classes = _class_balance(reader, ring, ledger) if by_class else None
    if classes is not None and not all(one.holds for one in classes.classes.values()):
        problems += [
            f"the counters of class {number} do not add up: {balance}"
            for number, balance in classes.classes.items()
            if not balance.holds
        ]
        classes = None
    return RingBalance(
        ring=ring,
        balance=ledger.balance,
        first_ordinal=ledger.first.ordinal if ledger.first else 0,
        end_ordinal=ledger.last.ordinal if ledger.last else 0,
        final=ledger.final,
        unsettled=ledger.unsettled,
        by_class=classes,
        contradictions=tuple(problems),
        unknown_losses=ledger.unknown_losses,
    )


def _class_balance(reader: TapeReader, ring: RingKey, ledger: RingLedger) -> ClassBalance | None:
    """Balance the classes between the first and the last moment with exact counters."""
    if not ledger.level or ledger.first is None or ledger.contradictions:
        return None
    if ring.epoch not in reader.hellos:
        return None  # without HELLO, the byte order of records and thus their classes are a guess
    high = ledger.level[-1]
    nothing = (ClassCounters(0, 0, 0),) * len(high.classes)
    if ledger.first.ordinal == 0:
        first, before = Receipt(0, 0, 0), nothing  # at boot every counter is zero
    else:
        first, before = ledger.level[0].settled, ledger.level[0].classes
    last = high.settled
    if last.ordinal <= first.ordinal or len(before) != len(high.classes):
        return None
    received = _received(reader, ring, first.ordinal, last.ordinal)
    classes = {
        number: _one_class(low, up, int(received[number]))
        for number, (low, up) in enumerate(zip(before, high.classes, strict=True))
    }
    total = sum(classes.values(), Balance())
    # Counters of 32 bits wrap after 2^32 records.
    if total != balance_between(first, last, int(received.sum())):
        return None
    occurring = {number: balance for number, balance in classes.items() if balance.offered}
    return ClassBalance(first.ordinal, last.ordinal, occurring)


def _one_class(before: ClassCounters, after: ClassCounters, delivered: int) -> Balance:
    dropped = (after.dropped - before.dropped) % _COUNTER_LIMIT
    overwritten = (after.overwritten - before.overwritten) % _COUNTER_LIMIT
    sent = (after.sent - before.sent) % _COUNTER_LIMIT
    return Balance(
        offered=dropped + overwritten + sent,
        delivered=delivered,
        overwritten=overwritten,
        dropped=dropped,
        damaged=sent - delivered,
    )


def _received(reader: TapeReader, ring: RingKey, first: int, end: int) -> I64:
    """Count the records of each class with ordinals from `first` up to `end`."""
    counts = np.zeros(_CLASS_COUNT, np.int64)
    behind = 0
    for chunk in reader.records_chunks(ring):
        wanted, behind = _wanted_buffers(chunk, behind, first, end)
        header = chunk.records["header"]
        if not wanted.all():
            header = header[np.repeat(wanted, chunk.buffers["count"].astype(np.intp))]
        classes = (header >> CLASS_SHIFT) & CLASS_MASK
        counts += np.bincount(classes.astype(np.intp), minlength=_CLASS_COUNT)
    return counts


def _wanted_buffers(
    chunk: RecordsChunk, behind: int, first: int, end: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], int]:
    """Return a mask of the buffers within the ordinals, without repetitions, and the new end."""
    ends = ends_of(chunk.buffers)
    wanted = (chunk.buffers["first_ordinal"] >= first) & (ends <= end)
    kept = fresh(chunk.buffers, behind) if len(chunk.buffers) else None
    if kept is not None:
        only: Sequence[bool] = [False] * len(wanted)
        again = np.array(only)
        again[kept] = True
        wanted &= again
    return wanted, max(behind, int(ends.max(initial=0)))

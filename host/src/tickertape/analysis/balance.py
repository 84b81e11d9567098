"""The law of loss: offered = delivered + overwritten + dropped + damaged (protocol/SPEC.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, slots=True)
class Balance:
    """Records between two receipts, by their fate. Adds up exactly; `+` adds two balances."""

    offered: int = 0
    delivered: int = 0
    overwritten: int = 0
    dropped: int = 0
    damaged: int = 0

    @property
    def lost(self) -> int:
        """Offered and not delivered."""
        return self.offered - self.delivered

    def __add__(self, other: Balance) -> Balance:
        """Add term by term."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class RingBalance:
    """The balance of one ring of one boot.

    Attributes:
        ring: which.
        balance: from the first receipt to the last.
        first_ordinal, end_ordinal: of these receipts.
        final: a final STATUS was seen: nothing was offered after the last receipt. Otherwise what
            came after it is unknown.
        by_class: the same per class number; None where the target's counters do not allow it.
        contradictions: one line for each way in which the receipts contradict each other.
    """

    ring: RingKey
    balance: Balance
    first_ordinal: int
    end_ordinal: int
    final: bool
    by_class: Mapping[int, Balance] | None
    contradictions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TapeBalance:
    """The balance of a whole tape."""

    rings: tuple[RingBalance, ...]

    @property
    def total(self) -> Balance:
        """Sum over rings and boots."""
        raise NotImplementedError

    @property
    def final(self) -> bool:
        """True when nothing was offered after the last receipt of any ring."""
        raise NotImplementedError

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Those of all rings; empty in a consistent tape."""
        raise NotImplementedError


def balance_of(reader: TapeReader, *, by_class: bool = True) -> TapeBalance:
    """Compute the balance of a tape.

    Args:
        reader: the tape.
        by_class: whether to look at every record to count classes; without it only buffer headers
            are read.
    """
    raise NotImplementedError

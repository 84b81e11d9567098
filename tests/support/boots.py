"""Boots for tests: every epoch with the same names, and a clock of a given rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.decode.ticks import Clock
from tickertape.model.boot import Boot
from tickertape.model.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.model.boot import BootOf


def boots(names: Names | Callable[[int], Names] | None = None, hz: int = 1_000_000_000) -> BootOf:
    """Return boots with these names (one object, a maker, or none) and this clock rate."""

    def boot(epoch: int) -> Boot:
        known = names(epoch) if callable(names) else names or Names({})
        return Boot(Clock(hz), known)

    return boot

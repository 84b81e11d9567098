"""Make boots for tests, with given names and a clock of a given rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.decode.ticks import Clock
from tickertape.model.boot import Boot
from tickertape.model.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.model.boot import BootOf


def boots(names: Names | Callable[[int], Names] | None = None, hz: int = 1_000_000_000) -> BootOf:
    """Return a function from epoch to boot.

    Args:
        names: names for all epochs, or a function from epoch to names; None: no names.
        hz: rate of the clock.
    """

    def boot(epoch: int) -> Boot:
        known = names(epoch) if callable(names) else names or Names({})
        return Boot(Clock(hz), known)

    return boot

"""The clock of a target: convert ticks to time and back.

Without a HELLO the rate of the clock is unknown (`tick_hz` is None). All output then shows one tick
as one nanosecond and reports the rate as unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import UsageError

if TYPE_CHECKING:
    from tickertape.decode.bodies import Hello
    from tickertape.decode.records import I64, U64

NS_PER_S: Final = 1_000_000_000
_LAST_SECOND: Final = (1 << 63) // NS_PER_S - 1
_LAST_TICK: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Clock:
    """Converts between ticks and nanoseconds, both from the start of the target's clock.

    Attributes:
        tick_hz: rate in Hz; None if unknown.
    """

    tick_hz: int | None

    @property
    def hz(self) -> int:
        """Rate for conversions: 1 GHz if unknown, so that a tick is shown as a nanosecond."""
        return self.tick_hz or NS_PER_S

    def ns(self, ticks: int) -> int:
        """Return ticks in nanoseconds, rounded down."""
        return ticks * NS_PER_S // self.hz

    def known_ns(self, ticks: int) -> int | None:
        """Return ticks in nanoseconds, rounded down; None if the rate is unknown."""
        return None if self.tick_hz is None else self.ns(ticks)

    def require(self, ticks: int) -> None:
        """Refuse a time that does not fit into 63 bits of nanoseconds (292 years).

        Raises:
            UsageError: it does not fit.
        """
        if ticks // self.hz > _LAST_SECOND:
            raise UsageError(
                "the target's clock is past 292 years, which 64-bit nanoseconds cannot hold",
                "copy a part of the tape before that with 'tickertape cut'",
            )

    def ns_column(self, ticks: U64) -> I64:
        """Return many times in nanoseconds, rounded down, without intermediate overflow.

        Raises:
            UsageError: a time does not fit into 63 bits of nanoseconds (292 years).
        """
        hz = self.hz
        self.require(int(ticks.max()) if len(ticks) else 0)
        if NS_PER_S % hz == 0:
            return (ticks * np.uint64(NS_PER_S // hz)).view(np.int64)
        whole, rest = np.divmod(ticks, np.uint64(hz))
        rest *= np.uint64(NS_PER_S)
        rest //= np.uint64(hz)
        whole *= np.uint64(NS_PER_S)
        whole += rest
        return whole.view(np.int64)

    def ticks_between(self, begin_ns: int | None, end_ns: int | None) -> tuple[int, int] | None:
        """Return the first and the last tick whose time, rounded down, lies in a range.

        Args:
            begin_ns: first nanosecond of the range; None for no limit.
            end_ns: last nanosecond of the range; None for no limit.

        Returns:
            Ticks below 2^64; if no tick is in the range, the last one is less than the first.
            None if the range is outside of the clock's 64 bits.
        """
        first = 0 if begin_ns is None else max(0, -(-begin_ns * self.hz // NS_PER_S))
        last = _LAST_TICK
        if end_ns is not None:
            last = min(last, -(-(end_ns + 1) * self.hz // NS_PER_S) - 1)
        return (first, last) if first <= _LAST_TICK and last >= 0 else None


def clock_of(hello: Hello | None) -> Clock:
    """Return the clock of a HELLO; its rate is unknown without a HELLO or with a rate of 0."""
    return Clock(hello.tick_hz if hello is not None and hello.tick_hz else None)

"""`info` names the target's clock as the flags of HELLO state it."""

from __future__ import annotations

import pytest

from tickertape.cli.screen import clock_words
from tickertape.protocol.wire import ClockSource, HelloFlag

STOPS = "stops in sleep or has another rate: idle times are too short"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (0, ""),
        (HelloFlag.COOPERATIVE | 7 << 8, ""),
        (ClockSource.TIMER << 16, "timer"),
        (
            ClockSource.KERNEL << 16 | HelloFlag.CLOCK_RUNS_IN_SLEEP,
            "clock of the kernel, runs in sleep",
        ),
        (
            ClockSource.CYCLE_COUNTER << 16 | HelloFlag.CLOCK_STOPS,
            f"cycle counter of the processor, {STOPS}",
        ),
        (15 << 16, ""),  # of a newer target
    ],
)
def test_the_clock_is_named(flags: int, expected: str) -> None:
    assert clock_words(flags) == expected

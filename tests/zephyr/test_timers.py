"""Zephyr's events of a kernel timer that expires in an interrupt and calls its function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    build,
    needs_zephyr,
    run,
)

if TYPE_CHECKING:
    from pathlib import Path

BOARD = "mps2_an385"

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def test_the_interrupt_of_the_tick_runs_the_function_of_a_timer(tmp_path: Path) -> None:
    trace = run(build(APPS / "objects", BOARD), BOARD, tmp_path / "T.tape")
    names = [event.name for event in trace.events]
    assert names.count("SCHED.TIMER") == 1
    at = names.index("SCHED.TIMER")
    assert names[at - 1 : at + 4] == [
        "INT.ENTRY",
        "SCHED.TIMER",
        "INT.HANDLER_ENTRY",
        "THREAD.READY",
        "INT.HANDLER_EXIT",
    ]
    entry, expiry, begin, ready, end = trace.events[at - 1 : at + 4]
    assert (trace.symbols.lookup(expiry.words[0]), expiry.words[1]) == ("timer", 1)
    assert entry.words[0] == begin.words[0] == end.words[0]
    assert trace.symbols.lookup(begin.words[1]) == "expired"
    assert ready.words[1] == trace.tids["main"]

"""The page leads to the longest wait for a fork on a tape of Zephyr's philosophers.

The tape contains the first 0.8 s of the Zephyr module's sample on mps2_an385 in QEMU.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.served import Served

pytestmark = pytest.mark.process

TAPE = Path(__file__).parents[1] / "data/zephyr/philosophers.tape"
MOST_ACTIONS = 6


def test_the_longest_wait_for_a_fork_is_three_actions_away(
    page: Page, serve: Callable[[Path], Served]
) -> None:
    wait, begin, fork, waiter, holder = longest_wait()
    served = serve(TAPE)
    page.goto(served.server.address)
    page.wait_for_selector("body[data-ready]")
    for name in ("Aristotle", "Confucius", "Hypatia", "Laozi", "Plato"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    page.get_by_role("button", name="Statistics").click()
    # Choose the fork with the longest contention.
    lines = page.locator("#stats-body tr").filter(has_text="overfull")
    lines.filter(has_text=f"{wait / 1e6:.3f} ms").get_by_role("button").click()
    expect(page.locator("#readout")).to_contain_text(f"{begin // 10**9}.{begin % 10**9:09d}")
    expect(page.locator("#labels li.chosen")).to_contain_text(f"mutex {fork:#x}")
    # The next arrow of the fork is the hand-over that ends this wait.
    page.keyboard.press("f")
    expect(page.locator("#status")).to_contain_text(f"{holder} hands over to {waiter}")


def longest_wait() -> tuple[int, int, int, str, str]:
    """Return the longest time in which a fork had a waiter, computed from the events.

    Returns:
        Length and begin of the time in ns, address of the fork, first waiter, owner of the fork.
    """
    names: dict[int, str] = {}
    waits: dict[int, tuple[int, int, int]] = {}
    found: list[tuple[int, int, int, str, str]] = []
    runs = 0
    with TapeReader(TAPE) as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert total.lost == 0
        clock = reader.clock(0)
        for event in (one for columns in iter_events(reader) for one in columns.events()):
            words = event.words
            match event.name:
                case "THREAD.NAME":
                    names[words[1]] = str(event.text)
                case "SCHED.CONTEXT_SWITCH":
                    runs = words[1]
                case "SYNC.MUTEX_LOCK_DENIED":
                    waits.setdefault(words[0], (event.time_ticks, runs, words[1]))
                case "SYNC.MUTEX_UNLOCK" if words[0] in waits:
                    ticks, waiter, holder = waits.pop(words[0])
                    wait, begin = clock.ns(event.time_ticks - ticks), clock.ns(ticks)
                    found.append((wait, begin, words[0], names[waiter], names[holder]))
    return max(found)

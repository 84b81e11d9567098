"""Ten million events in a real browser: a sample first, then all rows, down to one event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support.patience import HANG_S
from tests.support.viewing import viewing
from tickertape.analysis.balance import balance_of
from tickertape.answers.statistics import statistics_of
from tickertape.tape import TapeReader
from tools.bench.mix import services, write_tape

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.process

EVENTS = 10_000_000


def test_ten_million_events(tmp_path: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tape = tmp_path / "T.tape"
    assert write_tape(tape, EVENTS, services()) == EVENTS
    with TapeReader(tape) as reader:
        balance = balance_of(reader).total
        assert balance.offered == balance.delivered == EVENTS
        (boot,) = statistics_of(reader)
    busiest = boot.processes[0]
    with viewing(tmp_path, "T.tape", "--quiet") as (_, address):
        page.goto(address)
        page.wait_for_selector("body[data-drawn]")
        expect(page.get_by_role("button", name=busiest.name, exact=True)).to_be_visible()
        page.wait_for_selector("body[data-complete][data-drawn]", timeout=HANG_S * 1000)
        expect(page.locator("#summary")).to_contain_text(f"{EVENTS} events")
        page.locator("#chart").focus()
        page.keyboard.press("r")
        expect(page.locator("#stats-losses")).to_contain_text("Nothing is missing")
        ns = boot.clock.ns(int(busiest.ticks.value or 0))
        mine = page.locator("#stats-body tr").filter(has_text=busiest.name).all_inner_texts()
        assert [one for one in mine if f"running\t{ns / 1e9:g} s\t" in one], mine
        page.locator("#chart").focus()
        for _ in range(40):
            page.keyboard.press("+")
        # The window shrinks from 70 s to 2 ns; the list begins with the tape's first event.
        expect(page.locator("#readout")).to_contain_text("showing 2 ns")
        expect(page.locator("#events li").first).to_contain_text("0.000000000")
        page.goto("about:blank")  # leave the page before the server ends

"""Findings on the page, and pages in files that contain a part of a tape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.viewing import clock, opened
from tickertape.answers import rules
from tickertape.view.export import write_page
from tickertape.view.index import open_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.support.served import Served

pytestmark = pytest.mark.process


def test_a_finding_leads_to_its_place(
    page: Page,
    serve: Callable[[Path], Served],
    inversion: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two actions lead to the inversion, on the server's page and on a page in a file."""
    monkeypatch.setattr(rules, "KEPT", 5)
    served = serve(inversion)
    html = tmp_path / "inversion.html"
    with open_index(inversion) as index:
        write_page(index, html)
    (known,) = (one for one in served.ask("findings")["groups"] if one["count"])
    worst = known["found"][0]
    for address in (served.server.address, html.as_uri()):
        opened(page, address)
        page.get_by_role("button", name="Findings").click()
        expect(page.locator("#findings-text")).to_have_text(f"{known['count']} findings.")
        lines = page.locator("#findings-list li")
        expect(lines.first).to_contain_text("inversion: less urgent tasks ran for 3.006 ms")
        assert Axe().run(page).violations_count == 0
        lines.first.get_by_role("button").click()
        expect(page.locator("#labels li.chosen")).to_contain_text("high")
        expect(page.locator("#readout")).to_contain_text(f"at {clock(worst['begin'])}")
        page.wait_for_url(re.compile(rf"&at={worst['begin']}&row=task%3Ahigh$"))
        shown = re.search(r"#from=(\d+)&to=(\d+)", page.url)
        assert shown is not None
        assert int(shown[1]) < worst["begin"] < worst["end"] < int(shown[2])
        more = known["count"] - len(known["found"])
        assert more > 0
        expect(lines.last).to_have_text(f"and {more} more of inversion")
        page.keyboard.press("Escape")
        expect(page.locator("#findings")).to_be_hidden()


def test_a_part_in_a_file_is_that_part_of_the_tape(
    page: Page,
    serve: Callable[[Path], Served],
    inversion: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The file shows the statistics, events and text of the range on the server's page."""
    monkeypatch.setattr(rules, "KEPT", 5)
    served = serve(inversion)
    html = tmp_path / "part.html"
    begin, end = 100_000_000, 110_000_000
    with open_index(inversion) as index:
        written = write_page(index, html, begin=begin, end=end)
        total = index.about["events"]
    shown = []
    fragment = f"#from={begin}&to={end}&at={begin + 5_000_000}&row=task%3Ahigh"
    for address in (served.server.address, html.as_uri()):
        opened(page, address + fragment)
        expect(page.locator("#labels li.chosen")).to_contain_text("high")
        page.get_by_role("button", name="Statistics").click()
        expect(page.locator("#stats-body tr").first).to_be_visible()
        expect(page.locator("#events li[aria-current]")).to_be_visible()
        rows = page.locator("#stats-body").inner_text()
        event = page.locator("#events li[aria-current]").inner_text()
        expect(page.locator("#readout")).to_contain_text("showing 10 ms")
        shown.append((rows, event))
    assert shown[0] == shown[1]
    summary = page.locator("#summary")
    expect(summary).to_contain_text(f"{written.events} events")
    expect(summary).to_contain_text(
        f"A part of a tape with {total} events: 10 ms from 0.100000000 s"
    )
    page.get_by_role("button", name="Findings").click()
    expect(page.locator("#findings-text")).to_contain_text("more may lie in this file")

"""The page in Chromium: actions of a user on the timeline, by mouse and by keys alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.columns import Row, born, switch
from tests.support.lossy_tapes import lossy
from tests.support.row_tapes import row_tape
from tests.support.target import SimulatedTarget
from tests.support.viewing import clock, opened
from tests.view.held_index import RECORDS, held, large_tape
from tests.view.marked_tapes import STARTS, marked
from tickertape.tape import TapeReader
from tickertape.view.export import write_page
from tickertape.view.index import open_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.support.served import Served

pytestmark = pytest.mark.process

HOSTILE = "<img src=x onerror=alert(1)>'\"&amp;</script><b>"
SWITCH, CREATE, NAME = (9, 0), (4, 0), (4, 320)


def test_a_person_finds_the_longest_wait_for_a_lock(
    page: Page, serve: Callable[[Path], Served], inversion: Path
) -> None:
    served = serve(inversion)
    opened(page, served.server.address)
    # Two actions: open the statistics, choose the longest contention of the lock.
    page.get_by_role("button", name="Statistics").click()
    row = page.locator("#stats-body tr").filter(has_text="overfull").first
    expect(row).to_be_visible()
    longest = max(
        (one for one in served.ask(whole(served))["rows"] if is_lock(served, one["row"])),
        key=lambda one: one["states"].get("10", {}).get("most", 0),
    )
    row.get_by_role("button").click()
    expect(page.locator("#labels li.chosen")).to_contain_text(name_of(served, longest["row"]))
    expect(page.locator("#readout")).to_contain_text(clock(longest["states"]["10"]["most_at"]))
    expect(page.locator("#events li").nth(10)).to_be_visible()
    # Measure the wait: set a mark at its begin and one at its end.
    page.locator("#chart").focus()
    page.keyboard.press("0")
    for _ in range(12):
        page.keyboard.press("+")
    page.keyboard.press("m")
    # Wait until the intervals of the row are loaded: the page then shows the state at the cursor.
    expect(page.locator("#readout")).to_contain_text(f"{name_of(served, longest['row'])}: ")
    page.keyboard.press(".")
    page.keyboard.press("m")
    expect(page.locator("#readout")).to_contain_text("between the marks")
    page.wait_for_url(re.compile(r"#from=\d+&to=\d+&at=\d+&marks=\d+,\d+"))
    # The page's address opens the same place again.
    again = page.url
    readout = page.locator("#readout").inner_text()
    page.goto("about:blank")
    opened(page, again)
    expect(page.locator("#readout")).to_contain_text(readout.split(" · ")[0])


def test_the_inversion_is_four_actions_away(
    page: Page, serve: Callable[[Path], Served], inversion: Path
) -> None:
    """Four actions: the lock, its distribution, the bar of the longest wait, the wait itself."""
    served = serve(inversion)
    opened(page, served.server.address)
    page.get_by_role("button", name="bus", exact=True).click()
    page.keyboard.press("d")
    bars = page.locator("#spread-bars button")
    expect(bars.first).to_be_visible()
    about = served.ask("about")
    lock = next(row["row"] for row in about["rows"] if row["kind"] == "lock")
    found = served.ask(f"spread?row={lock}&begin={about['begin']}&end={about['end']}")
    expect(page.locator("#spread-text")).to_contain_text(f"{found['count']} values")
    assert bars.count() == sum(count > 0 for count in found["counts"])
    bars.last.click()
    worst = page.locator("#spread-list button").first
    expect(worst).to_be_visible()
    worst.click()
    instances = f"instances?row={lock}&begin={about['begin']}&end={about['end']}"
    every = served.ask(f"{instances}&least=0&most={found['most']}")
    assert every["value"][0] == found["most"]
    expect(page.locator("#readout")).to_contain_text(f"at {clock(every['begin'][0])}")
    # The window contains the whole wait and a margin on both sides.
    expect(page.locator("#readout")).to_contain_text("bus: low has it for 3.006 ms")
    page.wait_for_url(re.compile(rf"&at={every['begin'][0]}"))
    shown = re.search(r"#from=(\d+)&to=(\d+)", page.url)
    assert shown is not None
    assert int(shown[1]) < every["begin"][0] < every["end"][0] < int(shown[2])
    # The distribution of the waiting task shows the same wait.
    page.get_by_role("button", name="high", exact=True).click()
    page.keyboard.press("d")
    figure = page.locator("#spread-figure")
    expect(figure).to_have_value("response")
    figure.select_option("blocked")
    expect(page.locator("#spread-most")).to_have_text("3.006 ms")
    assert Axe().run(page).violations_count == 0
    page.keyboard.press("Escape")
    expect(page.locator("#spread")).to_be_hidden()
    page.get_by_role("button", name="CPU 0", exact=True).click()
    page.keyboard.press("d")
    expect(page.locator("#status")).to_contain_text("CPU 0 has no distribution")


def whole(served: Served) -> str:
    about = served.ask("about")
    return f"stats?begin={about['begin']}&end={about['end']}"


def is_lock(served: Served, row: int) -> bool:
    return bool(served.ask("about")["rows"][row]["kind"] == "lock")


def name_of(served: Served, row: int) -> str:
    return str(served.ask("about")["rows"][row]["name"])


def test_by_keys_alone(page: Page, serve: Callable[[Path], Served], inversion: Path) -> None:
    served = serve(inversion)
    opened(page, served.server.address)
    rows = page.locator("#labels li")
    count = rows.count()
    chart = page.locator("#chart")
    chart.focus()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    task = next(one["name"] for one in served.ask("about")["rows"] if one["kind"] == "task")
    page.keyboard.type(task)
    page.keyboard.press("Enter")
    expect(page.locator("#labels li.chosen")).to_contain_text(task)
    expect(chart).to_be_focused()
    status = page.locator("#status")
    expect(status).to_contain_text(f"{task} at ")
    before = status.inner_text()
    page.keyboard.press("n")
    expect(status).not_to_have_text(before)
    page.keyboard.press("p")
    expect(rows.first).to_contain_text(task)
    page.keyboard.press("h")
    expect(rows).to_have_count(count - 1)
    page.keyboard.press("H")
    expect(rows).to_have_count(count)
    for key in (
        "+",
        "+",
        "ArrowRight",
        "Shift+ArrowLeft",
        "-",
        "ArrowDown",
        "ArrowUp",
        "t",
        ",",
        "z",
    ):
        page.keyboard.press(key)
    page.keyboard.press("r")
    expect(page.locator("#stats")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#stats")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("no such row")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("no row")


def test_a_lock_is_followed_from_task_to_task(
    page: Page, serve: Callable[[Path], Served], inversion: Path, tmp_path: Path
) -> None:
    """Follow arrows by keys, on the server's page and in a file; long ranges show a count only."""
    served = serve(inversion)
    html = tmp_path / "inversion.html"
    with open_index(inversion) as index:
        write_page(index, html)
        count = len(index.arrows)
    chosen, status = page.locator("#labels li.chosen"), page.locator("#status")
    readout = page.locator("#readout")
    told = []
    for address in (served.server.address, html.as_uri()):
        opened(page, f"{address}#from=1900000&to=6100000&at=1900000")
        page.get_by_role("button", name="high", exact=True).click()
        expect(readout).to_contain_text(re.compile(r" [1-9] arrows"))
        for key, text, row in (
            ("f", "high waits for low (bus)", "low"),
            ("f", "low hands over to high (bus)", "high"),
            ("f", "high hands over to low (bus), 93.993 ms later", "low"),
            ("F", "high hands over to low (bus), 93.993 ms later", "high"),
            ("F", "low hands over to high (bus)", "low"),
        ):
            page.keyboard.press(key)
            expect(status).to_have_text(text)
            expect(chosen).to_contain_text(row)
        page.keyboard.press("a")
        expect(status).to_have_text("Arrows of all rows.")
        # After a frame, the text no longer counts the arrows of one row.
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        expect(readout).to_contain_text(re.compile(r"low: .* [1-9][0-9]? arrows"))
        told.append(readout.inner_text())
        drawn = page.evaluate("document.getElementById('chart').toDataURL()")
        page.keyboard.press("0")
        expect(readout).to_contain_text(f"{count} arrows, counted")
        page.keyboard.press("a")
        expect(readout).not_to_contain_text("arrow")
        page.goto("about:blank")
        opened(page, f"{address}#from=1900000&to=6100000&at=1900000")
        page.keyboard.press("a")
        page.keyboard.press("a")
        expect(readout).not_to_contain_text("arrow")
        assert page.evaluate("document.getElementById('chart').toDataURL()") != drawn
    assert told[0] == told[1]


def test_an_end_in_a_gap_is_unknown(
    page: Page, serve: Callable[[Path], Served], tmp_path: Path
) -> None:
    """A message sent before a loss and one received after it are not connected by an arrow."""
    sent, received = Row(30, (7, 0), (3, 0)), Row(70, (7, 2), (3, 0))
    rows = [*born(10, 1, "reader"), switch(20, 0, 1), sent]
    rows += [Row(40 + number) for number in range(8)]
    rows += [switch(60, 0, 1), received, Row(80)]
    path = row_tape(tmp_path / "t.tape", rows, is_lost=lambda number: number == 2)
    served = serve(path)
    about = served.ask("about")
    assert about["events"] == len(rows) - about["lost"] < len(rows)
    opened(page, f"{served.server.address}#at={about['end'] - 1}")
    page.get_by_role("button", name="reader", exact=True).click()
    expect(page.locator("#readout")).to_contain_text("2 arrows")
    page.keyboard.press("F")
    status = page.locator("#status")
    expect(status).to_contain_text("unknown sends to reader (channel 0x0): this end is not")
    # The next arrow back is that of the sender, which has no known end at this row.
    page.keyboard.press("F")
    expect(status).to_contain_text("No arrow of reader arrives here before the cursor.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    page: Page, serve: Callable[[Path], Served], inversion: Path, scheme: str
) -> None:
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    served = serve(inversion)
    opened(page, served.server.address)
    page.keyboard.press("r")
    expect(page.locator("#stats")).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def hostile_tape(make_tape: Callable[[bytes], Path]) -> Path:
    target = SimulatedTarget()
    target.hello()
    target.combine((0, 0), *NAME, bytes(4) + (5).to_bytes(4, "little") + HOSTILE.encode())
    for number in range(40):
        target.advance(1000)
        target.record((0, 0), *SWITCH, 5 * (number % 2), 5 * ((number + 1) % 2))
    target.finish()
    return make_tape(target.sent_bytes())


def test_text_of_a_tape_is_never_markup(
    page: Page, serve: Callable[[Path], Served], make_tape: Callable[[bytes], Path], tmp_path: Path
) -> None:
    path = hostile_tape(make_tape)
    served = serve(path)
    html = tmp_path / "hostile.html"
    with open_index(path) as index:
        write_page(index, html)
    for address in (served.server.address, html.as_uri()):
        opened(page, address)
        expect(page.locator("#labels")).to_contain_text(HOSTILE)
        page.keyboard.press("r")
        expect(page.locator("#stats-body")).to_contain_text(HOSTILE)
        expect(page.locator("#events")).to_contain_text(HOSTILE)
        assert page.locator("img, b, script[src*=x]").count() == 0


def test_a_large_tape_is_a_sample_first(
    page: Page,
    serve: Callable[[Path], Served],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = large_tape(tmp_path)
    with held(monkeypatch) as release:
        served = serve(path)
        opened(page, served.server.address)
        summary = page.locator("#summary")
        expect(summary).to_contain_text("not read yet")
        expect(page.locator("body")).not_to_have_attribute("data-complete", "true")
        page.get_by_role("button", name="thread 3", exact=True).click()
        page.keyboard.press("p")
        page.keyboard.press("+")
        readout = page.locator("#readout")
        expect(readout).to_contain_text("showing 349.997 ms")
        page.get_by_role("button", name="Statistics").click()
        expect(page.locator("#stats-losses")).to_contain_text("records not read yet")
        release()
        page.wait_for_selector("body[data-complete]")
        expect(summary).to_contain_text(f"{RECORDS} events")
        expect(page.locator("#stats-losses")).to_contain_text("Nothing is missing")
        # The user's range and row stay chosen, although the whole index numbers rows differently.
        expect(readout).to_contain_text("showing 349.997 ms")
        expect(page.locator("#labels li").first).to_contain_text("thread 3")
        expect(page.locator("#labels li.chosen")).to_contain_text("thread 3")


def test_losses_are_seen(
    page: Page, serve: Callable[[Path], Served], make_tape: Callable[[bytes], Path], tmp_path: Path
) -> None:
    path = make_tape(lossy(1)[1])
    served = serve(path)
    about = served.ask("about")
    html = tmp_path / "lossy.html"
    with open_index(path) as index:
        write_page(index, html)
    shown = []
    for address in (served.server.address, html.as_uri()):
        opened(page, address)
        expect(page.locator("#summary")).to_contain_text(f"{about['lost']} records missing")
        page.get_by_role("button", name="Statistics").click()
        expect(page.locator("#stats-losses")).to_contain_text("records missing")
        # The axis has pixels in the colour of the loss band.
        page.wait_for_function(
            """() => { const c = document.getElementById('axis');
              const d = c.getContext('2d').getImageData(0, 27, c.width, 16).data;
              let n = 0;
              for (let i = 0; i < d.length; i += 4) if (d[i] > d[i + 1] + 40) n++;
              return n; }"""
        )
        shown.append(page.locator("#stats-body").inner_text())
    # File and server show the same statistics.
    assert shown[0] == shown[1]


def test_two_runs_are_under_each_other(
    page: Page, serve: Callable[..., Served], tmp_path: Path
) -> None:
    """Two aligned runs show their own losses and balances, and histograms side by side."""
    first = marked(tmp_path / "a.tape", 100)
    served = serve(first, marked(tmp_path / "b.tape", 331, period=30, is_lost=True))
    about = served.ask("about")
    opened(page, served.server.address)
    summary, readout = page.locator("#summary"), page.locator("#readout")
    for run in about["runs"]:
        told = (
            f"{run['label']}: {run['events']} events, {run['balance']['offered']} records offered"
        )
        expect(summary).to_contain_text(told)
    expect(summary).to_contain_text('Times from the first "USER USER_3".')
    expect(summary).to_contain_text("Uncertain: records of b.tape are missing")
    expect(readout).to_contain_text("at -0.000013200")
    heads = [one["row"] for one in about["rows"] if one["kind"] == "run"]
    labels = page.locator("#labels li")
    expect(labels.nth(heads[0])).to_contain_text("a.tape")
    expect(labels.nth(heads[1])).to_contain_text("b.tape")
    page.wait_for_selector("body[data-drawn]")
    # Only the rows of the lossy run show the loss: only its heading has the colour of losses.
    red = """(row) => { const c = document.getElementById('chart');
      const d = c.getContext('2d').getImageData(0, row * 24, c.width, 23).data;
      let n = 0;
      for (let i = 0; i < d.length; i += 4) if (d[i] > d[i + 1] + 40) n++;
      return n; }"""
    assert [page.evaluate(red, head) > 0 for head in heads] == [False, True]
    page.keyboard.press("r")
    expect(page.locator("#stats-losses")).to_contain_text("b.tape: ")
    rows = [one for one in about["rows"] if one["name"] == "USER USER_3"]
    page.locator(f"#labels li[data-row='{rows[0]['row']}'] button").click()
    page.keyboard.press("d")
    for label in ("a.tape", "b.tape"):
        expect(page.locator("#spread-key")).to_contain_text(label)
        expect(page.locator("#spread-text")).to_contain_text(f"{label}: {STARTS - 1} values")
    expect(page.locator("#spread-bars button")).to_have_count(2)
    assert Axe().run(page).violations_count == 0
    page.locator("#spread-bars button.twin").click()
    expect(page.locator("#spread-list button")).to_have_count(STARTS - 1)
    expect(page.locator("#spread-list button").first).to_have_text("1.2 \u00b5s")
    expect(page.locator("#labels li.chosen")).to_have_attribute("data-row", str(rows[1]["row"]))


def test_a_bookmark_is_added_and_reached_by_keys(
    page: Page, serve: Callable[..., Served], tmp_path: Path
) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    address = serve(tape).server.address
    opened(page, f"{address}#at=4000")
    dialog, status = page.locator("#bookmark"), page.locator("#status")
    page.locator("#chart").focus()
    page.keyboard.press("B")
    expect(status).to_have_text("The tape has no bookmark.")
    page.keyboard.press("b")
    expect(dialog).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("b")
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(status).to_have_text(f"Bookmark at 0.000004000: {HOSTILE}")
    html = tmp_path / "marked.html"
    with TapeReader(tape) as reader:
        assert reader.notes == [f"bookmark at tick 100 of boot 0: {HOSTILE}"]
    with open_index(tape) as index:
        write_page(index, html)
    for place in (address, html.as_uri()):
        page.goto("about:blank")
        opened(page, place)
        page.keyboard.press("B")
        expect(status).to_have_text(f"Bookmark at 0.000004000: {HOSTILE}")
        expect(page.locator("#readout")).to_contain_text("at 0.000004000")
        assert page.locator("img, b, script[src*=x]").count() == 0
    page.keyboard.press("b")
    expect(status).to_have_text("No bookmark can be added: this is a file.")

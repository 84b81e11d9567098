"""The site contains every public name, its search finds every option, and it needs no network."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

import tickertape
from tests.support.patience import HANG_S
from tickertape.cli.main import COMMANDS, parser_of
from tools import docs_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield all long options in the help of a parser and of its subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from options(one)
        elif action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
            yield from (option for option in action.option_strings if option.startswith("--"))


def test_the_api_page_has_exactly_the_public_names() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: tickertape\.(\w+)$", page, re.MULTILINE)) == sorted(
        tickertape.__all__
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site strictly (a warning is an error) and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    line = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    done = subprocess.run(
        line, cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert done.returncode == 0, done.stderr
    assert "tutorial.md: not run here: needs a board: tickertape capture" in done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium without its sandbox, which root cannot use; it opens our pages only."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Yield a page; check that it has no script error, no warning and no external request."""
    context = browser.new_context()
    context.set_default_timeout(HANG_S * 500)
    expect.set_options(timeout=HANG_S * 500)
    found = context.new_page()
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("console", lambda one: wrong.append(one.text))
    local = ("file:", "about:", "http://127.0.0.1:1/")
    found.on("request", lambda one: None if one.url.startswith(local) else wrong.append(one.url))
    yield found
    context.close()
    assert wrong == []


def serve(page: Page, folder: Path) -> str:
    """Answer the requests of a page with files of a folder; return the address."""

    def answer(route: Route) -> None:
        route.fulfill(path=folder / urlsplit(route.request.url).path.lstrip("/"))

    page.context.route("http://127.0.0.1:1/**", answer)
    return "http://127.0.0.1:1"


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_one_search_finds_every_option(site: Path, page: Page, scheme: str) -> None:
    """The first search result of each option is its section, also for pages opened from disk."""
    wanted = sorted(set(options(parser_of(COMMANDS))))
    assert len(wanted) > 60
    base = site.as_uri() if scheme == "file" else serve(page, site)
    page.goto(f"{base}/adr/0001-receipts-instead-of-loss-messages.html")  # not the top folder
    page.keyboard.press("/")
    page.keyboard.type("--baud")
    field = page.locator("input.md-search__input")
    first = page.locator("ol.md-search-result__list > li").first
    expect(first).to_contain_text("--baud")
    for option in wanted:
        field.fill(option)
        field.press("End")  # the search begins at a key
        expect(first.locator("h1")).to_have_text("All options by name")
        expect(first.locator("h2", has_text=re.compile(f"^{option}$"))).to_have_count(1)
    field.press("Enter")
    page.wait_for_url(re.compile(r"/options\.html\?h="))


def test_the_first_page_leads_to_the_others(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="Find a priority inversion", exact=True).click()
    expect(page.locator("h1")).to_contain_text("in ten minutes")


def test_each_option_has_a_section_with_its_commands(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    sections = {
        one["title"]: one["text"]
        for one in index["docs"]
        if one["location"].startswith("options.html#")
    }
    assert set(sections) == set(options(parser_of(COMMANDS)))
    assert "tickertape capture" in sections["--baud"]
    assert all("<code>tickertape" in text for text in sections.values())


def test_the_page_of_commands_has_every_option(site: Path) -> None:
    html = (site / "commands.html").read_text(encoding="utf-8")
    words = set(re.findall(r"--[\w-]+", html))
    assert set(options(parser_of(COMMANDS))) - words == set()
    assert "\\|" not in html
    assert "[--link stream|udp]" in (site / "cli.html").read_text(encoding="utf-8")


def test_the_site_needs_no_network(site: Path) -> None:
    for page in ("tutorial.html", "api.html", "commands.html"):
        html = (site / page).read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img)[^>]* src=\"(https?:[^\"]*)", html)
        loaded += re.findall(r"<link[^>]* rel=\"stylesheet\"[^>]* href=\"(https?:[^\"]*)", html)
        assert loaded == []


def test_the_api_page_shows_docstrings(site: Path) -> None:
    html = (site / "api.html").read_text(encoding="utf-8")
    for name in tickertape.__all__:
        assert re.search(rf'id="tickertape\.(?:\w+\.)*{name}"', html), name
    assert "Return one line: the problem, then the advice." in html


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[SPEC](../protocol/SPEC.md#tape)", "SPEC (`protocol/SPEC.md`)"),
        ("[`hooks.h`](../firmware/hooks.h)", "`hooks.h` (`firmware/hooks.h`)"),
        ("[check](check.md)", "[check](check.md)"),
    ],
)
def test_links_that_leave_the_site_become_names(link: str, shown: str) -> None:
    assert docs_site.without_leaving(link, depth=0) == shown


def test_links_between_folders_of_the_site_stay() -> None:
    assert docs_site.without_leaving("[cli](../cli.md)", depth=1) == "[cli](../cli.md)"

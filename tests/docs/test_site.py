"""The site: it has every public name, its search finds every option, and it needs no network."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tickertape
from tests.support.patience import HANG_S
from tickertape.cli.main import COMMANDS, parser_of
from tools import docs_site

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield all long options that the help of a parser and of its commands shows."""
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
    """The site, built strictly: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    line = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    done = subprocess.run(
        line, cwd=ROOT, capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert done.returncode == 0, done.stderr
    assert "tutorial.md: not run here: needs a board: tickertape capture" in done.stderr
    return folder


def test_the_search_finds_every_option(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    text = " ".join(
        one["text"] for one in index["docs"] if one["location"].startswith("commands.html")
    )
    words = set(re.findall(r"--[\w-]+", text))
    wanted = set(options(parser_of(COMMANDS)))
    assert len(wanted) > 60
    assert wanted - words == set()


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
    assert "One line that ends in what to do" in html


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

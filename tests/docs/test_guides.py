"""Guides: their commands run in order and print the shown output; the site has every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.shown_output import missing
from tickertape.cli.main import main
from tools.doc_commands import commands_of

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = {"fleet.md": 5, "losses.md": 4}
"""Pages with commands, and the number of commands; other pages have their own tests."""


@pytest.mark.process
@pytest.mark.parametrize("name", GUIDES)
def test_the_commands_of_a_guide_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for one in commands_of((DOCS / name).read_text(encoding="utf-8")):
        if one.needs:
            continue
        capsys.readouterr()
        assert main(list(one.words[1:])) == 0
        assert missing(one.output, capsys.readouterr().out) == []
        ran += 1
    assert ran == GUIDES[name]


def test_the_site_leads_to_every_page() -> None:
    text = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    _, _, nav = text.partition("\nnav:\n")
    pages = re.findall(r"^ +- (\S+\.md)$", nav, re.MULTILINE)
    assert len(pages) == len(set(pages))
    assert {one.name for one in DOCS.glob("*.md")} <= set(pages)

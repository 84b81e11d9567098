"""The tutorial: its commands run in order and print the shown output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.shown_output import missing, shape
from tickertape.cli.main import main
from tools.doc_commands import Shown, commands_of

pytestmark = pytest.mark.process
DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")
NO = 1
"""Exit code of a check with the answer "no"."""


def test_every_command_of_the_tutorial_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran, codes = [], []
    for one in commands_of(TUTORIAL):
        program, *words = one.words
        assert program == "tickertape"
        if one.needs:
            continue
        capsys.readouterr()
        codes.append(main(words))
        printed = capsys.readouterr()
        assert missing(one.output, printed.out) == [], printed.err
        ran.append(words[0])
    assert ran == [
        *("run", "info", "findings", "why", "print"),
        *("run", "why", "findings", "spec", "check", "check"),
    ]
    assert codes == [0, 0, NO, 0, 0, 0, 0, 0, 0, 0, NO]
    picture = (tmp_path / "inversion.svg").read_text(encoding="utf-8")
    titles = re.findall(r'<text x="(?:8|22)"[^>]*>([^<]*)<', picture)
    assert len(titles) > 5
    page = (DOCS / "inversion.svg").read_text(encoding="utf-8")
    assert {shape(title) for title in titles} <= {
        shape(title) for title in re.findall(r">([^<]*)</text>", page)
    }
    for tape in ("slow.tape", "fixed.tape"):
        assert main(["info", tape, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        total = found["balance"]
        assert total["offered"] == total["delivered"] > 0
        assert found["final"]


def test_a_command_that_is_not_run_names_what_it_needs() -> None:
    marked = {one.words[1]: one.needs for one in commands_of(TUTORIAL) if one.needs}
    assert marked == {"capture": "a board", "view": "a browser"}


def test_a_page_is_split_into_commands_and_their_output() -> None:
    page = "```console\n$ a 'b c'\nout\n...\n$ d  # not run here: needs e f\n```\n"
    assert list(commands_of(page)) == [
        Shown("a 'b c'", ("out", "..."), ""),
        Shown("d", (), "e f"),
    ]


def test_output_that_differs_is_found() -> None:
    assert missing(["a 1", "...", "c"], "a 2\nb\nc\n") == []
    assert missing(["c", "a 1"], "a 2\nc\n") == ["a 1"]

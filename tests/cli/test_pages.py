"""HTML files of `stats` and `check`: complete, usable offline, and names are plain text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from tests.support.columns import Row, born, switch
from tests.support.command import assert_complaint
from tests.support.golden import INVERSION, activated, completed, sync
from tests.support.row_tapes import row_tape

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

HOSTILE = "</style><script>alert(1)</script><img src=x onerror=alert(2)>[red]&amp;"
KINDS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "pre", "div", "span"),
    *("table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "text"),
}


class Reader(HTMLParser):
    """Collects elements, attributes and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(path: Path) -> Reader:
    """Read a page; check that no element, attribute or address runs or loads anything."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>\n<html")
    assert "default-src 'none'" in text
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert set(reader.kinds) <= KINDS
    assert not {one for one in reader.attributes if one.startswith("on")}
    assert not reader.attributes & {"src", "href", "xlink:href"}
    assert "url(" not in text
    assert not any(ord(one) < 32 and one != "\n" for one in text)
    return reader


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Return a tape of two tasks; the second one has a hostile name and waits for the first."""
    rows = [
        *born(0, 1, "low\x1b[2J"),
        *born(0, 2, HOSTILE),
        switch(0, 0, 1),
        sync(5, 0, 0x100, 1),
        *activated(10, 2, 1),
        switch(11, 1, 2),
        sync(12, 1, 0x100, 1),
        Row(13, (4, 13), (0, 2)),
        switch(14, 2, 1),
        sync(40, 3, 0x100, 1),
        sync(40, 0, 0x100, 2),
        Row(41, (4, 2), (0, 2)),
        switch(42, 1, 2),
        *completed(60, 2, 1),
        switch(61, 2, 0),
        Row(90),
    ]
    return row_tape(tmp_path / "<b>T&.tape", rows)


def test_the_page_of_stats(tickertape_inside: Command, tape: Path) -> None:
    page = tape.with_name("S.html")
    done = tickertape_inside("stats", tape, "--html", page)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    reader = read(page)
    assert reader.kinds.count("svg") == 2
    assert "Statistics of <b>T&.tape" in reader.texts
    assert reader.texts.count(HOSTILE) > 2
    assert "low\\x1b[2J" in reader.texts
    assert "Response time of tasks, longest execution, longest time ready" in reader.texts
    assert any(one.endswith(" µs") for one in reader.texts)


def test_the_page_of_check(tickertape_inside: Command, tape: Path) -> None:
    spec, page = tape.with_name("t.yaml"), tape.with_name("C.html")
    spec.write_text(
        "requirements:\n"
        f"- {{response: {HOSTILE!r}, max: 1 us, name: '<i>fast'}}\n"
        "- {no_deadlock: true}\n- {service: tick, max: 1 s}\n"
    )
    done = tickertape_inside("check", tape, "--spec", spec, "--html", page)
    assert (done.returncode, done.stderr) == (1, "")
    reader = read(page)
    assert [one for one in reader.texts if one in {"PASS", "FAIL", "UNKNOWN"}] == [
        *("FAIL", "PASS", "UNKNOWN")
    ]
    assert reader.kinds.count("svg") == 1
    assert any(one.startswith("<i>fast: Each instance of </style>") for one in reader.texts)
    assert any(one.startswith("blocked on mutex 0x100, held by low") for one in reader.texts)


def test_a_tape_without_tasks(tickertape_inside: Command, tmp_path: Path) -> None:
    page = tmp_path / "S.html"
    empty = row_tape(tmp_path / "T.tape", [Row(1), Row(2)])
    assert tickertape_inside("stats", empty, "--html", page).returncode == 0
    assert any("no event of class SCHED" in one for one in read(page).texts)


@pytest.mark.parametrize("words", [("stats",), ("check", "--spec", "t.yaml")])
def test_a_page_that_cannot_be_written(
    tickertape_inside: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    tape = row_tape(tmp_path / "T.tape", INVERSION)
    before = tape.read_bytes()
    spec = tmp_path / "t.yaml"
    spec.write_text("requirements: [{no_deadlock: true}]\n")
    line = [str(spec) if one == "t.yaml" else one for one in words]
    assert_complaint(tickertape_inside(*line, tape, "--html", tape), 2, "is the file to be read")
    assert tape.read_bytes() == before
    nowhere = tmp_path / "none" / "S.html"
    done = tickertape_inside(*line, tape, "--html", nowhere)
    assert done.returncode != 0
    assert "make the folder first" in done.stderr

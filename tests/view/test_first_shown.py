"""The place at which a page opens: times of the command line, and the places of findings."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Command, assert_complaint
from tests.support.golden import DEADLOCK, INVERSION, LATE
from tests.support.lossy_tapes import lossy
from tests.support.row_tapes import row_tape, sent
from tests.support.viewing import viewing
from tickertape.answers.findings import find
from tickertape.errors import UsageError
from tickertape.tape import TapeReader
from tickertape.view import export
from tickertape.view.export import write_page
from tickertape.view.findings import findings_of
from tickertape.view.first_shown import Wanted, first_shown
from tickertape.view.index import open_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONG_NS = 1000


def test_times_are_on_the_axis(make_tape: Callable[[bytes], Path]) -> None:
    """For each boot of a tape with losses: the boot alone, and times of the boot's own clock."""
    path, compared = make_tape(lossy(3)[1]), 0
    with open_index(path, keep=False) as index, TapeReader(path) as reader:
        segments = index.about["segments"]
        assert len(segments) > 1
        for one in segments:
            alone = first_shown(path, index.about, Wanted(boot=one["epoch"]))
            assert (alone.begin, alone.end) == (one["begin"], max(one["end"], one["begin"] + 1))
            if one["end"] - one["begin"] < LONG_NS:
                continue
            clock = reader.clock(one["epoch"])
            begin = one["begin"] - one["offset"]
            middle = (begin + one["end"] - one["offset"]) // 2
            wanted = Wanted(begin, middle, middle, boot=one["epoch"])
            found = first_shown(path, index.about, wanted)
            assert found.end is not None
            assert 0 <= found.end - (middle + one["offset"]) <= -(-(10**9) // clock.hz)
            assert found.fragment == f"#from={found.begin}&to={found.end}&at={found.end}"
            compared += 1
    assert compared


def test_a_place_on_the_page(tmp_path: Path) -> None:
    path = row_tape(tmp_path / "t.tape", INVERSION)
    with open_index(path, keep=False) as index:
        about = index.about
        last = about["end"]
        # A range is limited to the tape's times; a single time is not.
        assert first_shown(path, about, Wanted(1000, 10**12)) == (
            1000,
            last,
            f"#from=1000&to={last}&at=1000",
        )
        assert first_shown(path, about, Wanted(at_ns=7, task="high")).fragment == (
            "#at=7&row=task%3Ahigh"
        )
        for wanted, parts in (
            (Wanted(last + 1, last + 2), "nothing in this range; give times from 0.000000000 to"),
            (Wanted(5, 5), "nothing in this range"),
            (Wanted(at_ns=last + 1), "nothing at this time; give times from 0.000000000 to"),
            (Wanted(at_ns=1 << 70, boot=0), "nothing at this time"),
            (Wanted(boot=1), "has no boot 1; it has 0 to 0"),
            (Wanted(task="hihg"), "no task is called hihg; did you mean high?"),
        ):
            with pytest.raises(UsageError, match=re.escape(parts)):
                first_shown(path, about, wanted)


def test_findings_have_the_times_and_rows_of_the_page(make_tape: Callable[[bytes], Path]) -> None:
    """Findings of a tape with two boots on the page, compared with those of `find`."""
    lives = enumerate((LATE, DEADLOCK), 1)
    path = make_tape(b"".join(sent(rows, boot_id=one).sent_bytes() for one, rows in lives))
    with open_index(path, keep=False) as index, TapeReader(path) as reader:
        offsets = {one["epoch"]: one["offset"] for one in index.about["segments"]}
        rows = index.about["rows"]
        found = findings_of(index)
        for group, known in zip(found, find(reader), strict=True):
            assert (group["by"], group["count"]) == (known.detector, known.count)
            assert group["doubts"] == list(known.doubts)
            for shown, one in zip(group["found"], known.findings, strict=True):
                begin = one.clock.ns(one.begin_ticks) + offsets[one.epoch]
                assert (shown["what"], shown["begin"]) == (one.what, begin)
                assert (rows[shown["row"]]["kind"], rows[shown["row"]]["name"]) == ("task", "a")
        epochs = {one["by"]: one["found"][0]["begin"] for one in found if one["count"]}
        assert epochs == {"deadline": 2000, "deadlock": 400 + offsets[1]}


def test_a_large_tape_becomes_a_file_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = row_tape(tmp_path / "t.tape", INVERSION)
    monkeypatch.setattr(export, "MOST_EVENTS", 17)
    output = tmp_path / "t.html"
    with open_index(path, keep=False) as index:
        events = index.about["events"]
        with pytest.raises(UsageError, match=f"{events} events are too many for one file; choose"):
            write_page(index, output)
        assert not output.exists()
        middle = 1100
        parts = [(None, middle), (middle + 1, None)]
        shown = [write_page(index, output, begin=a, end=b) for a, b in parts]
    assert [one.events == one.listed for one in shown] == [True, True]
    assert sum(one.events for one in shown) == events


@pytest.mark.process
def test_each_answer_leads_to_its_place(tickertape: Command, tmp_path: Path) -> None:
    """The commands that `findings`, `check` and `why` print open the page at the answer."""
    tape = row_tape(tmp_path / "a b.tape", LATE)
    spec = tmp_path / "spec.yaml"
    spec.write_text("version: 1\nrequirements:\n  - response: a\n    max: 1 us\n", encoding="utf-8")
    answers = [
        (("findings", tape), (0.000002, 0.000002)),
        (("check", tape, "--spec", spec), (0.0, 0.0000028)),
        (("why", tape, "--task", "a"), (0.0, 0.0000028)),
    ]
    for command, (begin, end) in answers:
        lines = tickertape(*command).stdout.splitlines()
        (line,) = (one.strip() for one in lines if "tickertape view" in one)
        words = shlex.split(line)[1:]
        assert words[:2] == ["view", str(tape)]
        assert float(words[words.index("--at") + 1]) == begin
        assert float(words[words.index("--from") + 1]) <= begin
        assert float(words[words.index("--to") + 1]) >= end
        with viewing(tmp_path, *words[1:]) as (_, address):
            page, _, fragment = address.partition("#")
            assert page.endswith("/")
            assert re.fullmatch(rf"from=\d+&to=\d+&at={round(begin * 1e9)}&row=task%3Aa", fragment)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--from", "x"], "'x' is not a time"),
        (["--from", "9", "--to", "10"], "nothing in this range; give times from"),
        (["--at", "9"], "nothing at this time; give times from"),
        (["--boot", "9"], "has no boot 9; it has 0 to 0"),
        (["--task", "nothing"], "no task is called nothing; choose one of:"),
        (["--html", "x.html", "--at", "1us"], "opens with all that it contains"),
        (["--html", "x.html", "--from", "9"], "nothing in this range"),
        (["--perfetto", "--from", "1us"], "are for one tape; leave them out"),
        (["T.tape", "--at", "1us"], "are for one tape; leave them out"),
    ],
)
def test_wrong_places_are_one_line(
    tickertape_inside: Command, tmp_path: Path, words: list[str], text: str
) -> None:
    tape = row_tape(tmp_path / "T.tape", INVERSION)
    assert_complaint(tickertape_inside("view", tape, *words, "--no-open", "--read-only"), 2, text)
    assert not (tmp_path / "x.html").exists()

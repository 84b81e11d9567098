"""Bookmarks of a page are notes on the tape; which requests may add them."""

from __future__ import annotations

import json
import threading
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.lossy_tapes import lossy
from tests.support.patience import HANG_S
from tests.view.marked_tapes import TICK_NS, marked
from tickertape.analysis.balance import balance_of
from tickertape.edit.note import add_note
from tickertape.errors import TapeError, UsageError
from tickertape.tape import TapeReader
from tickertape.view import index
from tickertape.view.bookmarks import LONGEST_TEXT
from tickertape.view.opening import open_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.served import Served

HOSTILE = "<img src=x onerror=alert(1)>'\"&amp;</script><b>"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def post(served: Served, body: bytes, **headers: str) -> tuple[int, bytes]:
    """Post a bookmark as the page does; `headers` replace usual ones, empty ones remove them."""
    server = served.server
    usual = {"origin": f"http://127.0.0.1:{server.port}", "content_type": "application/json"}
    connection = HTTPConnection("127.0.0.1", server.port, timeout=HANG_S)
    try:
        sent = {**usual, **headers}
        names = {name.replace("_", "-"): value for name, value in sent.items() if value}
        connection.request("POST", f"{served.root}api/bookmark", body, names)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def body_of(time: object, text: object) -> bytes:
    return json.dumps({"time": time, "text": text}).encode()


def notes_of(tape: Path) -> list[str]:
    with TapeReader(tape) as reader:
        assert reader.closed
        total = balance_of(reader).total
        assert total.holds
        assert total.offered
        return list(reader.notes)


def test_a_bookmark_is_a_note_and_its_index_stays(
    serve: Callable[..., Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    served = serve(tape)
    status, answer = post(served, body_of(str(101 * TICK_NS - 1), HOSTILE))
    wanted = [{"time": 101 * TICK_NS, "text": HOSTILE}]
    assert (status, json.loads(answer)["bookmarks"]) == (200, wanted)
    assert notes_of(tape) == [f"bookmark at tick 101 of boot 0: {HOSTILE}"]
    assert served.ask("about")["bookmarks"] == wanted
    status, answer = post(served, body_of(str(50 * TICK_NS), "earlier"))
    assert [one["text"] for one in json.loads(answer)["bookmarks"]] == ["earlier", HOSTILE]

    def fail(*_arguments: object) -> None:
        pytest.fail("the index is made again")

    monkeypatch.setattr(index, "Builder", fail)
    again = serve(tape).ask("about")
    assert [one["text"] for one in again["bookmarks"]] == ["earlier", HOSTILE]


def test_each_boot_keeps_its_bookmarks(make_tape: Callable[[bytes], Path]) -> None:
    tape = make_tape(lossy(1)[1])
    with open_view(tape) as view:
        about = view.answer("about", {}) or {}
        ends = [one["end"] for one in about["segments"]]
        assert len(ends) == 2
        for time in ends:
            view.change("bookmark", {"time": str(time), "text": f"at {time}"})
        found = (view.answer("about", {}) or {})["bookmarks"]
        assert found == [{"time": time, "text": f"at {time}"} for time in ends]
        between = str((ends[0] + about["segments"][1]["begin"]) // 2)
        with pytest.raises(UsageError, match="no boot has this time"):
            view.change("bookmark", {"time": between, "text": "never"})
    assert len(notes_of(tape)) == 2


_FOREIGN: list[tuple[dict[str, str], int]] = [
    ({"origin": ""}, 403),
    ({"origin": "null"}, 403),
    ({"origin": "http://evil.example"}, 403),
    ({"host": "evil.example"}, 421),
    ({"sec_fetch_site": "cross-site"}, 403),
    ({"content_type": "text/plain"}, 415),
    ({"content_type": ""}, 415),
]


def test_only_the_page_may_add_one(serve: Callable[..., Served], tmp_path: Path) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    served = serve(tape)
    for headers, status in _FOREIGN:
        assert post(served, body_of("4000", "x"), **headers)[0] == status, headers
    assert notes_of(tape) == []
    assert post(served, body_of("4000", "x"))[0] == 200


_WRONG = [
    b"",
    b"[]",
    b"{",
    b"[" * 4000,
    b"x" * 100_000,
    b"\xff",
    body_of(4000, "x"),
    body_of("4000", ["x"]),
    body_of("4000", ""),
    body_of("4000", "x" * (LONGEST_TEXT + 1)),
    body_of("4000", "two\nlines"),
    body_of("4000", "\x1b[31m"),
    body_of("4000", "\ud800"),
    body_of("-1", "x"),
    body_of("99999999999", "x"),
    json.dumps({"text": "x"}).encode(),
]


def test_a_wrong_bookmark_is_refused_in_one_line(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    served = serve(tape)
    for body in _WRONG:
        status, answer = post(served, body)
        assert status == 400, body[:100]
        assert "; " in json.loads(answer)["error"]
    assert notes_of(tape) == []
    assert post(served, body_of("4000", "x"))[0] == 200


def test_a_tape_that_may_not_be_written_is_not(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    tape, other = marked(tmp_path / "a.tape", 100), marked(tmp_path / "b.tape", 331)
    cut = tmp_path / "cut.tape"
    cut.write_bytes(tape.read_bytes()[:-200])
    before = [path.read_bytes() for path in (tape, other, cut)]
    with open_view(tape, keep=False) as view:
        assert "read-only" in (view.answer("about", {}) or {})["no_bookmarks"]
        with pytest.raises(UsageError, match="read-only"):
            view.change("bookmark", {"time": "4000", "text": "x"})
    with open_view(cut) as view:
        assert "not closed" in (view.answer("about", {}) or {})["no_bookmarks"]
        with pytest.raises((UsageError, TapeError), match="not closed"):
            view.change("bookmark", {"time": "400", "text": "x"})
    status, answer = post(serve(tape, other), body_of("400", "x"))
    assert (status, "view one alone" in answer.decode()) == (400, True)
    assert [path.read_bytes() for path in (tape, other, cut)] == before


def test_two_views_of_a_tape_both_add_bookmarks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    with open_view(tape) as one, open_view(tape) as other:
        for number, view in enumerate((one, other, other, one)):
            view.change("bookmark", {"time": str(4000 + number), "text": str(number)})
        add_note(tape, "of another program")
        for number, view in enumerate((other, one), 4):
            view.change("bookmark", {"time": str(4000 + number), "text": str(number)})
        for view in (one, other):
            found = (view.answer("about", {}) or {})["bookmarks"]
            assert sorted(mark["text"] for mark in found) == list("012345")
    assert len(notes_of(tape)) == 7
    monkeypatch.setattr(index, "Builder", lambda *_: pytest.fail("the index is made again"))
    with open_view(tape) as view:
        assert len((view.answer("about", {}) or {})["bookmarks"]) == 6


def test_a_tape_that_others_changed_is_not_written(tmp_path: Path) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    data, longer = tape.read_bytes(), marked(tmp_path / "b.tape", 400).read_bytes()
    assert len(longer) == len(data)
    with open_view(tape) as view:
        tape.write_bytes(longer)
        with pytest.raises(UsageError, match="changed since"):
            view.change("bookmark", {"time": "4000", "text": "x"})
        assert tape.read_bytes() == longer
    with open_view(tape) as view:
        (tmp_path / "b.tape").replace(tape)
        with pytest.raises(UsageError, match="changed since"):
            view.change("bookmark", {"time": "4000", "text": "x"})
        assert notes_of(tape) == []


def test_many_at_once_are_all_kept(tmp_path: Path) -> None:
    tape = marked(tmp_path / "a.tape", 100)
    with open_view(tape) as view:

        def add(number: int) -> None:
            view.change("bookmark", {"time": str(4000 + number), "text": str(number)})

        threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(HANG_S)
        found: list[dict[str, Any]] = (view.answer("about", {}) or {})["bookmarks"]
    assert sorted(int(one["text"]) for one in found) == list(range(8))
    assert len(notes_of(tape)) == 8

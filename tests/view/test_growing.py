"""A growing tape: each index of it is true, and only pages of its server get news of it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.support.lossy_tapes import lossy
from tests.support.patience import HANG_S
from tests.view.marked_tapes import marked
from tickertape.analysis.balance import balance_of
from tickertape.errors import TickertapeError, UsageError
from tickertape.tape import TapeReader
from tickertape.view import following
from tickertape.view.index import open_index
from tickertape.view.opening import open_growing, open_view
from tickertape.view.queries import Queries
from tickertape.view.versions import KEPT, OutdatedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.served import Served
    from tickertape.view.versions import View

_CUTS = 4


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(following, "_LOOK_S", 0.02)


def until(holds: Callable[[], bool]) -> None:
    end_s = time.monotonic() + HANG_S
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def about(view: View) -> dict[str, Any]:
    return view.answer("about", {}) or {}


def content(found: dict[str, Any]) -> object:
    return found["events"], found["rows"], found["segments"]


def slices(answer: Callable[..., Any], found: dict[str, Any], end: int) -> object:
    """Return the intervals of each row that begin before `end`: begin, state, detail."""
    rows = ",".join(str(row["row"]) for row in found["rows"])
    asked = {"begin": str(found["begin"]), "end": str(end), "pixels": "4096", "rows": rows}
    known = [row["slices"] for row in answer("tiles", asked)["rows"]]
    return [
        [one for one in zip(row["begin"], row["state"], row["detail"], strict=True) if one[0] < end]
        for row in known
    ]


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize("seed", range(6))
def test_every_picture_of_a_growing_tape_is_true(
    make_tape: Callable[[bytes], Path], tmp_path: Path, seed: int
) -> None:
    whole = make_tape(lossy(seed)[1])
    data = whole.read_bytes()
    path, copy = tmp_path / "grows.tape", tmp_path / "copy.tape"
    cuts = [len(data) * part // _CUTS for part in range(1, _CUTS + 1)]
    path.write_bytes(data[: cuts[0]])
    with open_view(path) as view:
        for before, cut in zip([cuts[0], *cuts], cuts, strict=False):
            append(path, data[before:cut])
            copy.write_bytes(data[:cut])
            with open_index(copy, keep=False) as truth:
                until(lambda truth=truth: content(about(view)) == content(truth.about))  # type: ignore[misc]  # bound at once
                found = about(view)
                # `truth` counts records that the tape lacks so far as lost; the view does not.
                assert found["lost"] <= sum(one["count"] for one in truth.about["losses"])
                queries = Queries(truth).answer
                end = min(found["end"], truth.about["end"]) - 1
                if end > found["begin"]:
                    assert slices(view.answer, found, end) == slices(queries, truth.about, end)
        until(lambda: not about(view)["live"]["text"])
        with open_index(whole, keep=False) as truth, TapeReader(path) as reader:
            found = about(view)
            assert [found[name] for name in ("begin", "end", "events")] == [
                truth.about[name] for name in ("begin", "end", "events")
            ]
            assert found["lost"] == sum(one["count"] for one in truth.about["losses"])
            assert all(ring.balance.holds for ring in balance_of(reader).rings)


def test_an_index_answers_as_long_as_a_page_may_use_it(tmp_path: Path) -> None:
    data = marked(tmp_path / "whole.tape", 100).read_bytes()
    with TapeReader(tmp_path / "whole.tape") as reader:
        ends = [int(one) for one in reader.chunks["offset"][2:]]
    path = tmp_path / "grows.tape"
    path.write_bytes(data[: ends[0]])
    with open_view(path) as view:
        first = about(view)["version"]
        for before, end in zip(ends, [*ends[1:], len(data)], strict=True):
            version = about(view)["version"]
            append(path, data[before:end])
            until(lambda version=version: about(view)["version"] > version)  # type: ignore[misc]  # bound at once
        until(lambda: not about(view)["live"]["text"])
        last = about(view)["version"]
        assert last >= first + KEPT
        with pytest.raises(OutdatedError):
            view.answer("about", {"version": str(first)})
        for version in range(last - KEPT + 1, last + 1):
            found = view.answer("about", {"version": str(version)}) or {}
            assert found["version"] == version
        view.change("bookmark", {"time": "4000", "text": "now it is closed"})
        assert [one["text"] for one in about(view)["bookmarks"]] == ["now it is closed"]


def test_a_tape_that_is_replaced_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "grows.tape"
    path.write_bytes(marked(tmp_path / "whole.tape", 100).read_bytes()[:-200])
    with open_view(path) as view:
        events = about(view)["events"]
        with pytest.raises(TickertapeError, match=r"still being read|not closed"):
            view.change("bookmark", {"time": "400", "text": "x"})
        marked(tmp_path / "other.tape", 400).replace(path)
        until(lambda: "replaced" in (view.news() or {})["error"])
        assert about(view)["events"] == events


class Silent:
    """A target without any events."""

    def state(self) -> dict[str, Any]:
        return {"state": "recording", "text": ""}

    def change(self, name: str, arguments: object) -> None:
        del name, arguments


def test_a_stream_that_never_comes_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "grows.tape"
    data = marked(tmp_path / "whole.tape", 100).read_bytes()
    path.write_bytes(data[:-200])
    with open_growing(path, target=Silent(), stream=3) as view:
        append(path, data[-200:])
        until(lambda: "No records of stream 3 have arrived" in (view.news() or {})["text"])
    path.write_bytes(data[:-200])
    with pytest.raises(UsageError, match="no stream 3"), open_view(path, stream=3):
        pass


def live(served: Served, **headers: str) -> Any:  # noqa: ANN401 - a connection
    """Open the page's WebSocket as the page does; `headers` replace or remove the usual ones."""
    port = served.server.port
    root = headers.pop("root", served.root)
    sent = {"origin": f"http://127.0.0.1:{port}", **headers}
    return connect(
        f"ws://127.0.0.1:{port}{root}live",
        additional_headers={name: value for name, value in sent.items() if value},
        open_timeout=HANG_S,
        close_timeout=HANG_S,
        proxy=None,
    )


_FOREIGN: list[dict[str, str]] = [
    {"origin": ""},
    {"origin": "null"},
    {"origin": "http://evil.example"},
    {"origin": "http://127.0.0.1.evil.example"},
    {"sec-fetch-site": "cross-site"},
    {"root": "/wrong/"},
    {"root": "/%00/"},
]


def test_only_its_page_gets_the_news(serve: Callable[..., Served], tmp_path: Path) -> None:
    path = tmp_path / "grows.tape"
    path.write_bytes(marked(tmp_path / "whole.tape", 100).read_bytes()[:-200])
    served = serve(path)
    for headers in _FOREIGN:
        with pytest.raises(InvalidStatus) as refused:
            live(served, **headers)
        assert refused.value.response.status_code == 403, headers
    with live(served) as page:
        assert json.loads(page.recv(HANG_S))["state"] == "growing"


def talk(page: Any, message: str | bytes) -> None:  # noqa: ANN401 - a connection
    for _ in range(100_000):
        page.send(message)


@pytest.mark.parametrize("message", ["x" * 5000, b"\xff" * 5000, "x", b"\xff"])
def test_a_page_that_talks_too_much_is_closed(
    serve: Callable[..., Served], tmp_path: Path, message: str | bytes
) -> None:
    path = tmp_path / "grows.tape"
    path.write_bytes(marked(tmp_path / "whole.tape", 100).read_bytes()[:-200])
    served = serve(path)
    with live(served) as page, live(served) as other:
        page.recv(HANG_S)
        with pytest.raises(ConnectionClosed):
            talk(page, message)
        # Another page is served as before.
        assert json.loads(other.recv(HANG_S))["state"] == "growing"
    assert served.ask("about")["events"] > 0


def test_a_slow_page_misses_news_and_the_next_is_the_latest(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    data = marked(tmp_path / "whole.tape", 100).read_bytes()
    with TapeReader(tmp_path / "whole.tape") as reader:
        ends = [int(one) for one in reader.chunks["offset"][2:]]
    path = tmp_path / "grows.tape"
    path.write_bytes(data[: ends[0]])
    served = serve(path)
    with live(served) as slow, live(served) as quick:
        first = json.loads(slow.recv(HANG_S))
        news = [json.loads(quick.recv(HANG_S))]
        for before, end in zip(ends, [*ends[1:], len(data)], strict=True):
            append(path, data[before:end])
            quick.send("next")
            news.append(json.loads(quick.recv(HANG_S)))
        while news[-1]["text"]:
            quick.send("next")
            news.append(json.loads(quick.recv(HANG_S)))
        assert len({one["version"] for one in news}) > KEPT
        slow.send("next")
        assert json.loads(slow.recv(HANG_S)) == news[-1]
        assert first["version"] < news[-1]["version"]
    with open_index(tmp_path / "whole.tape", keep=False) as whole:
        assert served.ask("about")["events"] == whole.about["events"]

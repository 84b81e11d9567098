"""Requests that the server refuses; no request reaches a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command
    from tests.support.served import Served


def test_the_page_needs_the_token_and_has_a_strict_policy(
    serve: Callable[[Path], Served], tape: Path
) -> None:
    served = serve(tape)
    for name in ("", "page.js", "page.css", "api/about"):
        status, headers, body = served.get(served.root + name)
        assert (status, bool(body)) == (200, True)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        for root in ("/", "/wrong/", "//", f"/{served.root.strip('/')[:-1]}/", "/%00/"):
            status, headers, body = served.get(root + name)
            assert status in {403, 404}
            assert b"tickertape" not in body
            assert "content-security-policy" in headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "localhost:1"}, 421),
        ({"host": ""}, 421),
        ({"host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"host": "localhost:{port}"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://127.0.0.1:{port}"}, 403),
        ({"origin": "http://127.0.0.1:{port}"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
    ],
)
def test_another_site_gets_nothing(
    serve: Callable[[Path], Served], tape: Path, headers: dict[str, str], status: int
) -> None:
    served = serve(tape)
    sent = {name: value.format(port=served.server.port) for name, value in headers.items()}
    found, _, body = served.get(f"{served.root}api/about", **sent)
    assert found == status
    assert (b"events" in body) == (status == 200)


@pytest.mark.parametrize(
    "path",
    [
        "../../../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/page.js",
        "/etc/passwd",
        "page.js/",
        "page.js%00.html",
        "server.py",
        "about.json",
        "api/../page.js",
        "api/about/",
        "api/__class__",
        "api/answer",
        "api/",
        "x" * 20_000,
    ],
)
def test_no_path_of_a_request_reaches_a_file(
    serve: Callable[[Path], Served], tape: Path, path: str
) -> None:
    served = serve(tape)
    status, _, body = served.get(served.root + path)
    assert status in {400, 403, 404}
    assert len(body) < 100
    assert served.ask("about")["events"] == 81


@pytest.mark.parametrize(
    "question",
    [
        "tiles",
        "tiles?begin=0&end=0&pixels=10&rows=0",
        "tiles?begin=0&end={end}&pixels=0&rows=0",
        "tiles?begin=0&end={end}&pixels=5000&rows=0",
        "tiles?begin=0&end={end}&pixels=10&rows=9999",
        "tiles?begin=0&end={end}&pixels=10&rows=-1",
        "tiles?begin=0&end={end}&pixels=10&rows=0,,0",
        "tiles?begin=0&end={end}&pixels=10&rows=" + "0," * 200 + "0",
        "tiles?begin=-1&end={end}&pixels=10&rows=0",
        "tiles?begin=0&end=99999999999999999999&pixels=10&rows=0",
        "tiles?begin=NaN&end=1e9&pixels=10&rows=0",
        "tiles?begin=%D9%A1&end={end}&pixels=10&rows=0",
        "events?time=0&before=501&after=1",
        "events?time=&before=1&after=1",
        "stats?begin=5&end=1",
        "find?name=a",
    ],
)
def test_a_wrong_question_is_refused_in_one_line(
    serve: Callable[[Path], Served], tape: Path, question: str
) -> None:
    served = serve(tape)
    end = served.ask("about")["end"]
    status, headers, body = served.get(f"{served.root}api/{question.format(end=end)}")
    assert status == 400
    assert headers["content-type"] == "application/json"
    assert b"Traceback" not in body
    assert b"; " in body


def test_it_listens_to_this_machine_alone(serve: Callable[[Path], Served], tape: Path) -> None:
    served = serve(tape)
    assert served.server.address.startswith(f"http://127.0.0.1:{served.server.port}/")
    assert len(served.root) > 30


def test_a_port_in_use_is_one_line(
    serve: Callable[[Path], Served], tape: Path, tickertape: Command
) -> None:
    served = serve(tape)
    done = tickertape("view", tape, "--no-open", "--port", str(served.server.port))
    assert_complaint(done, 3, f"port {served.server.port}", "another port")

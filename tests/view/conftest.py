"""Servers of `tickertape view`, and a browser."""

from __future__ import annotations

import shutil
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.support.command import COMMAND
from tests.support.patience import HANG_S
from tests.support.served import Served
from tickertape.view.opening import open_pair, open_view
from tickertape.view.server import Server

_PATIENCE_MS = HANG_S * 500

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Page

    from tickertape.view.server import Answers


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Served]]:
    """Serve tapes or pairs until the test ends, with a cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    stops: list[Callable[[], None]] = []

    def start(tape: Path, other: Path | None = None) -> Served:
        opened: AbstractContextManager[Answers]
        opened = open_view(tape) if other is None else open_pair((tape, other))
        server = Server(opened.__enter__())
        ready = threading.Event()
        thread = threading.Thread(target=server.run, args=(ready.set,))
        thread.start()
        assert ready.wait(HANG_S)

        def stop() -> None:
            server.stop()
            thread.join(HANG_S)
            opened.__exit__(None, None, None)

        stops.append(stop)
        return Served(server)

    yield start
    for stop in stops:
        stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        # Chromium's sandbox refuses root; the pages come from this test only.
        found = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser, serve: Callable[..., Served]) -> Iterator[Page]:
    """Open a page; fail the test after a script error, a refused or a remote resource.

    The page closes before the servers, because it may have open requests.
    """
    del serve
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(_PATIENCE_MS)
    found = context.new_page()
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("console", lambda one: wrong.append(one.text) if is_wrong(one) else None)
    found.on("dialog", lambda dialog: wrong.append(dialog.message))
    found.on("request", lambda one: None if is_local(one.url) else wrong.append(one.url))
    yield found
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def inversion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a tape of the example priority_inversion."""
    path = tmp_path_factory.mktemp("inversion") / "inversion.tape"
    words = ("run", "--target", "native", "--example", "priority_inversion", "--quiet")
    subprocess.run([COMMAND, *words, "-o", path], check=True, timeout=HANG_S)
    return path


def is_wrong(message: ConsoleMessage) -> bool:
    """Report whether a message is an error other than 410 Gone, the reply for an outdated index."""
    return message.type == "error" and "410 (Gone)" not in message.text


def is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "file:", "data:"))

"""Servers of `tickertape view`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tests.support.served import Served
from tickertape.view.opening import open_pair, open_view
from tickertape.view.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tickertape.view.server import Answers


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Served]]:
    """Serve tapes, or pairs, until the test ends; their indexes are in a cache of this test."""
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

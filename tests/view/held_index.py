"""A tape that counts as large, and a hold on its whole index until a test releases it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.patience import HANG_S
from tickertape.view import opening, sample
from tickertape.view.index import made
from tools.bench.mix import services, write_tape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

    from tickertape.errors import TickertapeError
    from tickertape.tape.reader import TapeReader
    from tickertape.view.index import Index, Place

RECORDS = 100_000


def large_tape(folder: Path) -> Path:
    """Write a tape of RECORDS simple events without any loss."""
    path = folder / "large.tape"
    assert write_tape(path, RECORDS, services()) == RECORDS
    return path


@contextmanager
def held(
    monkeypatch: pytest.MonkeyPatch, error: TickertapeError | None = None
) -> Iterator[Callable[[], None]]:
    """Let small tapes count as large and delay the whole index.

    Args:
        monkeypatch: undoes the changes after the test.
        error: raised instead of making the whole index; None to make it.

    Yields:
        A function that ends the delay.
    """
    go = threading.Event()

    def make(
        reader: TapeReader, place: Place, stream: int | None, tell: Callable[[int, int], None]
    ) -> Index:
        if not isinstance(reader, sample.SampleReader):
            assert go.wait(HANG_S)
            if error is not None:
                raise error
        return made(reader, place, stream, tell)

    monkeypatch.setattr(opening, "LARGE_RECORDS", 1000)
    monkeypatch.setattr(sample, "SAMPLED_RECORDS", RECORDS // 20)
    monkeypatch.setattr(opening, "made", make)
    try:
        yield go.set
    finally:
        go.set()

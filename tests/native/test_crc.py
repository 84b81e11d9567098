"""The compiled CRC equals zlib's for every length and alignment."""

from __future__ import annotations

import os
import random
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.native.sanitized import VARIABLE, run_sanitized
from tickertape._native import crc
from tickertape._native.engine import using

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ctypes import CDLL
    from pathlib import Path


@pytest.fixture(autouse=True)
def through(compiled: CDLL, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make crc32() use this library for data of any size."""
    if not compiled.tt_crc32_available():
        pytest.skip("this processor has no carry-less multiplication")
    monkeypatch.setattr(crc, "_WORTH_BYTES", 0)
    with using(compiled):
        yield


@pytest.mark.parametrize("sizes", [range(200), range(4090, 4110), [65_536, 1_000_003]])
def test_agrees_with_zlib(sizes: list[int]) -> None:
    data = random.Random(1).randbytes(max(sizes) + 16)
    view = memoryview(data)
    for size in sizes:
        for start in (0, 1, 15):
            part = view[start : start + size]
            assert crc.crc32(part) == zlib.crc32(part)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 79, 80, 127, 128, 1000])
def test_reads_nothing_beyond_its_end(size: int) -> None:
    """The data have memory of exactly their size, so that a sanitizer detects every overrun."""
    data = np.frombuffer(random.Random(size).randbytes(size), np.uint8).copy()
    assert crc.crc32(data.data) == zlib.crc32(data.data)


def test_short_data_go_to_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crc, "_WORTH_BYTES", 6)
    monkeypatch.setattr(crc, "engine", None)  # calling it fails
    assert crc.crc32(b"short") == zlib.crc32(b"short")


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)

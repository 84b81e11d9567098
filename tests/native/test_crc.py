"""The compiled CRC is zlib's, for every length and alignment."""

from __future__ import annotations

import random
import subprocess
import zlib
from typing import TYPE_CHECKING

import pytest

from tickertape._native import crc

if TYPE_CHECKING:
    from ctypes import CDLL
    from pathlib import Path


@pytest.fixture
def through(compiled: CDLL, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let crc32() use the library of this test, whatever the size."""
    if not compiled.tt_crc32_available():
        pytest.skip("this processor has no carry-less multiplication")
    crc._compiled.cache_clear()
    monkeypatch.setattr(crc, "library", lambda: compiled)
    monkeypatch.setattr(crc, "_WORTH_BYTES", 0)


@pytest.mark.usefixtures("through")
@pytest.mark.parametrize("sizes", [range(200), range(4090, 4110), [65_536, 1_000_003]])
def test_agrees_with_zlib(sizes: list[int]) -> None:
    data = random.Random(1).randbytes(max(sizes) + 16)
    view = memoryview(data)
    for size in sizes:
        for start in (0, 1, 15):
            part = view[start : start + size]
            assert crc.crc32(part) == zlib.crc32(part)
    crc._compiled.cache_clear()


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 79, 80, 127, 128, 1000])
def test_reads_nothing_beyond_its_end(compiled: CDLL, sanitized: Path, size: int) -> None:
    data = random.Random(size).randbytes(size)
    done = subprocess.run([str(sanitized), str(size)], input=data, capture_output=True, check=False)
    assert done.stderr == b""
    expected = zlib.crc32(data) if compiled.tt_crc32_available() else 0
    assert int.from_bytes(done.stdout, "little") == expected


def test_short_data_go_to_zlib() -> None:
    assert crc.crc32(b"short") == zlib.crc32(b"short")

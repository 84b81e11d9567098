"""Every libFuzzer target builds and runs for a moment; a deliberate fault is found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tools.fuzz import compiled, compiled_targets
from tools.fuzz.compiled_targets import TARGETS
from tools.fuzz.seeds import seeds_of

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = 1000
BROKEN_CRC = """
#include "interface.h"
int tt_crc32_available(void) { return 1; }
uint32_t tt_crc32(const uint8_t *data, uint64_t size) { return size > 3u ? data[size] : 0u; }
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_anything(name: str) -> None:
    count, failure = compiled.smoke(name, INPUTS)
    assert failure == ""
    assert count.inputs >= INPUTS


def test_every_source_has_its_target() -> None:
    sources = {path.stem for path in (compiled_targets.ROOT / "tests/fuzz").glob("fuzz_*.c")}
    assert sources == {f"fuzz_{name}" for name in TARGETS}


def test_seeds_fit() -> None:
    for name, target in TARGETS.items():
        assert all(len(seed) <= target.max_bytes for seed in seeds_of(name)), name


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the target crc32 use a wrong CRC that also reads beyond its input."""
    source = tmp_path / "crc32.c"
    source.write_text(BROKEN_CRC)
    monkeypatch.setitem(TARGETS, "crc32", replace(TARGETS["crc32"], sources=[source]))
    return "crc32"


@pytest.mark.timeout(600)
def test_what_is_broken_is_found_and_kept(tmp_path: Path, broken: str) -> None:
    found = list(compiled.search([broken], until=10_000, seconds=0, state=tmp_path))
    assert len(found) == 1
    _, count, failure = found[0]
    assert "heap-buffer-overflow" in failure or "does not hold" in failure
    assert count.failures
    assert (tmp_path / broken / count.failures[0]).exists()


@pytest.mark.timeout(600)
def test_a_search_goes_on_where_it_ended(tmp_path: Path) -> None:
    list(compiled.search(["running"], until=1500, seconds=0, state=tmp_path))
    once = compiled.counts(tmp_path)["running"].inputs
    assert 1500 <= once < 4000
    assert not list(compiled.search(["running"], until=1500, seconds=0, state=tmp_path))
    list(compiled.search(["running"], until=once + 500, seconds=0, state=tmp_path))
    assert compiled.counts(tmp_path)["running"].inputs >= once + 500
    assert "running" in compiled.table(compiled.counts(tmp_path))

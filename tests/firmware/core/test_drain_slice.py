"""Short steps of the drain (TT_CONFIG_DRAIN_SLICE) send the same records as long ones."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.link_reader import LinkReader
from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(1, 7)
WHOLE = 0


def read(program: Path, link: Path, seed: int) -> LinkReader:
    """Run the driver; return a reader with the bytes of its link."""
    done = subprocess.run(
        [program, str(seed), link], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    reader = LinkReader()
    reader.read(link.read_bytes())
    return reader


def built(folder: Path, records: int) -> Path:
    """Build the driver with this many records in a step."""
    folder.mkdir()
    define = f"TT_CONFIG_DRAIN_SLICE={records}"
    return build_driver(folder, "slice_driver.c", define, sources=[PLAIN_PORT])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[int, LinkReader]:
    folder = tmp_path_factory.mktemp("whole")
    program = built(folder / "program", WHOLE)
    return {seed: read(program, folder / "link", seed) for seed in SEEDS}


@pytest.mark.parametrize("records", [1, 7, 50, 128])
def test_every_length_of_a_step_sends_the_same_records(
    tmp_path: Path, whole: dict[int, LinkReader], records: int
) -> None:
    program = built(tmp_path / "program", records)
    for seed, expected in whole.items():
        reader = read(program, tmp_path / "link", seed)
        balance = reader.balance()
        assert reader.final
        assert reader.records == expected.records
        assert balance == expected.balance()
        assert balance["damaged"] == 0
        assert reader.class_counters == expected.class_counters
        bodies = reader.raw_buffers + len(reader.packed)
        assert bodies >= -(-len(reader.records) // records)


def test_the_runs_have_what_matters(whole: dict[int, LinkReader]) -> None:
    """Losses of both kinds, packed and raw buffers, times beyond a period of the counter."""
    readers = whole.values()
    assert any(reader.balance()["dropped"] for reader in readers)
    assert any(reader.balance()["overwritten"] for reader in readers)
    assert all(reader.packed and reader.raw_buffers for reader in readers)
    assert all(reader.records[-1].time > 1 << 33 for reader in readers)

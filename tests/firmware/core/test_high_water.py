"""The fill at which the drain is notified (high_water_driver.c), and the records it then takes."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = 128


@pytest.mark.parametrize(
    ("percent", "high_water"),
    [
        (None, 103),  # 80 % of 128, rounded up
        (1, 2),
        (50, 64),
        (81, 104),
        (100, 128),
    ],
)
def test_the_drain_is_notified_at_the_high_water_mark(
    tmp_path: Path, percent: int | None, high_water: int
) -> None:
    defines = [f"TT_CONFIG_BUFFER_RECORDS={RECORDS}"]
    if percent is not None:
        defines.append(f"TT_CONFIG_HIGH_WATER_PERCENT={percent}")
    program = build_driver(tmp_path, "high_water_driver.c", *defines, sources=[PLAIN_PORT])
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=HANG_S)
    offered, sent = map(int, done.stdout.split())
    # The record after the mark notifies the drain, which then sends all records up to it; of a full
    # buffer, it sends all but the record that went into the next one.
    assert offered == high_water + 1
    assert sent == (high_water if high_water == RECORDS else offered)

"""The 64-bit clock never steps back, whenever an interrupt comes and however long it takes."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, STEP_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the driver steps through x86-64 instructions"
)
def test_an_interrupt_of_almost_a_period_changes_nothing(tmp_path: Path) -> None:
    run_driver(tmp_path, "clock_driver.c", sources=[STEP_PORT])


@pytest.mark.parametrize("defines", [(), ("PORT_HAS_TIME=1",)])
def test_a_late_poll_is_reported_where_it_can_be_seen(
    tmp_path: Path, defines: tuple[str, ...]
) -> None:
    run_driver(tmp_path, "late_poll_driver.c", *defines, sources=[STEP_PORT])


@pytest.mark.parametrize("defines", [(), ("PORT_HAS_CPUS=1", "TT_CONFIG_CPUS=2")])
def test_a_sleep_of_any_length_cannot_put_time_below_its_start(
    tmp_path: Path, defines: tuple[str, ...]
) -> None:
    run_driver(tmp_path, "clock_sweep_driver.c", *defines, sources=[STEP_PORT])


def test_the_cycle_counter_is_unlocked_and_shown_to_count(tmp_path: Path) -> None:
    registers = FIRMWARE / "links/byte_ring.c"  # any source of the folder of the header
    run_driver(tmp_path, "dwt_clock_driver.c", sources=[PLAIN_PORT, registers])

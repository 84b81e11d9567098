"""The network with static addresses of boards (links/ipv4.c); ipv4_driver.c has the checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


def test_every_expectation_holds(tmp_path: Path) -> None:
    run_driver(tmp_path, "ipv4_driver.c", sources=[FIRMWARE / "links" / "ipv4.c", PLAIN_PORT])

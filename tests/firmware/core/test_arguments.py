"""Public functions refuse or bound arguments out of their range; a new name wakes the drain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


def test_arguments_out_of_range_do_no_harm(tmp_path: Path) -> None:
    run_driver(tmp_path, "arguments_driver.c", "TT_CONFIG_DEFINITIONS=4", sources=[PLAIN_PORT])

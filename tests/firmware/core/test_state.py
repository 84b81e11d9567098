"""The state dump at a stream's start (state_driver.c), under interrupts and the sanitizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.core_driver import run_driver

if TYPE_CHECKING:
    from pathlib import Path


def test_every_expectation_holds(tmp_path: Path) -> None:
    # Large enough for all records of the tests, so that each can be checked.
    run_driver(tmp_path, "state_driver.c", "TT_CONFIG_BUFFERS=16", "TT_CONFIG_BUFFER_RECORDS=512")

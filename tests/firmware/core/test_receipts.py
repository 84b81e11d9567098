"""Receipts are never read torn: counters that others change agree with each other."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import STEP_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the driver steps through x86-64 instructions"
)
SIZES = ("TT_CONFIG_BUFFERS=4", "TT_CONFIG_BUFFER_RECORDS=16")


def test_no_moment_gives_receipts_that_disagree(tmp_path: Path) -> None:
    """An interrupt after each instruction of what makes a STATUS, or looks at the counters."""
    run_driver(tmp_path, "receipts_driver.c", "TT_CONFIG_READERS=1", *SIZES, sources=[STEP_PORT])

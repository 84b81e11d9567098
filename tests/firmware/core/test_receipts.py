"""Receipts are consistent: counters agree even if they change while they are read."""

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
TWO_CPUS = ("TT_CONFIG_CPUS=2", "PORT_HAS_CPUS=1")
SIZES = ("TT_CONFIG_BUFFERS=4", "TT_CONFIG_BUFFER_RECORDS=16")


def test_no_moment_gives_receipts_that_disagree(tmp_path: Path) -> None:
    """An interrupt comes after each instruction of code that makes a STATUS or reads counters."""
    run_driver(tmp_path, "receipts_driver.c", "TT_CONFIG_READERS=1", *SIZES, sources=[STEP_PORT])


def test_another_cpu_reads_the_counters_of_one_moment(tmp_path: Path) -> None:
    """Reader and writer on two CPUs: one stops after each instruction while the other runs."""
    run_driver(tmp_path, "snapshot_driver.c", *TWO_CPUS, *SIZES, sources=[STEP_PORT])


def test_nothing_is_offered_after_the_last_status(tmp_path: Path) -> None:
    """Another CPU stops and drains the stream after any instruction of an emit."""
    run_driver(tmp_path, "decision_driver.c", *TWO_CPUS, *SIZES, sources=[STEP_PORT])


def test_one_of_drain_and_reader_has_a_buffer(tmp_path: Path) -> None:
    """A reader takes a buffer after any instruction of the drain's step."""
    run_driver(tmp_path, "lent_driver.c", "TT_CONFIG_READERS=1", *SIZES, sources=[STEP_PORT])

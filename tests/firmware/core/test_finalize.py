"""Finalized buffers: the records of a trace, lost traces, and the counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("buffers", "records"), [(4, 16), (5, 40)])
def test_traces_and_the_law_of_loss(tmp_path: Path, buffers: int, records: int) -> None:
    sizes = (f"TT_CONFIG_BUFFERS={buffers}", f"TT_CONFIG_BUFFER_RECORDS={records}")
    run_driver(tmp_path, "finalize_driver.c", "TT_CONFIG_FINALIZE=1", *sizes, sources=[PLAIN_PORT])


def test_the_time_of_a_slow_trace(tmp_path: Path) -> None:
    """The header of a buffer that stayed open for many periods leads to the time of each record."""
    defines = ("TT_CONFIG_FINALIZE=1", "TT_CONFIG_BUFFER_RECORDS=16")
    run_driver(tmp_path, "slow_trace_driver.c", *defines, sources=[PLAIN_PORT])

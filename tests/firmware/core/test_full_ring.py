"""A ring without a free buffer: records are dropped and counted, and every call returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("buffers", "records"), [(4, 16), (5, 40)])
def test_every_policy_accounts_for_what_finds_no_buffer(
    tmp_path: Path, buffers: int, records: int
) -> None:
    sizes = (f"TT_CONFIG_BUFFERS={buffers}", f"TT_CONFIG_BUFFER_RECORDS={records}")
    run_driver(tmp_path, "full_ring_driver.c", "TT_CONFIG_FINALIZE=1", *sizes, sources=[PLAIN_PORT])

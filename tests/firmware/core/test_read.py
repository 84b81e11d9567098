"""Readers on the target: every record once and in order, or counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("buffers", "records"), [(4, 16), (7, 40)])
def test_what_is_read_and_the_law_of_loss(tmp_path: Path, buffers: int, records: int) -> None:
    sizes = (f"TT_CONFIG_BUFFERS={buffers}", f"TT_CONFIG_BUFFER_RECORDS={records}")
    run_driver(tmp_path, "read_driver.c", "TT_CONFIG_READERS=1", *sizes, sources=[PLAIN_PORT])

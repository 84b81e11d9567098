"""Two records in one step keep order, time and the law of loss, wherever a buffer ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("buffers", "records"), [(4, 16), (5, 40)])
@pytest.mark.parametrize("streams", [1, 2])
def test_two_records_of_one_step(tmp_path: Path, buffers: int, records: int, streams: int) -> None:
    sizes = (f"TT_CONFIG_BUFFERS={buffers}", f"TT_CONFIG_BUFFER_RECORDS={records}")
    run_driver(
        tmp_path, "two_driver.c", f"TT_CONFIG_STREAMS={streams}", *sizes, sources=[PLAIN_PORT]
    )

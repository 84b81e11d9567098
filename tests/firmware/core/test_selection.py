"""The running streams that select an event record it, and no other stream does."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(4)
ROUNDS = 60


@pytest.mark.parametrize("masks", [0, 4, 32])
@pytest.mark.parametrize("streams", [1, 2, 3, 8])
def test_every_event_lands_where_it_is_selected(tmp_path: Path, streams: int, masks: int) -> None:
    """Random selection, forms, starts and stops, compared with the driver's own table."""
    sizes = (
        *("TT_CONFIG_BUFFERS=4", "TT_CONFIG_BUFFER_RECORDS=32"),
        f"TT_CONFIG_EVENT_MASKS={masks}",
    )
    driver = build_driver(
        tmp_path, "selection_driver.c", f"TT_CONFIG_STREAMS={streams}", *sizes, sources=[PLAIN_PORT]
    )
    for seed in SEEDS:
        done = subprocess.run(
            [driver, str(seed), str(ROUNDS)],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, "")

"""The smallest room of a link that suffices (least_link_driver.c), under the sanitizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("packing", [0, 1])
@pytest.mark.parametrize("records", [16, 128, 4000])
def test_the_least_room_carries_every_buffer_and_the_end(
    tmp_path: Path, records: int, packing: int
) -> None:
    sizes = (f"TT_CONFIG_BUFFER_RECORDS={records}", f"TT_CONFIG_PACKING={packing}")
    run_driver(tmp_path, "least_link_driver.c", *sizes, sources=[PLAIN_PORT])


def test_a_host_that_sends_without_end_does_not_keep_the_drain(tmp_path: Path) -> None:
    run_driver(tmp_path, "flood_driver.c", sources=[PLAIN_PORT])

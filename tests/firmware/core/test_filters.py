"""Filters, handlers and shedding on the target (filter_driver.c), under the sanitizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("buffers", "records", "masks"), [(2, 16, 0), (4, 32, 1), (8, 128, 0), (8, 128, 16)]
)
def test_every_expectation_holds(tmp_path: Path, buffers: int, records: int, masks: int) -> None:
    sizes = (f"TT_CONFIG_BUFFERS={buffers}", f"TT_CONFIG_BUFFER_RECORDS={records}")
    options = (*sizes, f"TT_CONFIG_EVENT_MASKS={masks}")
    run_driver(tmp_path, "filter_driver.c", *options, sources=[PLAIN_PORT])


@pytest.mark.parametrize("places", [2, 8])
def test_threads_that_switch_in_a_handler_are_not_shown_what_it_records(
    tmp_path: Path, places: int
) -> None:
    sizes = (f"TT_CONFIG_HANDLER_RUNS={places}", "TT_CONFIG_BUFFERS=8")
    run_driver(tmp_path, "handler_switch_driver.c", *sizes, sources=[PLAIN_PORT])

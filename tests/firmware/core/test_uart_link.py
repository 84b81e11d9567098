"""One interrupt of a UART clears its cause, whichever error flags are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


def test_every_combination_of_flags_is_served(tmp_path: Path) -> None:
    links = [FIRMWARE / "links" / name for name in ("uart_link.c", "byte_ring.c")]
    run_driver(tmp_path, "uart_link_driver.c", sources=[PLAIN_PORT, *links])

"""The number of waiting events (QUERYEVENTS of the QNX view), at any step of the drain."""

from __future__ import annotations

from pathlib import Path

from tests.support.core_driver import FIRMWARE, run_driver

QNX = FIRMWARE / "facades" / "qnx"


def test_what_waits_is_never_negative(tmp_path: Path) -> None:
    driver = Path(__file__).with_name("qnx_waiting_driver.c")
    run_driver(tmp_path, driver, sources=sorted(QNX.glob("*.c")))

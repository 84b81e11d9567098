"""The S.Ha.R.K. API on the recorder, function by function; shark_driver.c says what is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware.core.driver import FIRMWARE, run_driver

HERE = Path(__file__).parent
SHARK = FIRMWARE / "facades" / "shark"
SOURCES = ("trc.c", "trc_events.c", "trc_file.c", "trc_queue.c", "trc_udp.c")


@pytest.mark.parametrize("more", [(), ("BEEP_WITHOUT_CLASS=1",)], ids=["class", "no class"])
def test_every_function(tmp_path: Path, more: tuple[str, ...]) -> None:
    run_driver(
        tmp_path,
        HERE / "shark_driver.c",
        *("TT_CONFIG_STREAMS=4", "TT_CONFIG_BUFFERS=4", "TT_CONFIG_BUFFER_RECORDS=16"),
        *("TT_CONFIG_FILTERS=32", f'TRC_TYPES_FILE="{HERE / "beep.h"}"'),
        *more,
        sources=[SHARK / name for name in SOURCES],
    )

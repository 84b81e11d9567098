"""The S.Ha.R.K. API on the recorder, function by function; the C drivers contain the checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, run_driver

HERE = Path(__file__).parent
SHARK = FIRMWARE / "facades" / "shark"
SOURCES = ("trc.c", "trc_events.c", "trc_file.c", "trc_queue.c", "trc_udp.c")
LARGE = ("LARGE_BUFFERS=1",)
CLASS_OR_NONE = pytest.mark.parametrize(
    "more", [(), ("BEEP_WITHOUT_CLASS=1",)], ids=["class", "no class"]
)


def run(folder: Path, driver: str, *more: str) -> None:
    run_driver(
        folder,
        HERE / driver,
        *("TT_CONFIG_STREAMS=4", "TT_CONFIG_BUFFERS=4"),
        f"TT_CONFIG_BUFFER_RECORDS={128 if more == LARGE else 16}",
        *("TT_CONFIG_FILTERS=32", "TT_CONFIG_EVENT_MASKS=2", f'TRC_TYPES_FILE="{HERE / "beep.h"}"'),
        *more,
        sources=[*(SHARK / name for name in SOURCES), HERE / "shark_view.c", PLAIN_PORT],
    )


@CLASS_OR_NONE
def test_every_function(tmp_path: Path, more: tuple[str, ...]) -> None:
    run(tmp_path, "shark_driver.c", *more)


@pytest.mark.parametrize("more", [(), LARGE], ids=["small", "large"])
def test_queues_that_a_task_sends(tmp_path: Path, more: tuple[str, ...]) -> None:
    run(tmp_path, "shark_server_driver.c", *more)

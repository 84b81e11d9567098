"""Announcements get a share of a slow link, records the rest of it (slow_link_driver.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.link_reader import LinkReader
from tools.bench.slow_link import Case, run

if TYPE_CHECKING:
    from pathlib import Path

HARD_CASES = [
    Case(9600, 1, 1, 14, 50),
    Case(9600, 1, 1, 90, 50),
    Case(9600, 8, 1, 5, 50),
    Case(9600, 1, 1, 14, 400),
    Case(115200, 8, 2, 90, 200),
]
NAMES_WITHIN_MS = 60_000
STATUS_EVERY_MS = 10_000


# Sizes of the UART's ring: more and less than a buffer.
RINGS = [*((case, 4096) for case in HARD_CASES), *((case, 1024) for case in HARD_CASES[2:])]


@pytest.mark.parametrize(("case", "fifo_bytes"), RINGS, ids=str)
def test_announcements_leave_the_records_their_link(
    case: Case, fifo_bytes: int, tmp_path: Path
) -> None:
    defines = (
        f"TT_CONFIG_STREAMS={case.streams}",
        f"TT_CONFIG_CPUS={case.cpus}",
        f"FIFO_BYTES={fifo_bytes}u",
    )
    program = build_driver(tmp_path, "slow_link_driver.c", *defines, sources=[PLAIN_PORT])
    link = tmp_path / "link"
    alone = run(program, case, link, announces=False)
    beside = run(program, case, link)
    assert beside.sent >= 0.9 * alone.sent
    assert beside.names_ms is not None
    assert beside.names_ms <= NAMES_WITHIN_MS
    assert beside.status_gap_ms <= STATUS_EVERY_MS
    for stream in range(case.streams):
        reader = LinkReader(stream=stream)
        reader.read(link.read_bytes())
        balance = reader.balance()
        assert reader.final
        assert balance["offered"] == balance["delivered"] + balance["dropped"] > 0
        assert balance["damaged"] == balance["overwritten"] == 0

"""Zephyr records put and get of an item in this order; needs a real Zephyr tree."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    build,
    needs_zephyr,
    run,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def test_an_item_is_put_before_it_is_taken_out(tmp_path: Path) -> None:
    """The receiver waits and is more urgent than the sender; the item uses a pipe or a mailbox."""
    board = "mps2_an385"
    trace = run(build(APPS / "handover", board), board, tmp_path / "T.tape")
    told: dict[str | None, list[str]] = defaultdict(list)
    for event in trace.events:
        kind, name = event.name.split(".")
        if kind == "COMM":
            told[trace.symbols.lookup(event.words[0])].append(name)
    assert told["pipe"] == ["SPULSE", "RPULSE"] * 20
    assert told["mailbox"] == ["SPULSE", "RPULSE"] * 30
    begun = [event.name for event in trace.events].count
    assert begun("KERCALL.QUEUE_PUT_ENTER") == begun("KERCALL.QUEUE_PUT_EXIT") > 50

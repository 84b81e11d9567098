"""Recorded stack and heap figures equal those of the kernel; needs a real Zephyr tree."""

from __future__ import annotations

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

BOARD = "mps2_an385"
STACK_BYTES, USED_BYTES = 1024, 500

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def test_stacks_and_heaps_are_as_the_kernel_says(tmp_path: Path) -> None:
    trace = run(build(APPS / "memory", BOARD), BOARD, tmp_path / "T.tape")
    words: dict[str, list[tuple[int, ...]]] = {}
    for event in trace.events:
        words.setdefault(event.name, []).append(event.words)
    ((deep, unused_bytes),) = words["USER.USER_1"]
    unused, sizes = (
        {event.words[0]: event.words[1] for event in trace.events if event.name == name}
        for name in ("SYSTEM.STACK_UNUSED", "SYSTEM.STACK_SIZE")
    )
    assert unused.keys() == sizes.keys()
    assert set(trace.tids.values()) - {0} <= unused.keys()
    assert [(len(unused), 0)] == words["USER.USER_3"]
    assert unused[deep] == unused_bytes < STACK_BYTES - USED_BYTES
    assert sizes[deep] >= STACK_BYTES
    # The port records the heap's free bytes at each change, before the program asks the kernel.
    pool = next(one.address for one in trace.symbols if one.name == "pool")
    heap = [e for e in trace.events if e.name == "USER.USER_2" or e.words[0] == pool]
    written = [event for event in heap if event.name != "KERCALL.MEMORY_ALLOC_ENTER"]
    asked = [row for row, event in enumerate(written) if event.name == "USER.USER_2"]
    assert len(asked) == 5
    for row in asked:
        assert written[row - 1].name == "SIGNAL.WRITE"
        assert written[row - 1].words[1] == written[row].words[0]


def test_little_memory_keeps_the_balance(tmp_path: Path) -> None:
    """A turn of apps/contended makes about as many records as the rings can hold."""
    folder = build(APPS / "contended", BOARD, "-DCONFIG_TICKERTAPE_SMALL=y", name="small")
    trace = run(folder, BOARD, tmp_path / "T.tape", may_lose=True)
    turns = [event.words[0] for event in trace.events if event.name == "USER.USER_0"]
    assert turns == list(range(20))

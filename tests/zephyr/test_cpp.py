"""Trace of the C++ sample on emulated boards; needs a real Zephyr tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    BOARDS,
    BUILD_SECONDS,
    RUN_SECONDS,
    SAMPLES,
    build,
    needs_zephyr,
    run,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


@pytest.mark.parametrize("board", BOARDS)
def test_the_sample_in_cpp(board: str, tmp_path: Path) -> None:
    trace = run(build(SAMPLES / "hello_cpp", board), board, tmp_path / "T.tape", seconds=2)
    assert "loop" in trace.tids
    by_name = {
        number: [event for event in trace.events if event.name == f"USER.USER_{number}"]
        for number in range(1, 5)
    }
    outputs = [event.words[0] for event in by_name[1]]
    assert outputs == list(range(1, len(outputs) + 1))
    assert len(outputs) > 100
    numbers = list(range(1, len(outputs) // 10 + 1))
    assert [event.words[0] for event in by_name[2]] == numbers
    assert [event.words[0] for event in by_name[3]] in (numbers, numbers[:-1])
    reports = [event.payload or b"" for event in by_name[4]]
    assert [(int.from_bytes(one[:4], "little"), one[8:]) for one in reports] == [
        (number, b"report") for number in numbers[: len(reports)]
    ]
    turns = [event.name for event in trace.events if event.name.startswith("RUNNABLE.")]
    assert turns[::2] == ["RUNNABLE.BEGIN"] * len(turns[::2])
    assert turns[1::2] == ["RUNNABLE.END"] * len(turns[1::2])

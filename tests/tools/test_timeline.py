"""The picture of a tape: who runs, who waits, who inherits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools import timeline

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


def draw(tape: Path, end: str) -> subprocess.CompletedProcess[str]:
    words: list[str | Path] = [tape, "--from", "0", "--to", end, "-o", tape.with_suffix(".svg")]
    return subprocess.run(
        [sys.executable, "-m", "tools.timeline", *words],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


def test_states_become_bars(tape: Path) -> None:
    done = draw(tape, "0.0004")
    assert done.returncode == 0, done.stderr
    picture = tape.with_suffix(".svg").read_text()
    assert {"producer", "consumer"} <= set(re.findall(r">([^<]*)</text>", picture))
    # 10 turns of 1000 ticks: each thread has a bar and a line in every turn, but for the consumer
    # before its first bar, of which nothing is known.
    assert len(re.findall(r'height="14"', picture)) == 20
    assert len(re.findall(r'height="2"', picture)) == 19


def test_a_tape_without_a_clock_is_refused(make_tape: Callable[[bytes], Path]) -> None:
    done = draw(make_tape(b"noise\0"), "1")
    assert done.returncode == 2
    assert "no HELLO" in done.stderr


def test_a_lane_ends_one_state_where_the_next_begins() -> None:
    lane = timeline._Lane()
    for state, time in (("ready", 1), ("run", 4), ("mutex", 4), ("", 9)):
        lane.enter(state, time)
    assert lane.bars == [("ready", 1, 4), ("mutex", 4, 9)]

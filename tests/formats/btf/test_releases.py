"""A release of a semaphore counts once, in any order of its events."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from tests.support.btf_tapes import HEAD, imported

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = (
    "0,C,0,T,A,0,start\n7,A,0,SEM,S,0,requestsemaphore,2\n7,A,0,SEM,S,0,increment,3\n"
    "7,S,0,SEM,S,0,lock_used,3\n7,A,0,SEM,S,0,assigned,3\n"
)
PARTS = {
    "released": "A,0,SEM,S,0,released,3",
    "decrement": "A,0,SEM,S,0,decrement,2",
    "state": "S,0,SEM,S,0,unlock_full,2",
}


@pytest.mark.parametrize(
    "order",
    [*permutations(PARTS), ("released", "state"), ("decrement", "state"), ("state", "released")],
    ids="-".join,
)
def test_a_release_counts_once(tmp_path: Path, order: tuple[str, ...]) -> None:
    text = HEAD + BEFORE + "".join(f"8,{PARTS[name]}\n" for name in order)
    text += "9,C,0,T,A,0,preempt\n" + "".join(f"12,{PARTS[name]}\n" for name in order)
    report, events = imported(text, tmp_path)
    posts = [one[0] for one in events if one[2] == "SYNC.SEM_SIGNAL"]
    assert posts == [8, 12]
    assert not report.left_out["states of semaphores without a release"]


@pytest.mark.parametrize("later", [0, 1])
@pytest.mark.parametrize("order", [*permutations(("released", "decrement"))], ids="-".join)
def test_a_mutex_is_unlocked_once(tmp_path: Path, order: tuple[str, str], later: int) -> None:
    text = (
        HEAD + "0,C,0,T,A,0,start\n1,A,0,SEM,M,0,requestsemaphore\n1,A,0,SEM,M,0,increment\n"
        f"1,M,0,SEM,M,0,lock\n1,A,0,SEM,M,0,assigned\n4,A,0,SEM,M,0,{order[0]}\n"
        f"{4 + later},A,0,SEM,M,0,{order[1]}\n{4 + later},M,0,SEM,M,0,free\n"
    )
    _, events = imported(text, tmp_path)
    assert [one[2] for one in events].count("SYNC.MUTEX_UNLOCK") == 1


def test_lines_of_a_scheduler_are_counted(tmp_path: Path) -> None:
    text = (
        HEAD + "0,C,0,T,A,0,start\n1,A,0,SCHED,O,-1,processactivate\n"
        "2,A,0,SCHED,O,-1,processterminate\n"
    )
    report, _ = imported(text, tmp_path)
    assert report.left_out["processactivate of a scheduler"] == 1
    assert report.left_out["processterminate of a scheduler"] == 1

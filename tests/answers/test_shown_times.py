"""Times of instances: a thinned-out list gives the same results as all times."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import Row, columns, gap
from tickertape._native.interface import BLOCKING, INSTANCE, INTERVAL
from tickertape.answers.observed import Observed
from tickertape.answers.shown_times import ShownTimes
from tickertape.answers.table import Table

STOP, START = (14, 1), (14, 0)
STEP = 100


def table(times: list[int], entity: int) -> Table:
    rows = np.zeros(len(times), INSTANCE)
    rows["entity"], rows["found"] = entity, times
    return Table(rows, np.zeros(0, BLOCKING), np.zeros(0, INTERVAL))


def has_any(times: list[int], begin: int, end: int) -> bool:
    at = bisect_left(times, begin)
    return at < len(times) and times[at] <= end


@st.composite
def boots(draw: st.DrawFn) -> list[tuple[list[int], str]]:
    """Draw parts: times of instances, and the reason why the part is unknown (empty: known)."""
    times = st.lists(st.integers(0, STEP), max_size=8)
    return draw(st.lists(st.tuples(times, st.sampled_from(["", "gap", "stop"])), min_size=1))


@given(boot=boots())
def test_between_two_losses_the_same_is_known(boot: list[tuple[list[int], str]]) -> None:
    observed, thin, everything, last = Observed(), ShownTimes(many=1), [], 0
    for number, (times, event) in enumerate(boot):
        begin = STEP * number
        rows, lost = [Row(begin), Row(begin + STEP - 1)], []
        if event == "stop":
            rows = [Row(begin), Row(begin + 30, STOP, (0, 0)), Row(begin + 60, START, (0, 0))]
        elif event == "gap" and number:
            lost = [replace(gap(0, 5, since=last), end_ticks=begin)]
        observed.feed(columns(rows, lost))
        last = rows[-1].time
        mine = [begin + one for one in sorted(times)]
        everything += mine
        thin.feed(table(mine, entity=3), observed)
        thin.feed(table([begin], entity=4), observed)
    unknown, kept = observed.unknown(), thin.of(3).tolist()
    assert set(kept) <= set(everything)
    for one in unknown:
        for other in unknown:
            if one.end <= other.begin:
                ours = has_any(kept, one.end, other.begin)
                assert ours == has_any(sorted(everything), one.end, other.begin)


def test_memory_does_not_grow_with_the_tape() -> None:
    observed, shown = Observed(), ShownTimes(many=1000)
    for begin in range(0, 1_000_000, 1000):
        observed.feed(columns([Row(begin), Row(begin + 999)]))
        shown.feed(table(list(range(begin, begin + 1000, 10)), entity=1), observed)
    assert len(shown.of(1)) <= 2000
    assert shown.of(2).tolist() == []

"""The running thread beside each event, compared with a loop over rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import Row, columns, gap, switch
from tickertape.model.running import UNKNOWN, RunningThreads


def test_a_switch_belongs_to_the_thread_that_it_takes_the_cpu_from() -> None:
    rows = [Row(0), switch(1, 1, 2), Row(2), switch(3, 2, 1), Row(4)]
    assert RunningThreads().column(columns(rows)).tolist() == [1, 1, 2, 2, 1]


def test_the_next_chunk_goes_on_and_the_next_boot_does_not() -> None:
    running = RunningThreads()
    running.column(columns([switch(1, 1, 2)]))
    assert running.column(columns([Row(2), switch(3, 2, 1)])).tolist() == [2, 2]
    assert running.column(columns([Row(1)], epoch=1)).tolist() == [UNKNOWN]


def test_a_gap_hides_until_the_next_switch_tells() -> None:
    rows = [switch(1, 1, 2), Row(2), Row(3), switch(4, 3, 1), Row(5)]
    assert RunningThreads().column(columns(rows, [gap(2)])).tolist() == [1, 2, 3, 3, 1]
    rows = [switch(1, 1, 2), Row(2), Row(3), Row(4), switch(5, 4, 1)]
    two = RunningThreads().column(columns(rows, [gap(2), gap(3)]))
    assert two.tolist() == [1, 2, UNKNOWN, 4, 4]


def test_a_gap_at_the_end_hides_the_next_chunk() -> None:
    running = RunningThreads()
    running.column(columns([switch(1, 1, 2)], [gap(1)]))
    assert running.column(columns([Row(2)])).tolist() == [UNKNOWN]


def test_a_gap_in_a_ring_without_rows() -> None:
    running = RunningThreads()
    running.column(columns([switch(1, 1, 2, cpu=1), Row(2)]))
    running.column(columns([Row(3)], [gap(0, cpu=1)]))
    assert running.column(columns([Row(4, cpu=1)])).tolist() == [UNKNOWN]


rows_of_two_cpus = st.lists(
    st.tuples(st.integers(0, 1), st.none() | st.integers(0, 3), st.booleans()), max_size=25
)


@given(rows_of_two_cpus, st.integers(0, 25))
def test_it_is_what_a_loop_finds(plan: list[tuple[int, int | None, bool]], cut: int) -> None:
    """A drawn row: its CPU, the next thread if it is a switch, whether a gap precedes it."""
    rows: list[Row] = []
    gaps = []
    truth = {0: 0, 1: 0}
    known = {0: UNKNOWN, 1: UNKNOWN}
    expected: list[int] = []
    for time, (cpu, following, lost) in enumerate(plan):
        if lost:
            gaps.append(gap(time, cpu=cpu))
            truth[cpu] = (truth[cpu] + 1) % 4
            known[cpu] = UNKNOWN
        expected.append(known[cpu])
        if following is None:
            rows.append(Row(time, cpu=cpu))
            continue
        rows.append(switch(time, truth[cpu], following, cpu=cpu))
        expected[-1] = truth[cpu]
        truth[cpu] = known[cpu] = following
    whole = RunningThreads().column(columns(rows, gaps)).tolist()
    for found, sure, row in zip(whole, expected, rows, strict=True):
        # A later switch may make a thread known to the column that is unknown to the loop.
        assert sure in (found, UNKNOWN), row
    cut = min(cut, len(rows))
    running = RunningThreads()
    before = [g for g in gaps if g.row < cut]
    after = [gap(g.row - cut, cpu=g.cpu) for g in gaps if g.row >= cut]
    parts = running.column(columns(rows[:cut], before)).tolist()
    parts += running.column(columns(rows[cut:], after)).tolist()
    assert all(a == b or UNKNOWN in (a, b) for a, b in zip(parts, whole, strict=True))

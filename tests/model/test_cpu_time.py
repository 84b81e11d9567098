"""Time of one CPU from context switches, compared with a slow model that walks tick by tick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tickertape.model.cpu_time import CpuTime


@dataclass(frozen=True)
class Switch:
    time: int
    prev: int
    following: int


def feed(cpu: CpuTime, begin: int, end: int, switches: list[Switch]) -> None:
    cpu.feed(
        begin,
        end,
        np.array([s.time for s in switches], np.uint64),
        np.array([s.prev for s in switches], np.uint32),
        np.array([s.following for s in switches], np.uint32),
    )


def test_nothing_seen_is_nothing_known() -> None:
    cpu = CpuTime()
    cpu.gap()
    cpu.finish()
    assert (cpu.run_ticks, cpu.unknown_ticks, cpu.observed_ticks) == ({}, 0, 0)


def test_the_first_switch_tells_who_ran_before_it() -> None:
    cpu = CpuTime()
    feed(cpu, 100, 200, [Switch(130, 1, 2)])
    cpu.finish()
    assert cpu.run_ticks == {1: 30, 2: 70}
    assert cpu.running == 2


def test_without_a_switch_nobody_is_known() -> None:
    cpu = CpuTime()
    feed(cpu, 100, 200, [])
    assert cpu.running is None
    cpu.finish()
    assert (cpu.run_ticks, cpu.unknown_ticks) == ({}, 100)


def test_a_gap_makes_only_its_own_time_unknown() -> None:
    cpu = CpuTime()
    feed(cpu, 0, 100, [Switch(10, 1, 2)])
    cpu.gap()
    assert cpu.running is None
    feed(cpu, 140, 200, [Switch(150, 3, 1)])
    cpu.finish()
    assert cpu.run_ticks == {1: 10 + 50, 2: 90, 3: 10}
    assert cpu.unknown_ticks == 40
    assert cpu.contradictions == 0


def test_a_contradiction_without_a_gap_is_unknown_time() -> None:
    cpu = CpuTime()
    feed(cpu, 0, 100, [Switch(10, 1, 2), Switch(30, 3, 1)])
    cpu.finish()
    assert cpu.run_ticks == {1: 10 + 70}
    assert (cpu.unknown_ticks, cpu.contradictions) == (20, 1)


def test_a_gap_at_the_end_and_two_in_a_row() -> None:
    cpu = CpuTime()
    feed(cpu, 0, 50, [Switch(10, 1, 2)])
    cpu.gap()
    cpu.gap()
    cpu.finish()
    assert (cpu.run_ticks, cpu.unknown_ticks, cpu.observed_ticks) == ({1: 10, 2: 40}, 0, 50)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Switch], int, list[int]]:
    """Switches of one CPU from time 0, an end, and where the stream is cut into chunks."""
    threads = draw(st.lists(st.integers(0, 4), min_size=2, max_size=20))
    steps = draw(st.lists(st.integers(0, 9), min_size=len(threads), max_size=len(threads)))
    times = np.cumsum(steps).tolist()
    switches = [
        Switch(time, a, b) for time, a, b in zip(times[1:], threads, threads[1:], strict=False)
    ]
    cuts = draw(st.lists(st.integers(0, len(switches)), max_size=4))
    return switches, times[-1] + draw(st.integers(0, 9)), sorted(cuts)


@given(histories())
def test_chunks_do_not_matter_and_every_tick_counts_once(
    history: tuple[list[Switch], int, list[int]],
) -> None:
    switches, end, cuts = history
    expected: dict[int, int] = {}
    for thread, begin, until in zip(
        [switches[0].prev, *(s.following for s in switches)],
        [0, *(s.time for s in switches)],
        [*(s.time for s in switches), end],
        strict=True,
    ):
        expected[thread] = expected.get(thread, 0) + until - begin
    cpu = CpuTime()
    last = 0
    for begin, until in zip([0, *cuts], [*cuts, len(switches)], strict=True):
        part = switches[begin:until]
        until_time = end if until == len(switches) else part[-1].time if part else last
        feed(cpu, last, until_time, part)
        last = until_time
    cpu.finish()
    assert {t: n for t, n in cpu.run_ticks.items() if n} == {t: n for t, n in expected.items() if n}
    assert cpu.unknown_ticks == 0
    assert sum(cpu.run_ticks.values()) == cpu.observed_ticks == end

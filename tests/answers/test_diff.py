"""Comparisons of tapes: by hand, with one known difference, and metamorphic."""

from __future__ import annotations

import random
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.columns import SWITCH, Row, switch
from tests.support.examples import examples
from tests.support.golden import INVERSION, sync
from tests.support.row_tapes import row_tape, sent
from tests.support.simulation import simulate
from tickertape.analysis.balance import balance_of
from tickertape.answers.diff import Change, Compared, Side, compare, unmatched
from tickertape.answers.diff_samples import Interval, interval_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tickertape.answers.diff import Comparison

scipy_stats = import_module("scipy.stats")
SEEDS = st.integers(0, 100_000)
OPPOSITE = {Change.MORE: Change.LESS, Change.LESS: Change.MORE}


def compared(a: Path, b: Path) -> Comparison:
    with TapeReader(a) as one, TapeReader(b) as other:
        for reader in (one, other):
            total = balance_of(reader).total
            assert (
                total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
            )
        assert unmatched(one, other) == []
        (found,) = compare(one, other, scipy_stats)
        return found


def tapes(folder: Path, a: Sequence[Row], b: Sequence[Row]) -> tuple[Path, Path]:
    return row_tape(folder / "A.tape", a), row_tape(folder / "B.tape", b)


def switches(rows: Sequence[Row]) -> list[int]:
    return [row.data[1] for row in rows if row.kind == SWITCH]


@given(SEEDS)
@settings(max_examples=examples(10))
def test_a_tape_does_not_differ_from_itself(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rows = simulate(seed, 1 + seed % 2, 1500).rows
    tape = row_tape(tmp_path_factory.mktemp("same") / "T.tape", rows, cpus=1 + seed % 2)
    found = compared(tape, tape)
    assert not found.differs
    assert {one.change for one in found.figures} == {Change.SAME}
    assert (found.only, found.notes) == ([], [])
    assert found.decision.count == len(switches(rows))
    assert found.event is not None
    assert found.event.count == len(rows)


@given(SEEDS, SEEDS)
@settings(max_examples=examples(10))
def test_exchanged_tapes_give_mirrored_results(
    tmp_path_factory: pytest.TempPathFactory, one: int, other: int
) -> None:
    folder = tmp_path_factory.mktemp("mirror")
    a, b = tapes(folder, simulate(one, 1, 1500).rows, simulate(other, 1, 1500).rows)
    found, mirror = compared(a, b), compared(b, a)
    figures = {(each.kind, each.name, each.figure): each for each in mirror.figures}
    assert len(figures) == len(found.figures)
    for each in found.figures:
        its = figures[each.kind, each.name, each.figure]
        assert (its.a, its.b) == (each.b, each.a)
        assert its.change is OPPOSITE.get(each.change, each.change)
        if each.interval is None:
            assert its.interval is None
        else:
            assert its.interval == Interval(-each.interval.high, -each.interval.low)
    assert {(each.kind, each.name, each.side) for each in mirror.only} == {
        (each.kind, each.name, "AB"[each.side == "A"]) for each in found.only
    }
    for parting, back in ((found.decision, mirror.decision), (found.event, mirror.event)):
        assert parting is not None
        assert back is not None
        assert (parting.count, parting.cpu, parting.ticks[::-1], parting.lines[::-1]) == (
            (back.count, back.cpu, back.ticks, back.lines)
        )


@given(SEEDS)
@settings(max_examples=examples(15))
def test_the_first_different_event_and_decision_are_found(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    rows = simulate(seed, 1, 1500).rows
    place = chance.randrange(len(rows))
    row = rows[place]
    changed = [
        *rows[:place],
        replace(row, data=(row.data[0], row.data[1] ^ 64)),
        *rows[place + 1 :],
    ]
    if row.payload is not None:
        changed[place] = replace(row, payload=row.payload + b"!")
    found = compared(*tapes(tmp_path_factory.mktemp("first"), rows, changed))
    assert found.event is not None
    assert (found.event.count, found.event.ticks) == (place, (row.time, row.time))
    if row.kind == SWITCH:
        before = len(switches(rows[:place]))
        assert (found.decision.count, found.decision.ticks) == (before, (row.time, row.time))
        assert found.decision.cause == found.decision.lines


@given(SEEDS)
@example(7)  # a loss within one tick
@example(15)  # a shorter observed time
@example(107)  # no record after a loss
@example(669)  # more periods of an interrupt
@settings(max_examples=examples(15))
def test_losses_create_no_difference(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder, chance = tmp_path_factory.mktemp("lost"), random.Random(seed)
    cpus = 1 + seed % 2
    rows = simulate(seed, cpus, 1500).rows
    lost = {number for number in range(1, 2000) if chance.random() < 0.1}
    whole = row_tape(folder / "A.tape", rows, cpus=cpus)
    part = row_tape(folder / "B.tape", rows, is_lost=lost.__contains__, cpus=cpus)
    found = compared(whole, part)
    known = {Change.SAME, Change.UNKNOWN}
    assert [one for one in found.figures if one.change not in known] == []
    assert [one for one in found.only if one.sure] == []
    assert not found.decision.differs
    assert found.event is None or not found.event.differs
    if found.decision.count < len(switches(rows)):
        assert "missing" in found.decision.doubt


@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_recording_is_no_end_of_a_run(tmp_path: Path, seed: int) -> None:
    """A capture that the user ended has no final STATUS."""
    rows = simulate(seed, 1, 1500).rows
    frames = [frame.data for frame in sent(rows).frames]
    part = tmp_path / "B.tape"
    data = b"".join(frames[: len(frames) // 2])
    capture(MemoryLink([data]), part, CaptureOptions(handle_signals=False))
    for pair in ((row_tape(tmp_path / "A.tape", rows), part), (part, tmp_path / "A.tape")):
        found = compared(*pair)
        assert [one for one in found.only if one.sure] == []
        assert (found.decision.differs, found.decision.count > 0) == (False, True)
        assert "missing" in found.decision.doubt
        assert found.event is not None
        assert not found.event.differs


def test_the_cause_of_a_decision(tmp_path: Path) -> None:
    """On tape B, `low` unlocks the bus before `medium` is ready, and `high` runs."""
    b = [
        *INVERSION[: INVERSION.index(switch(30, 1, 2))],
        sync(29, 3, 0x100, 1),
        switch(30, 1, 3),
        Row(101),
    ]
    found = compared(*tapes(tmp_path, INVERSION, b))
    parting = found.decision
    assert (parting.count, parting.cpu, parting.ticks) == (3, 0, (30, 30))
    a_line, b_line = parting.lines
    assert a_line is not None
    assert b_line is not None
    assert a_line.endswith("prev_tid=1:low next_tid=2:medium")
    assert b_line.endswith("prev_tid=1:low next_tid=3:high")
    assert parting.cause[0] == a_line
    assert "MUTEX_UNLOCK" in (parting.cause[1] or "")


def test_a_run_that_ends_earlier(tmp_path: Path) -> None:
    found = compared(*tapes(tmp_path, INVERSION, INVERSION[:-1]))
    assert found.decision.ticks == (101, None)
    assert found.decision.lines[1] is None
    assert found.event is not None
    assert (found.event.count, found.event.ticks) == (len(INVERSION) - 1, (101, None))


def test_what_only_one_tape_has(tmp_path: Path) -> None:
    extra = [*INVERSION[:-1], Row(100, (6, 9)), INVERSION[-1]]
    found = compared(*tapes(tmp_path, INVERSION, extra))
    assert [(one.kind, one.name, one.side, one.count, one.sure) for one in found.only] == [
        ("event", "USER.USER_9", "B", 1, True)
    ]


def test_intervals() -> None:
    chance = np.random.default_rng(1)
    a, b = chance.normal(100, 5, 400), chance.normal(100, 5, 300)
    same = interval_of(scipy_stats, a, b, "mean")
    assert same is not None
    assert same.low < 0 < same.high
    for statistic in ("mean", "p95"):
        moved = interval_of(scipy_stats, a, b + 10, statistic)
        assert moved is not None
        assert 5 < moved.low < moved.high < 15
        assert interval_of(scipy_stats, b + 10, a, statistic) == (-moved.high, -moved.low)
    assert interval_of(scipy_stats, a, a[::-1], "mean") == (0, 0)
    assert interval_of(scipy_stats, a, b[:4], "mean") is None


def exactly(value: float) -> Side:
    return Side(value, value, value)


@pytest.mark.parametrize(
    ("figure", "a", "b", "change", "interval", "regressed"),
    [
        ("response.mean", exactly(100), exactly(110), Change.MORE, Interval(8, 12), True),
        ("response.mean", exactly(100), exactly(110), Change.MORE, Interval(4, 16), False),
        ("response.mean", exactly(100), exactly(110), Change.CHANCE, Interval(-1, 21), False),
        ("response.mean", exactly(100), exactly(110), Change.UNKNOWN, None, None),
        ("response.mean", exactly(110), exactly(100), Change.LESS, Interval(-12, -8), False),
        ("response.mean", exactly(100), Side(110, 50, None), Change.UNKNOWN, None, None),
        ("response.mean", exactly(100), Side(150, 120, None), Change.MORE, None, True),
        ("response.max", exactly(100), exactly(200), Change.MORE, None, False),
        ("deadline_misses", exactly(0), exactly(1), Change.MORE, None, True),
        ("deadline_misses", exactly(0), Side(0, 0, None), Change.UNKNOWN, None, None),
    ],
)
def test_regressions(
    figure: str,
    a: Side,
    b: Side,
    change: Change,
    interval: Interval | None,
    regressed: bool | None,  # noqa: FBT001 - a column of a table
) -> None:
    tested = figure.endswith("mean")
    one = Compared("task", "t", figure, "ns", a, b, change, interval, tested)
    assert one.regressed(0.05) is regressed

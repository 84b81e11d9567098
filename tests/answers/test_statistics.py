"""Statistics of tapes, compared with those of a simulator, with both engines."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.columns import Row, born, switch
from tests.support.figures import stats_of
from tests.support.row_tapes import row_tape
from tests.support.simulation import DEVICE, LATE, TIMER, Truth, simulate
from tickertape.analysis.summary import summary_of
from tickertape.answers.check import Outcome, check
from tickertape.answers.figures import jitter_of, time_of, wait_name
from tickertape.answers.sample import PERCENTILES, Distribution, Figure
from tickertape.answers.spec import parse
from tickertape.answers.statistics import BootStats, ProcessStats, StackStats, statistics_of
from tickertape.edit.merge import MergeOptions, merge_tapes
from tickertape.model.entities import Kind
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import Command
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(8)
START, STOP, COMMAND = (14, 0), (14, 1), (14, 10)
COUNTS = {"activations", "misses", "preemptions", "interruptions", "nesting"}


def tape_of(path: Path, truth: Truth, lost: set[int] | None = None) -> Path:
    cpus = 1 + max(row.cpu for row in truth.rows)
    missing = lost or set()
    return row_tape(path, truth.rows, is_lost=missing.__contains__, buffer_records=16, cpus=cpus)


def by_name(found: BootStats, kind: Kind = Kind.TASK) -> dict[str, ProcessStats]:
    return {one.name: one for one in found.processes if one.kind is kind}


def assert_is(found: Distribution, values: list[int]) -> None:
    assert found.count == (len(values), len(values), len(values))
    if not values:
        return
    assert found.maximum == (max(values), max(values), max(values))
    assert found.minimum == (min(values), min(values), min(values))
    assert found.mean.value == pytest.approx(np.mean(values))
    for percent in PERCENTILES:
        true = int(np.percentile(values, percent, method="inverted_cdf"))
        assert found.percentiles[percent] == (true, true, true)


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_figure_is_that_of_the_simulator(tmp_path: Path, seed: int, cpus: int) -> None:
    truth = simulate(seed, cpus)
    found = stats_of(tape_of(tmp_path / "T.tape", truth))
    tasks = by_name(found)
    assert tasks.keys() == truth.tasks.keys()
    for name, task in truth.tasks.items():
        one = tasks[name]
        done = [life for life in task.lives if life.end is not None]
        assert_exact(one.activations, len(task.lives))
        assert one.ticks.value == truth.charged[name] + truth.rest[name]
        assert_is(one.response, [life.end - life.activation for life in done if life.end])
        assert_is(one.execution, [life.running for life in done])
        assert_is(one.latency, task.latencies)
        begins = [life.activation for life in task.lives]
        assert_is(one.period, [after - before for before, after in pairwise(begins)])
        assert_exact(one.preemptions, sum(life.preemptions for life in task.lives))
        late = [row for row in truth.rows if row.kind == LATE and row.data[0] == task.tid]
        assert_exact(one.misses, len(late))
        blocked: Counter[str] = Counter()
        for each in one.blockings:
            if each.object >= 0:
                assert each.ticks.exact
                blocked[found.name(each.owner)] += int(each.ticks.value or 0)
        assert blocked == +sum((life.blocked for life in task.lives), Counter[str]())
    for irq, durations in truth.interrupts.items():
        interrupts = by_name(found, Kind.INTERRUPT)
        name = f"irq{irq - 16}"
        if durations:
            assert_is(interrupts[name].response, durations)
            assert interrupts[name].ticks.value == truth.charged[f"irq{irq}"]
    idle = truth.charged["idle"] + truth.rest["idle"]
    assert sum(cpu.idle_ticks for cpu in found.cpus.values()) == idle
    assert sum(cpu.kernel_ticks for cpu in found.cpus.values()) == truth.charged["kernel"]
    assert found.unknown_ticks == 0


def test_stacks_are_those_that_the_target_reported(tmp_path: Path) -> None:
    """The smallest reported value counts; a loss may hide a smaller one."""
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(0, 0, 1),
        *(Row(9, (5, 17), (1, 512)), Row(10, (5, 18), (1, 100)), Row(11, (5, 18), (9, 4))),
        *(Row(20, (5, 18), (1, 64)), Row(30, (6, 1)), Row(40, (5, 18), (1, 64)), Row(50)),
    ]
    tasks = by_name(stats_of(row_tape(tmp_path / "T.tape", rows)))
    assert tasks["a"].stack == StackStats(Figure(64, 64, 64), 512)
    assert tasks["b"].stack is None
    early = by_name(stats_of(tmp_path / "T.tape", end_ns=700))
    assert early["a"].stack == StackStats(Figure(100, 100, 100), 512)
    lost = len(rows) - 3
    part = row_tape(tmp_path / "P.tape", rows, is_lost=lambda row: row == lost, buffer_records=1)
    assert by_name(stats_of(part))["a"].stack == StackStats(Figure(64, 0, 64), 512)


def test_the_simulator_makes_every_case() -> None:
    seen: Counter[str] = Counter()
    for seed in range(30):
        truth = simulate(seed, 2)
        seen["late"] += sum(row.kind == LATE for row in truth.rows)
        seen["nested"] += len(truth.interrupts[DEVICE])
        seen["timer"] += len(truth.interrupts[TIMER])
        for task in truth.tasks.values():
            seen["blocked"] += sum(bool(life.blocked) for life in task.lives)
            seen["preempted"] += sum(life.preemptions for life in task.lives)
    assert min(seen.values()) > 20, seen


def spans_of(found: BootStats) -> list[int]:
    return [cpu.observed_ticks for cpu in found.cpus.values()]


def distributions(**named: Distribution) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for name, each in named.items():
        figures |= {f"{name} count": each.count, f"{name} max": each.maximum}
        figures |= {f"{name} min": each.minimum, f"{name} mean": each.mean}
        figures |= {f"{name} {key}": value for key, value in each.percentiles.items()}
    return figures


def values_of(found: BootStats, one: ProcessStats) -> dict[str, Figure]:
    figures = {"ticks": one.ticks, "activations": one.activations, "misses": one.misses}
    figures |= {"preemptions": one.preemptions, "interruptions": one.interruptions}
    figures |= {"nesting": one.nesting, "period jitter": jitter_of(one.period)}
    figures |= {"response jitter": jitter_of(one.response)}
    for at in one.blockings:
        names = (found.name(at.object), wait_name(at.event), found.name(at.owner))
        figures["blocked {} {} {}".format(*names)] = at.ticks
    return figures | distributions(
        response=one.response, execution=one.execution, latency=one.latency, period=one.period
    )


def all_figures(found: BootStats) -> dict[tuple[str, str], Figure]:
    """Return each figure of a boot by its subject and name."""
    figures: dict[tuple[str, str], Figure] = {}
    for one in found.processes:
        mine = values_of(found, one)
        figures |= {(f"{one.kind.name} {one.name}", label): each for label, each in mine.items()}
    for entity, use in found.uses.items():
        mine = distributions(hold=use.holds, wait=use.waits)
        mine |= {"takes": use.takes, "contended": use.contended, **use.others}
        figures |= {(f"object {found.name(entity)}", label): each for label, each in mine.items()}
    for event in found.events:
        mine = {"count": event.count, **distributions(distance=event.distance)}
        figures |= {(f"event {event.code}", label): each for label, each in mine.items()}
    return figures


def assert_contain(found: BootStats, whole: BootStats) -> None:
    """Check that the limits of each figure contain its value on the whole tape."""
    limits = all_figures(found)
    for where, figure in all_figures(whole).items():
        if figure.value is None or where not in limits:
            continue
        limit = limits[where]
        assert limit.low <= figure.value + 1e-9, (where, figure.value, limit)
        assert limit.high is None or figure.value <= limit.high + 1e-9, (where, figure, limit)


def assert_exact(figure: Figure, value: int) -> None:
    assert figure == (value, value, value)


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("seed", range(15))
def test_limits_contain_the_truth_whatever_was_lost(tmp_path: Path, seed: int, cpus: int) -> None:
    truth = simulate(seed, cpus, until=3000)
    whole = stats_of(tape_of(tmp_path / "whole.tape", truth))
    chance = random.Random(seed)
    count = len(truth.rows) // 16
    lost = {
        number for number in range(4, count - 4) if chance.random() < chance.choice([0.03, 0.3])
    }
    found = stats_of(tape_of(tmp_path / "part.tape", truth, lost))
    while spans_of(found) != spans_of(whole):  # the loss of the last record changes the time
        lost.remove(max(lost))
        found = stats_of(tape_of(tmp_path / "part.tape", truth, lost))
    assert_contain(found, whole)


def without(rows: list[Row], kind: str, begin: int, end: int) -> list[Row]:
    """Return the rows that a target records if it is stopped, or a class is off, for a time."""
    if kind == "stop":
        kept = [row for row in rows if not begin <= row.time < end]
        at = sum(row.time < begin for row in kept)
        return [*kept[:at], Row(begin, STOP), Row(end, START), *kept[at:]]
    cls = EventClass[kind]
    kept = [row for row in rows if not (begin <= row.time < end and row.kind[0] == cls)]
    at = sum(row.time < begin for row in kept)
    return [*kept[:at], Row(begin, COMMAND, (Command.DEL_CLASS, 0)), *kept[at:]]


@pytest.mark.parametrize("kind", ["stop", "INT", "THREAD", "SCHED", "SYNC", "single"])
@pytest.mark.parametrize("seed", range(6))
def test_limits_contain_the_truth_whatever_was_not_recorded(
    tmp_path: Path, seed: int, kind: str
) -> None:
    chance = random.Random(f"{seed} {kind}")
    truth = simulate(seed, 1 + seed % 2, until=3000)
    whole = stats_of(tape_of(tmp_path / "whole.tape", truth))
    begin = chance.randrange(300, 2500)
    lost: set[int] = set()
    if kind == "single":  # buffers of one record
        rows = truth.rows
        lost = {one for one in range(4, len(rows) - 4) if chance.random() < 0.1}
    else:
        rows = without(truth.rows, kind, begin, begin + chance.randrange(5, 400))
    path = row_tape(
        tmp_path / "part.tape",
        rows,
        is_lost=lost.__contains__,
        buffer_records=1 if lost else 16,
        cpus=1 + seed % 2,
    )
    assert_contain(stats_of(path), whole)


@pytest.mark.parametrize("seed", range(6))
def test_times_are_those_of_info(tmp_path: Path, seed: int) -> None:
    truth = simulate(seed, 1 + seed % 2)
    path = tape_of(tmp_path / "T.tape", truth, {5, 6, 9} if seed % 3 else set())
    found = stats_of(path)
    with TapeReader(path) as reader:
        summary = summary_of(reader)
    clock = found.clock
    shares = {task.name: task.run_ns for task in summary.tasks if task.tid}
    tasks = by_name(found)
    assert shares == {name: time_of(clock, one.ticks.value) for name, one in tasks.items()}
    interrupts = {one.name: one.run_ns for one in summary.interrupts}
    served = by_name(found, Kind.INTERRUPT)
    assert interrupts == {name: time_of(clock, one.ticks.value) for name, one in served.items()}
    unknown = time_of(clock, found.unknown_ticks)
    assert unknown is not None
    if summary.cpus == 1:
        assert summary.unknown_ns == unknown
    assert summary.known_ns + summary.unknown_ns == summary.cpus * summary.duration_ns
    assert summary.known_ns == time_of(clock, found.observed_ticks - found.unknown_ticks)


@pytest.mark.parametrize("seed", range(4))
def test_two_ranges_of_time_add_up_to_the_whole(tmp_path: Path, seed: int) -> None:
    truth = simulate(seed, 2)
    path = tape_of(tmp_path / "T.tape", truth)
    middle_ns = truth.end // 2 * 40  # 25 MHz
    whole = stats_of(path)
    first, second = stats_of(path, None, middle_ns), stats_of(path, middle_ns, None)
    assert first.observed_ticks + second.observed_ticks == whole.observed_ticks
    for kind in (Kind.TASK, Kind.INTERRUPT):
        halves = by_name(first, kind), by_name(second, kind)
        for name, one in by_name(whole, kind).items():
            parts = [half[name].ticks.value or 0 for half in halves if name in half]
            assert sum(parts) == one.ticks.value
            done = [int(half[name].response.count.value or 0) for half in halves if name in half]
            assert sum(done) <= int(one.response.count.value or 0)


def test_scaled_time_scales_times_and_leaves_counts(tmp_path: Path) -> None:
    truth = simulate(3, 2)
    slow = replace(truth, rows=[replace(row, time=3 * row.time) for row in truth.rows])
    one, other = stats_of(tape_of(tmp_path / "1", truth)), stats_of(tape_of(tmp_path / "3", slow))
    scaled = by_name(other)
    assert values_of(one, one.processes[0]).keys() >= COUNTS
    for name, task in by_name(one).items():
        assert scaled[name].activations == task.activations
        assert scaled[name].preemptions == task.preemptions
        for label, figure in values_of(one, task).items():
            factor = 1 if label.endswith("count") or label in COUNTS else 3
            assert values_of(other, scaled[name])[label].value == pytest.approx(
                None if figure.value is None else factor * figure.value
            )


@pytest.mark.parametrize("seed", range(4))
def test_a_merge_changes_no_figure_and_no_verdict(tmp_path: Path, seed: int) -> None:
    """Each board of a merged tape has the statistics of its own tape, with and without losses."""
    requirements = parse(b"requirements: [{no_deadlock: true}, {inversion: any, max: 1 us}]", "s")
    paths, singles, outcomes = [], [], []
    for number in (seed, seed + 10):
        truth = simulate(number, 1 + number % 2)
        paths.append(tape_of(tmp_path / f"{number}.tape", truth, {5, 6, 9} if seed % 2 else set()))
        singles.append(stats_of(paths[-1]))
        with TapeReader(paths[-1]) as reader:
            outcomes.append([one.outcome for one in check(reader, requirements)])
    merged = tmp_path / "merged.tape"
    assert merge_tapes(paths, merged, MergeOptions()).left_out == ()
    with TapeReader(merged) as reader:
        boots = list(statistics_of(reader))
        together = [one.outcome for one in check(reader, requirements)]
    assert len(boots) == 2
    for single, boot in zip(singles, boots, strict=True):
        for kind in (Kind.TASK, Kind.INTERRUPT):
            names = by_name(boot, kind)
            for name, one in by_name(single, kind).items():
                assert values_of(boot, names[name]) == values_of(single, one)
    worst = [Outcome.FAIL, Outcome.UNKNOWN, Outcome.PASS]
    assert together == [min(pair, key=worst.index) for pair in zip(*outcomes, strict=True)]

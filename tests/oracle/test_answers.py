"""Compare a sample of worlds with the second reading, and let the comparison fail where it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.oracle import simulator as sim
from tests.oracle.exclusions import EXCLUSIONS
from tests.oracle.oracle import Oracle, figures
from tests.oracle.search import compare, explore, printed, specification, unexpected, verdicts
from tests.oracle.simulator import Event, Kernel, shape_of
from tests.oracle.writer import Plan, whole, write
from tickertape.protocol.events import EventClass as Class

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.search import Figures

SEEDS = range(1, 101)
FIGURES = 200  # a world has at least this many


@pytest.mark.parametrize("first", range(SEEDS.start, SEEDS.stop, 20))
def test_answers_equal_the_second_reading(first: int, tmp_path: Path) -> None:
    worlds = [explore(seed, tmp_path) for seed in range(first, first + 20)]
    assert [str(d) for world in worlds for d in unexpected(world)] == []
    assert sum(bool(world.ambiguous) for world in worlds) < len(worlds) // 2


def _hand_made() -> list[Event]:
    """Thread 1 works 3 ticks of each 10; an interrupt takes 2 ticks of its second job."""
    thread, sched, irq = Class.THREAD, Class.SCHED, Class.INT
    rows = [
        (0, Class.TRACER, sim.START, 0, 0),
        (0, thread, sim.CREATE, 0, 1),
        (0, thread, sim.NAME, 0, 1),
        (0, thread, sim.READY, 0, 1),
        (0, sched, sim.ACTIVATION, 1, 1),
        (0, sched, sim.SWITCH, 0, 1),
        (3, sched, sim.COMPLETION, 1, 1),
        (3, thread, sim.NANOSLEEP, 0, 1),
        (4, sched, sim.SWITCH, 1, 0),
        (10, sched, sim.ACTIVATION, 1, 2),
        (10, thread, sim.READY, 0, 1),
        (12, sched, sim.SWITCH, 0, 1),
        (13, irq, sim.ENTRY, 16, 0),
        (15, irq, sim.EXIT, 16, 0),
        (17, sched, sim.COMPLETION, 1, 2),
        (17, thread, sim.NANOSLEEP, 0, 1),
        (18, sched, sim.SWITCH, 1, 0),
        (20, Class.TRACER, sim.STOP, 0, 0),
    ]
    return [
        Event(time, 0, group, number, a, b, "t1" if number == sim.NAME else "")
        for time, group, number, a, b in rows
    ]


def test_the_oracle_counts_a_schedule_as_by_hand() -> None:
    rows = figures(Oracle(_hand_made(), 1))
    task = rows["task 1"]
    names = ("cpu_time", "response.max", "execution.max", "latency.max", "period.max", "load")
    assert [task[name] for name in names] == [6, 7, 3, 2, 10, 0.3]
    assert rows["cpu 0"] == {"tasks": 6, "interrupts": 2, "idle": 10, "kernel": 2, "unknown": 0}
    assert rows["interrupt 16"]["response.max"] == 2


def test_the_program_counts_a_schedule_as_by_hand(tmp_path: Path) -> None:
    tape = tmp_path / "hand.tape"
    write(tape, _hand_made(), 1, Plan({}, 8))
    assert list(compare(0, "whole", figures(Oracle(_hand_made(), 1)), printed(tape))) == []


def test_a_figure_that_is_wrong_by_one_tick_is_a_difference(tmp_path: Path) -> None:
    seed = next(s for s in SEEDS if not shape_of(s).features & {"late", "suspend", "end"})
    kernel = Kernel(seed)
    events = kernel.run()
    tape = tmp_path / "world.tape"
    write(tape, events, kernel.shape.cpus, whole(seed))
    truth, limits = figures(Oracle(events, kernel.shape.cpus)), printed(tape)
    assert sum(len(row) for row in truth.values()) >= FIGURES // 2
    for row, values in truth.items():
        for figure, value in values.items():
            if value is not None and figure in limits.get(row, {}):
                wrong: Figures = {row: {figure: value + 1}}
                assert len(list(compare(seed, "whole", wrong, limits))) == 1, (row, figure)


def test_a_tape_with_a_lost_buffer_has_limits_around_the_truth(tmp_path: Path) -> None:
    tape = tmp_path / "lost.tape"
    write(tape, _hand_made(), 1, Plan({(0, 1): "dropped"}, 8))
    truth, limits = figures(Oracle(_hand_made(), 1)), printed(tape)
    assert list(compare(0, "buffers", truth, limits)) == []
    assert limits["task 1"]["cpu_time"]["low"] < limits["task 1"]["cpu_time"]["high"]


def test_verdicts_at_the_true_figure_and_one_tick_below(tmp_path: Path) -> None:
    tape, spec = tmp_path / "hand.tape", tmp_path / "timing.yaml"
    write(tape, _hand_made(), 1, Plan({}, 8))
    spec.write_text(specification(figures(Oracle(_hand_made(), 1))), encoding="utf-8")
    answers = verdicts(tape, spec)
    assert answers["response t1 -1"] == answers["execution t1 -1"] == "FAIL"
    assert answers["response t1 +0"] == answers["execution t1 +0"] == "PASS"


def test_each_exclusion_is_of_a_seed_and_a_feature_of_it() -> None:
    for exclusion in EXCLUSIONS:
        kernel = Kernel(exclusion.seed)
        features = Oracle(kernel.run(), kernel.shape.cpus).features | kernel.shape.features
        assert not exclusion.feature or exclusion.feature in features, exclusion

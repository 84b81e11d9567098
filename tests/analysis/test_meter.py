"""Readings of `Meter` add up to the simulator's figures for any division of the events."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.columns import Row, state
from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tickertape.analysis.balance import balance_of
from tickertape.analysis.meter import Meter, Reading
from tickertape.decode.events import split_columns
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.transitions import State
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path


def readings_of(path: Path, rng: random.Random) -> tuple[list[Reading], int]:
    """Read a tape through a meter in random pieces; return readings and lost records."""
    with TapeReader(path) as reader:
        meter = Meter(lambda epoch: Names(reader.names(epoch)))
        found, lost = [], 0
        for part in iter_events(reader):
            left = part
            lost += sum(gap.lost for gap in part.gaps)
            while len(left) > 1 and rng.random() < 0.9:
                head, left = split_columns(left, rng.randrange(1, len(left)))
                meter.feed(head)
                if rng.random() < 0.5:
                    found.append(meter.read())
            meter.feed(left)
        found.append(meter.read())
        assert lost <= balance_of(reader).total.lost
        return found, lost


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_readings_add_up_to_the_truth(tmp_path: Path, seed: int, cpus: int) -> None:
    truth = simulate(seed, cpus)
    found, lost = readings_of(
        row_tape(tmp_path / "T.tape", truth.rows, cpus=cpus), random.Random(seed)
    )
    spent: Counter[str] = Counter()
    for reading in found:
        for one in reading.processes:
            if one.kind is Kind.TASK:
                spent[one.name] += one.ticks
    assert {name: spent[name] for name in truth.tasks} == {
        name: truth.charged[name] for name in truth.tasks
    }
    assert sum(reading.events for reading in found) == len(truth.rows)
    assert (lost, sum(reading.lost for reading in found)) == (0, 0)
    last = {one.name: one for one in found[-1].processes}
    assert all(last[name].all_ticks == truth.charged[name] for name in truth.tasks)


@pytest.mark.parametrize("seed", range(8))
def test_losses_are_unknown_time_and_lost_records(tmp_path: Path, seed: int) -> None:
    truth = simulate(seed, 2)
    rng = random.Random(seed)
    path = row_tape(
        tmp_path / "T.tape", truth.rows, is_lost=lambda _number: rng.random() < 0.2, cpus=2
    )
    found, lost = readings_of(path, rng)
    assert lost > 0
    assert sum(reading.lost for reading in found) == lost
    assert any(cpu.unknown for reading in found for cpu in reading.cpus)
    for reading in found:
        for cpu in reading.cpus:
            parts = (cpu.tasks, cpu.interrupts, cpu.idle, cpu.kernel, cpu.unknown)
            assert sum(parts) == cpu.observed


def test_a_wait_is_counted_and_named(tmp_path: Path) -> None:
    rows = [
        Row(10, (9, 0), (0, 1)),
        Row(20, (8, 1), (0x2000, 2)),  # MUTEX_LOCK_DENIED: the owner is thread 2
        state(21, 13, 1),  # thread 1 waits for a mutex
        Row(22, (9, 0), (1, 2)),
        Row(30),
    ]
    found, _ = readings_of(row_tape(tmp_path / "T.tape", rows), random.Random(1))
    one = next(one for one in found[-1].processes if one.number == 1)
    assert (one.state, one.waits_for) == (State.WAITING, "mutex 0x2000")
    waits: Counter[str] = Counter()
    for reading in found:
        waits.update(reading.waits)
    assert waits == {"mutex 0x2000": 1}


def test_without_events_nothing_is_claimed() -> None:
    reading = Meter(lambda _epoch: Names({})).read()
    assert (reading.epoch, reading.events, reading.cpus, reading.processes) == (None, 0, (), ())

"""Compiled instances, waits and CPU times equal those of Python for any input."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.examples import examples
from tests.support.plans import ROWS, WORDS, Plan, columns_of, names
from tests.support.row_tapes import row_tape
from tests.support.schedules import schedule, with_gap
from tests.support.simulation import simulate
from tickertape._native.interface import BLOCKING, INSTANCE, INTERVAL, LIVES_CPUS, TRANSITION
from tickertape._native.lives import Lives
from tickertape.answers.compiled_instances import CompiledInstances
from tickertape.answers.instances import Instances
from tickertape.answers.table import Table, joined, table_of
from tickertape.decode.events import DecodeCounters
from tickertape.model.compiled_cpu_time import CompiledCpuTimes
from tickertape.model.cpu_time import CpuTimes
from tickertape.model.system import SystemModel
from tickertape.model.transitions import scheduled
from tickertape.tape import TapeReader
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ctypes import CDLL
    from pathlib import Path

    from tickertape.decode.events import EventColumns


def assert_same(found: Table, wanted: Table) -> None:
    for one, other in zip(vars(found).values(), vars(wanted).values(), strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


def both(compiled: CDLL, parts: Sequence[EventColumns]) -> list[Table]:
    """Feed the parts to both engines, boot after boot; check and return the equal tables."""
    model = SystemModel(names)
    found: list[Table] = []
    for epoch in dict.fromkeys(part.epoch for part in parts):
        plain, fast = Instances(model.entities, epoch), CompiledInstances(compiled, model.entities)
        times = CpuTimes(model.entities), CompiledCpuTimes(compiled, model.entities)
        for part in parts:
            if part.epoch != epoch:
                continue
            transitions = scheduled(model.feed(part))
            for each in (plain, fast, *times):
                each.feed(part, transitions)
            found.append(plain.taken_table())
            assert_same(fast.taken_table(), found[-1])
            assert_same(fast.open_table(), plain.open_table())
        plain.finish()
        fast.finish()
        found.append(plain.taken_table())
        assert_same(fast.taken_table(), found[-1])
        assert times[0].by_cpu() == times[1].by_cpu()
        assert times[0].by_entity() == times[1].by_entity()
        # Convert the table to instances and back to columns.
        for table in found:
            again = table_of(table.instances(epoch, model.entities), table.intervals.tolist())
            assert_same(again, table)
    return found


@settings(max_examples=examples(300))
@given(st.lists(ROWS, max_size=4))
def test_any_events(compiled: CDLL, plan: Plan) -> None:
    both(compiled, [columns_of(part, number // 2) for number, part in enumerate(plan)])


@settings(max_examples=examples(60))
@given(st.integers(0, 10_000), st.integers(1, 2), st.integers(0, 1000), st.integers(0, 40))
def test_schedules_with_gaps(compiled: CDLL, seed: int, cpus: int, first: int, count: int) -> None:
    whole = schedule(seed, cpus)
    first = cpus + first % (len(whole.rows) - cpus - 1)
    part = with_gap(whole, first, min(first + count, len(whole.rows) - 1), first % cpus)
    both(compiled, [part.columns])


@pytest.mark.parametrize("seed", range(6))
def test_lossy_tapes_of_the_simulator(compiled: CDLL, tmp_path: Path, seed: int) -> None:
    chance, cpus = random.Random(seed), 1 + seed % 2
    truth = simulate(seed, cpus, until=20_000)
    buffers = len(truth.rows) // 16 + 2
    lost = {one for one in range(1, buffers) if chance.random() < 0.1}
    is_lost = (lost if seed > 1 else set()).__contains__
    tape = row_tape(tmp_path / "T.tape", truth.rows, is_lost=is_lost, buffer_records=16, cpus=cpus)
    with TapeReader(tape) as reader:
        parts = list(boot_events(reader, 0, stream=0, counters=DecodeCounters()))
    ended = joined(both(compiled, parts))
    assert len(ended.rows) > 50
    assert len(ended.intervals) > 50


def test_many_events_in_any_order(compiled: CDLL) -> None:
    """More instances, waits and open interrupts than the arrays' initial sizes."""
    chance = random.Random(1)
    codes = [9 << 10] * 4 + [
        9 << 10 | 6,
        9 << 10 | 7,
        3 << 10 | 1,
        3 << 10 | 2,
        8 << 10,
        8 << 10 | 1,
    ]
    parts = []
    for number in range(4):
        part = [
            (
                chance.choice(codes),
                chance.choice([0, 0, 1]),
                chance.choice(WORDS[:6]),
                chance.choice(WORDS[:6]),
                "",
                chance.random() < 0.01,
            )
            for _ in range(2000)
        ]
        parts.append(columns_of(part, number // 2))
    assert len(joined(both(compiled, parts)).rows) > 500


def test_what_no_model_gives_is_refused(compiled: CDLL) -> None:
    last, ones = np.zeros(LIVES_CPUS, np.int64), np.ones(1, np.int64)
    row = np.zeros(1, TRANSITION)
    for column, value in {
        "entity": 1,
        "source": 1,
        "object": -2,
        "after": 99,
        "action": 99,
    }.items():
        bad = row.copy()
        bad[column] = value
        with pytest.raises(ValueError, match="unknown"):
            Lives(compiled).feed(bad, 0, (ones, ones), last)
    with pytest.raises(ValueError, match="unknown"):
        Lives(compiled).feed(row, 0, (0 * ones, 64 * ones), last)  # a core number out of range
    with pytest.raises(ValueError, match="not transitions"):
        Lives(compiled).feed(np.zeros(1, INSTANCE), 0, (ones, ones), last)
    lives = Lives(compiled)
    lives.finish((ones, ones))
    nothing = lives.taken()
    assert [one.dtype for one in nothing] == [INSTANCE, BLOCKING, INTERVAL]
    assert not any(len(one) for one in nothing)


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)

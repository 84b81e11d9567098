"""Cost of tracing: the limits contain the truth, with losses too; unknown without COST.

The truth is the simulator's list of the owner of each tick.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.columns import Row, columns
from tests.support.row_tapes import row_tape
from tests.support.simulation import Cpu, simulate
from tickertape.answers.places import Choice
from tickertape.answers.statistics import statistics_of, without_tracer
from tickertape.answers.tracing import Measured, Tally, records_of
from tickertape.answers.why import why
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

from tickertape.answers.statistics import BootStats

COST = (14, 13)
TEXT = (5, 15)
SIMPLE, COMBINE, SWITCH = 1 << 16, 2 << 16, 3 << 16
MEASURED = [
    Row(0, COST, (0, 1)),
    Row(0, COST, (SIMPLE | 4, 103)),
    Row(0, COST, (SIMPLE | 4, 107)),
    Row(0, COST, (COMBINE | 2, 199)),
    Row(0, COST, (SWITCH | 1, 299)),
]
LOW, HIGH, STEP_HIGH = (103 - 2 - 1) / 4, (107 + 1) / 4, 300

Spans = dict[tuple[int, str], list[tuple[int, int]]]


def owners_of(monkeypatch: pytest.MonkeyPatch) -> Spans:
    """Record the spans of each owner during a simulation, by CPU and name."""
    spans: Spans = defaultdict(list)
    spend = Cpu.spend

    def noting(cpu: Cpu, ticks: int, owner: str) -> None:
        mine = spans[cpu.number, owner]
        if mine and mine[-1][1] == cpu.time:
            mine[-1] = mine[-1][0], cpu.time + ticks
        else:
            mine.append((cpu.time, cpu.time + ticks))
        spend(cpu, ticks, owner)

    monkeypatch.setattr(Cpu, "spend", noting)
    return spans


def boot_of(tape: Path) -> BootStats:
    with TapeReader(tape) as reader:
        (boot,) = statistics_of(reader)
    return boot


def names_of(boot: BootStats) -> dict[int, str]:
    """Return the simulator's names of tasks and interrupts, by entity."""
    return {
        one.entity: one.name if one.kind is Kind.TASK else f"irq{one.number}"
        for one in boot.processes
    }


def inside(rows: list[Row], spans: Spans, owner: str) -> tuple[int, int]:
    """Return the number of events inside an owner's spans, without and with those at the edges."""
    surely = perhaps = 0
    for (cpu, name), mine in spans.items():
        for row in rows if name == owner else ():
            if row.cpu == cpu:
                surely += any(begin < row.time < end for begin, end in mine)
                perhaps += any(begin <= row.time <= end for begin, end in mine)
    return surely, perhaps


@pytest.mark.parametrize("rate", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(8))
def test_the_limits_contain_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, rate: float
) -> None:
    spans, chance = owners_of(monkeypatch), random.Random(seed)
    rows = [*MEASURED, *simulate(seed, 1 + seed % 2).rows]
    lost = {one for one in range(2, len(rows) // 16 + 2) if chance.random() < rate}
    tape = row_tape(
        tmp_path / "T.tape", rows, is_lost=lost.__contains__, buffer_records=16, cpus=1 + seed % 2
    )
    boot = boot_of(tape)
    tracing = boot.tracing
    records = sum(1 if row.payload is None else 3 for row in rows)  # all texts have 9 to 16 bytes
    assert tracing.events + tracing.lost <= records
    assert tracing.events == len(rows) or lost
    assert tracing.ticks.low == math.floor(tracing.events * LOW)
    assert tracing.ticks.high is not None
    assert len(rows) * HIGH <= tracing.ticks.high <= 2 * records * STEP_HIGH
    seen = 0
    for entity, name in names_of(boot).items():
        share = tracing.of(entity)
        surely, perhaps = inside(rows, spans, name)
        assert share.events.low <= perhaps
        assert share.events.high is not None
        assert share.ticks.high is not None
        assert share.events.high >= surely
        assert share.ticks.low <= perhaps * HIGH
        assert share.ticks.high >= surely * LOW
        seen += int(share.events.low)
    assert seen <= len(rows)


def test_ranges_of_time_add_up(tmp_path: Path) -> None:
    rows = [*MEASURED, *simulate(7).rows]
    tape = row_tape(tmp_path / "T.tape", rows)
    ns, middle = 40, rows[-1].time // 2
    with TapeReader(tape) as reader:
        (whole,) = statistics_of(reader)
        (early,) = statistics_of(reader, end_ns=middle * ns)
        (late,) = statistics_of(reader, begin_ns=(middle + 1) * ns)
    assert early.tracing.events + late.tracing.events == whole.tracing.events == len(rows)
    for one in whole.processes:
        counts = [boot.tracing.of(one.entity).events for boot in (early, late, whole)]
        assert counts[0].low + counts[1].low == counts[2].low


def test_why_limits_what_tracing_added(tmp_path: Path) -> None:
    rows = [*MEASURED, *simulate(9).rows]
    tape = row_tape(tmp_path / "T.tape", rows)
    with TapeReader(tape) as reader:
        answers = why(reader, Choice("task 1", worst=3))
    assert len(answers) == 3
    for one in answers:
        events = sum(one.begin_ticks <= row.time <= one.end_ticks for row in rows)
        assert one.tracing is not None
        assert one.tracing.events == events > 0
        assert one.tracing_ticks is not None
        assert min(one.ticks, events * LOW) <= one.tracing_ticks <= one.ticks
    with TapeReader(row_tape(tmp_path / "U.tape", rows[len(MEASURED) :])) as reader:
        (unknown,) = why(reader, Choice("task 1"))
    assert unknown.tracing_ticks is None


def test_without_the_tracer_times_are_limits_below_the_recorded_ones(tmp_path: Path) -> None:
    rows = [*MEASURED, *simulate(5).rows]
    boot = boot_of(row_tape(tmp_path / "T.tape", rows))
    for before, after in zip(boot.processes, without_tracer(boot).processes, strict=True):
        cost = boot.tracing.of(before.entity).ticks
        assert after.ticks.value is None
        assert after.ticks.low == max(0, before.ticks.low - (cost.high or 0))
        assert after.ticks.high == max(0, (before.ticks.high or 0) - cost.low)
        assert (before.response, before.execution) == (after.response, after.execution)


def test_without_a_measurement_the_cost_is_unknown(tmp_path: Path) -> None:
    boot = boot_of(row_tape(tmp_path / "T.tape", simulate(5).rows))
    assert boot.tracing.cost is None
    assert boot.tracing.ticks == (None, 0, None)
    for before, after in zip(boot.processes, without_tracer(boot).processes, strict=True):
        assert boot.tracing.of(before.entity).ticks == (None, 0, None)
        assert after.ticks == (None, 0, before.ticks.high)


def test_a_cost_that_comes_late_leaves_every_event_to_anyone() -> None:
    model = SystemModel(lambda _epoch: Names({}))
    tally = Tally(model.entities, (0, 1 << 62))
    rows = simulate(5, until=2000).rows
    for part in (rows, [Row(2500, row.kind, row.data) for row in MEASURED]):
        made = columns(part)
        tally.feed(made, model.feed(made))
    found = tally.result(buffers=0)
    assert found.cost is not None
    assert found.events == len(rows) + len(MEASURED)
    assert found.shares == {}
    assert found.other.ticks.low == 0
    assert found.other.ticks.high is not None
    assert found.other.ticks.high >= len(rows) * HIGH


def test_a_switch_that_was_not_measured_leaves_no_upper_limit(tmp_path: Path) -> None:
    rows = [*MEASURED[:2], *simulate(5).rows]
    tracing = boot_of(row_tape(tmp_path / "T.tape", rows)).tracing
    assert tracing.cost is not None
    assert (tracing.cost.record_high, tracing.cost.step_high) == (None, None)
    assert tracing.ticks.low > 0
    assert tracing.ticks.high is None


def test_scaling_time_scales_the_cost(tmp_path: Path) -> None:
    factor, found = 3, []
    for times in (1, factor):
        rows = [Row(row.time * times, row.kind, row.data, row.payload) for row in simulate(4).rows]
        measured = [
            Row(0, COST, (SIMPLE | 1, 40 * times + 2)),
            Row(0, COST, (COMBINE | 2, 80 * times)),
            Row(0, COST, (SWITCH | 1, 90 * times)),
        ]
        tape = row_tape(tmp_path / f"{times}.tape", [*measured, *rows])
        found.append(boot_of(tape).tracing)
    one, other = found
    assert other.ticks.low == factor * one.ticks.low > 0
    assert one.ticks.high is not None
    assert other.ticks.high is not None
    assert other.ticks.high <= factor * one.ticks.high
    counts = [[share.events for share in each.shares.values()] for each in found]
    assert counts[0] == counts[1]


def test_events_have_as_many_records_as_ordinals(tmp_path: Path) -> None:
    texts = [Row(10 * size, TEXT, payload=bytes(size)) for size in range(41)]
    rows = [one for text in texts for one in (text, Row(text.time + 1))]
    with TapeReader(row_tape(tmp_path / "T.tape", rows)) as reader:
        (made,) = iter_events(reader)
        combines = np.flatnonzero(made.payload_offset >= 0)
        assert len(combines) == len(texts)
        ordinals = made.ordinal.astype(np.int64)
        assert records_of(made, combines).tolist() == np.diff(ordinals)[combines].tolist()
        measured = Measured()
        measured.feed(made)
        assert measured.cost is None

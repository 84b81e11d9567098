"""`why` and `stats` follow instances with different code; they find equal instances and totals."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tickertape.answers.attribution import Attribution, Cause, Window
from tickertape.answers.instance import Ended
from tickertape.answers.places import Choice, Finder, names_of
from tickertape.answers.reading import parts_of
from tickertape.decode.events import DecodeCounters
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.transitions import scheduled
from tickertape.tape import TapeReader
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from tickertape.answers.attribution import Path as Reason
    from tickertape.answers.instance import Instance

_WAITS = {Cause.BLOCKED, Cause.WAITED, Cause.DEADLOCK}


def instances_of(reader: TapeReader) -> list[Instance]:
    """Return the instances of tasks that `stats` and `check` use."""
    found = [one for part in parts_of(reader) for one in part.instances]
    return [one for one in found if one.kind is Kind.TASK]


def reasons_of(reader: TapeReader, instances: list[Instance]) -> list[Counter[Reason]]:
    """Return the ticks of each instance by reason, as `why` computes them."""
    model = system_model(names_of(reader))
    windows = [Window(one.entity, one.number, one.found, one.end) for one in instances]
    attribution = Attribution(model.entities, windows)
    for columns in boot_events(reader, 0, stream=0, counters=DecodeCounters()):
        attribution.feed(scheduled(model.feed(columns)))
    attribution.finish(max((one.end for one in instances), default=0))
    return [one.by_path() for one in windows]


@pytest.mark.parametrize("rate", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(6))
def test_both_find_the_same_instances_and_totals(tmp_path: Path, seed: int, rate: float) -> None:
    chance, cpus = random.Random(seed), 1 + seed % 2
    rows = simulate(seed, cpus).rows
    lost = {one for one in range(1, len(rows) // 16 + 2) if chance.random() < rate}
    tape = row_tape(
        tmp_path / "T.tape", rows, is_lost=lost.__contains__, buffer_records=16, cpus=cpus
    )
    with TapeReader(tape) as reader:
        instances = instances_of(reader)
        reasons = reasons_of(reader, instances)
        for task in {one.entity for one in instances}:
            finder = Finder(reader, Choice("", worst=len(rows)))
            finder.read(None)
            places = [place for _, _, place in finder._longest.get(task, [])]
            whole = {(one.begin, one.end, one.instance) for one in places}
            mine = {
                (one.activation, one.end, one.number)
                for one in instances
                if one.whole and one.entity == task
            }
            # After losses, `stats` may omit an instance whose activation is uncertain.
            assert mine == whole if not lost else mine <= whole
    assert sum(one.ended is Ended.DONE for one in instances) > 5
    for one, found in zip(instances, reasons, strict=True):
        assert found.total() == one.end - one.found
        ran = sum(ticks for path, ticks in found.items() if path[0].cause is Cause.RAN)
        unknown = sum(ticks for path, ticks in found.items() if path[-1].cause is Cause.UNKNOWN)
        waited = sum(ticks for path, ticks in found.items() if path[0].cause in _WAITS)
        if not one.whole:
            assert abs(ran - one.running) <= unknown
            continue
        assert ran == one.running
        assert waited <= one.blocked + one.suspended
        kernel = sum(ticks for path, ticks in found.items() if path[-1].cause is Cause.KERNEL)
        assert one.blocked + one.suspended <= waited + kernel + unknown


@pytest.mark.parametrize("rate", [0.0, 0.1])
@pytest.mark.parametrize("worst", [1, 3, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_the_longest_instances_are_those_of_all_time(
    tmp_path: Path, seed: int, worst: int, rate: float
) -> None:
    """With a time range, every instance is examined; without one, most instances are skipped."""
    chance, cpus = random.Random(seed), 1 + seed % 2
    truth = simulate(seed, cpus)
    lost = {one for one in range(1, len(truth.rows) // 16 + 2) if chance.random() < rate}
    tape = row_tape(
        tmp_path / "T.tape", truth.rows, is_lost=lost.__contains__, buffer_records=16, cpus=cpus
    )
    with TapeReader(tape) as reader:
        for task in truth.tasks:
            found = []
            for spans in (None, {0: (0, 1 << 62)}):
                finder = Finder(reader, Choice(str(task), worst=worst, spans=spans))
                finder.read(None)
                found.append(finder.found())
            assert found[0] == found[1]
            assert len(found[0]) > 0

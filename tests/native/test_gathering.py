"""Compiled statistics equal those of Python for any events and any table of instances."""

from __future__ import annotations

import os
from dataclasses import astuple, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.examples import examples
from tests.support.plans import ROWS, Plan, columns_of, names
from tickertape._native import gathering as compiled_part
from tickertape._native.engine import using
from tickertape._native.interface import BLOCKING, INSTANCE, INTERVAL, NO_TICKS, TRANSITION
from tickertape.answers import gathering as reference
from tickertape.answers.compiled_gathering import CompiledGathering
from tickertape.answers.gathering import Gathering
from tickertape.answers.observed import Reason, Unknown
from tickertape.answers.reading import BootPass, Part
from tickertape.answers.sample import Sample
from tickertape.answers.table import Table
from tickertape.model.compiled_system import system_model
from tickertape.model.cpu_time import CpuTimes
from tickertape.model.entities import Entities, Kind
from tickertape.model.transitions import Action

if TYPE_CHECKING:
    from ctypes import CDLL
    from pathlib import Path

KINDS = [Kind.MUTEX, Kind.SEMAPHORE, Kind.TASK, Kind.INTERRUPT]
TIMES = [0, 5, 10, 70, 1000, 1 << 40]


def figures(found: Gathering) -> object:
    """Return all gathered statistics as comparable values."""
    processes = {entity: shown(one) for entity, one in sorted(found.processes.items())}
    nothing = shown(reference.Gathered())
    return (
        {entity: one for entity, one in processes.items() if one != nothing},
        {entity: shown(one) for entity, one in sorted(found.uses.by_entity.items())},
        {code: shown(one) for code, one in found.events.items()},
    )


def shown(one: object) -> object:
    """Return a comparable value; for a sample, its distribution."""
    if isinstance(one, Sample):
        return astuple(one.distribution())
    if isinstance(one, dict):
        return dict(one)
    if is_dataclass(one) and not isinstance(one, type):
        return {name: shown(getattr(one, name)) for name in type(one).__dataclass_fields__}
    return one


def gathered(compiled: CDLL | None, plan: Plan, window: tuple[int, int]) -> object:
    """Gather the statistics of a plan's boots with one engine."""
    found = []
    with using(compiled):
        model = system_model(names)
        for epoch in (0, 1):
            boot = BootPass(model, epoch, keeps=True)
            one = Gathering(window) if compiled is None else CompiledGathering(compiled, window)
            for number, part in enumerate(plan):
                if number // 2 == epoch:
                    one.feed(boot.feed(columns_of(part, epoch)))
            one.feed(boot.finish())
            found.append(figures(one))
    return found


@settings(max_examples=examples(60))
@given(st.lists(ROWS, max_size=4), st.integers(0, 300), st.integers(0, 600), st.integers(0, 20))
def test_any_events(compiled: CDLL, plan: Plan, first: int, length: int, rows: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "ROWS_AT_ONCE", rows)  # tables are read in pieces of this size
        for window in ((0, (1 << 62) - 1), (first, first + length)):
            assert gathered(compiled, plan, window) == gathered(None, plan, window)


def entities() -> Entities:
    found = Entities()
    for number, kind in enumerate(KINDS):
        if kind is Kind.TASK:
            found.task(number, "t", lambda _: True)
        else:
            found.other(kind, number, names(0))
    return found


def table(chance: np.random.Generator, count: int) -> Table:
    """Return rows that no model makes, with random combinations of times."""
    rows, intervals = np.zeros(count, INSTANCE), np.zeros(count, INTERVAL)
    for name in ("activation", "earliest", "latest"):
        rows[name] = chance.choice([NO_TICKS, *TIMES], count)
    for name in ("found", "end", "ready_since"):
        rows[name] = chance.choice(TIMES, count)
    for name in ("response_low", "running"):
        rows[name] = chance.integers(0, 1 << int(chance.integers(1, 62)), count)
    rows["entity"], rows["ended"] = chance.integers(0, 4, count), chance.integers(0, 3, count)
    rows["number"] = 1 + np.arange(count) - chance.choice([0, 0, 0, 1], count)
    for name in ("preemptions", "interruptions", "nesting"):
        rows[name] = chance.integers(0, 9, count)
    intervals["begin"], intervals["since"] = chance.choice(TIMES, (2, count))
    intervals["end"] = intervals["begin"] + chance.integers(0, 50, count)
    intervals["entity"], intervals["number"] = chance.integers(0, 4, count), np.arange(count)
    intervals["object"], intervals["owner"] = chance.integers(-1, 4, (2, count))
    intervals["event"] = chance.integers(-1, 40, count)
    intervals["doing"], intervals["following"] = chance.choice([1, 4], count), 0
    intervals["following"] = chance.integers(0, 8, count)
    return Table(rows, np.zeros(0, BLOCKING), intervals)


@dataclass
class Given:
    """A given table instead of that of a boot."""

    found: Table
    waiting: int = 0

    def taken_table(self) -> Table:
        return self.found

    lent_table = taken_table


def fed(found: Gathering, given: Table, holes: list[tuple[int, int]]) -> object:
    known = entities()
    found.observed.first, found.observed.last = {0: 3}, {0: 2000}
    lost = [Unknown(*one, Reason.LOST, 0, None, 1) for one in holes]
    found.observed._found += lost
    source: Any = Given(given)
    found.feed(Part(0, None, None, source, CpuTimes(known), known))
    return figures(found)


@pytest.mark.parametrize(
    ("seed", "count"), [(0, 300), (1, 300), (2, 300), (3, 70_000), (4, 80_000)]
)
def test_any_table(compiled: CDLL, seed: int, count: int) -> None:
    """Large tables have more values than a sample stores one by one."""
    chance = np.random.default_rng(seed)
    ends = np.sort(chance.integers(0, 1000, 2 * (seed % 4))).tolist()
    holes = list(zip(ends[::2], ends[1::2], strict=True))
    given = table(chance, count)
    for window in ((0, (1 << 62) - 1), (5, 1000)):
        wanted = fed(Gathering(window), given, holes)
        assert fed(CompiledGathering(compiled, window), given, holes) == wanted


def test_what_no_model_gives_is_refused(compiled: CDLL) -> None:
    window, ones = (0, 1), np.ones(1, np.int64)
    nothing = np.zeros(0, np.int64)
    known = compiled_part.Known((0, 1), None, (nothing, nothing))

    def new() -> compiled_part.Gathering:
        return compiled_part.Gathering(compiled, window, len(Action))

    for kind, column, value in (
        (INSTANCE, "entity", 1),
        (INSTANCE, "entity", -1),
        (INTERVAL, "entity", 1),
        (INTERVAL, "object", 7),
    ):
        bad = np.zeros(1, kind)
        bad[column] = value
        rows = [bad if one is kind else np.zeros(0, one) for one in (INSTANCE, INTERVAL)]
        with pytest.raises(ValueError, match="unknown"):
            new().take_tables(rows[0], rows[1], 1, known)
    for column, value in (("entity", 1), ("entity", -2), ("action", 99)):
        row = np.zeros(1, TRANSITION)
        row[column] = value
        with pytest.raises(ValueError, match="unknown"):
            new().take_uses(row, ones, known.holes)
    with pytest.raises(ValueError, match="not transitions"):
        new().take_uses(np.zeros(1, INSTANCE), ones, known.holes)
    assert not len(new().waits())
    assert new().values(3, 0) is None  # type: ignore[arg-type] # any number


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)

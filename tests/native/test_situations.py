"""Compiled situations equal those of Python for any input."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row, columns, gap
from tests.support.conflicts import conflicts
from tests.support.examples import examples
from tests.support.golden import CHAIN, DEADLOCK, INVERSION
from tests.support.plans import ROWS, Plan, columns_of, names
from tests.support.simulation import simulate
from tickertape._native.interface import NOTED, TRANSITION
from tickertape._native.situations import SituationFinder
from tickertape.answers.compiled_situations import CompiledSituations
from tickertape.answers.situations import Situations
from tickertape.decode.events import split_columns
from tickertape.model.system import SystemModel
from tickertape.model.transitions import scheduled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ctypes import CDLL

    from tickertape.answers.situation_table import SituationTable
    from tickertape.decode.events import EventColumns


def assert_same(found: SituationTable, wanted: SituationTable) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


def both(compiled: CDLL, parts: Sequence[EventColumns], limit: int = 3) -> int:
    """Feed the parts of one boot to both engines; return the number of equal situations."""
    model, count = SystemModel(names), 0
    plain = Situations(model.entities, limit)
    fast = CompiledSituations(compiled, model.entities, limit)
    for part in parts:
        found = scheduled(model.feed(part))
        plain.feed(part, found)
        fast.feed(part, found)
        assert_same(fast.open_table(), plain.open_table())
        wanted = plain.taken_table()
        count += len(wanted.rows)
        assert_same(fast.taken_table(), wanted)
    plain.finish()
    fast.finish()
    wanted = plain.taken_table()
    assert_same(fast.taken_table(), wanted)
    return count + len(wanted.rows)


@settings(max_examples=examples(300))
@given(st.lists(ROWS, max_size=4))
def test_any_events(compiled: CDLL, plan: Plan) -> None:
    both(compiled, [columns_of(part, 0) for part in plan])


@settings(max_examples=examples(500))
@given(conflicts(), st.integers(0, 60), st.integers(0, 1))
def test_threads_that_share_mutexes(compiled: CDLL, rows: list[Row], cut: int, losses: int) -> None:
    cut = min(cut, len(rows))
    gaps = [gap(cut, since=rows[cut - 1].time)] if losses and 0 < cut < len(rows) else []
    both(compiled, list(split_columns(columns(rows, gaps), cut or 1)))


@settings(max_examples=examples(30))
@given(st.integers(0, 100_000))
def test_a_simulated_kernel(compiled: CDLL, seed: int) -> None:
    truth = simulate(seed, 1 + seed % 2, 1500)
    tasks = truth.tasks.values()
    rows = [*(Row(0, (9, 5), (task.tid, task.priority)) for task in tasks), *truth.rows]
    size = random.Random(seed).randint(1, 200)
    both(compiled, list(split_columns(columns(rows), size)), limit=50)


@pytest.mark.parametrize("rows", [INVERSION, CHAIN, DEADLOCK])
def test_known_traces_have_situations(compiled: CDLL, rows: list[Row]) -> None:
    assert both(compiled, [columns(rows)])


def test_foreign_arrays_and_entities_are_refused(compiled: CDLL) -> None:
    finder = SituationFinder(compiled, 0)
    nothing, none = np.zeros(0, TRANSITION), np.zeros(0, NOTED)
    entities = np.zeros(1, np.int64), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="not arrays"):
        finder.feed(none, none, entities)
    with pytest.raises(ValueError, match="not arrays"):
        finder.feed(nothing, nothing, entities)
    wrong = np.zeros(1, TRANSITION)
    wrong["entity"] = 7
    with pytest.raises(ValueError, match="unknown entity"):
        finder.feed(wrong, none, entities)

"""The compiled model returns the same transitions as `SystemModel` for any input."""

from __future__ import annotations

import os
import random
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.columns import Row, columns
from tests.support.examples import examples
from tests.support.plans import CODES, ROWS, TEXTS, THREAD_NAME, WORDS, Plan, columns_of, names
from tickertape.model.compiled_system import CompiledSystemModel
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import Transitions

if TYPE_CHECKING:
    from ctypes import CDLL
    from pathlib import Path

    from tickertape.decode.events import EventColumns


def assert_same(found: Transitions, wanted: Transitions) -> None:
    for one in fields(Transitions):
        if one.name != "table":
            column, reference = getattr(found, one.name), getattr(wanted, one.name)
            assert column.dtype == reference.dtype
            assert column.tolist() == reference.tolist(), one.name


def both(compiled: CDLL, parts: list[EventColumns]) -> int:
    plain, fast = SystemModel(names), CompiledSystemModel(compiled, names)
    total = 0
    for part in parts:
        wanted = plain.feed(part)
        assert_same(fast.feed(part), wanted)
        assert [*fast.entities] == [*plain.entities]
        total += len(wanted)
    return total


@settings(max_examples=examples(300))
@given(st.lists(ROWS, max_size=4))
def test_agrees_with_python(compiled: CDLL, plan: Plan) -> None:
    both(compiled, [columns_of(part, number // 2) for number, part in enumerate(plan)])


def test_cores_end_with_a_boot_in_the_order_of_their_numbers(compiled: CDLL) -> None:
    """The core with the higher number occurs first; a part without events begins a boot."""
    switches = [(9 << 10, 5, 0, 0, "", False), (9 << 10, 1, 0, 0, "", False)]
    assert both(compiled, [columns_of(switches, 0), columns_of([], 1)])


def test_who_polls_no_longer_need_not_be_of_a_cpu_that_was_seen(compiled: CDLL) -> None:
    """A wait of thread 1 ends on CPU 1, which has no earlier event; then CPU 0 is interrupted."""
    rows = [(10 << 10 | 12, 1, 0, 1, "", False), (3 << 10 | 1, 0, 0, 0, "", False)]
    assert both(compiled, [columns_of(rows, 0)]) == 4


@pytest.mark.parametrize("seed", range(4))
def test_agrees_over_a_long_time(compiled: CDLL, seed: int) -> None:
    chance = random.Random(seed)
    parts = []
    for number in range(8):
        part = [
            (
                chance.choice([*CODES, *[9 << 10] * 20, *[THREAD_NAME] * 3]),
                chance.choice([0, 0, 1]),
                chance.choice(WORDS),
                chance.choice(WORDS),
                chance.choice(TEXTS),
                chance.random() < 0.003,
            )
            for _ in range(2000)
        ]
        parts.append(columns_of(part, number // 4))
    assert both(compiled, parts) > 8000


def test_numbers_of_threads_without_end_take_no_memory(compiled: CDLL) -> None:
    """Threads are created and destroyed, each with a new number; one still has the CPU."""
    part = []
    for tid in range(1, 3000):
        part += [(4 << 10 | 24, 0, 0, tid, "", False), (THREAD_NAME, 0, 0, tid, "a", False)]
        part += [(9 << 10, 0, tid - 1, tid, "", False), (4 << 10 | 25, 0, 0, tid, "", False)]
    assert both(compiled, [columns_of(part[i : i + 1000], 0) for i in range(0, len(part), 1000)])


def test_what_a_name_raises_comes_out(compiled: CDLL) -> None:
    def names_of(_epoch: int) -> Names:
        found = Names({})
        found.thread = lambda _tid: 1 // 0  # type: ignore[assignment, method-assign, return-value] # it has to fail
        return found

    model = CompiledSystemModel(compiled, names_of)
    with pytest.raises(ZeroDivisionError):
        model.feed(columns([Row(1, (9, 0), (1, 2))]))


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)

"""The compiled model says what `SystemModel` says, transition by transition, whatever is fed."""

from __future__ import annotations

import os
import random
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.columns import Row, columns
from tests.model.plans import CODES, ROWS, TEXTS, THREAD_NAME, WORDS, Plan, columns_of, names
from tests.native.conftest import VARIABLE, examples, run_sanitized
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
    plain, fast = SystemModel(names), CompiledSystemModel(names)
    assert fast.begin(compiled)
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
    """Threads come and go, each with a number of its own; one of them still has the CPU."""
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

    model = CompiledSystemModel(names_of)
    assert model.begin(compiled)
    with pytest.raises(ZeroDivisionError):
        model.feed(columns([Row(1, (9, 0), (1, 2))]))


def test_python_does_it_without_a_compiled_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tickertape._native.system.library", lambda: None)
    assert not CompiledSystemModel(names).begin()


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)

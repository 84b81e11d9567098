"""For any events, the model keeps to its state machines and puts one process on a core."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.follow import Watched
from tests.support.plans import CODES, ROWS, TEXTS, THREAD_NAME, Plan, columns_of

TIDS = [0, 1, 2, 3]
IRQS = [15, 16, 17]


@given(st.lists(ROWS, max_size=3))
def test_laws_hold_for_events_in_any_order(plan: Plan) -> None:
    watched = Watched()
    watched.feed(*(columns_of(part, number // 2) for number, part in enumerate(plan)))
    assert (watched.broken, watched.shared) == ([], [])


@pytest.mark.parametrize("seed", [*range(60), 81019])
def test_laws_hold_for_long_nonsense(seed: int) -> None:
    chance = random.Random(seed)
    part = []
    for _ in range(3000):
        code = chance.choice([*CODES, *[9 << 10] * 20, *[3 << 10 | 1, 3 << 10 | 2] * 10])
        words = chance.choice(TIDS), chance.choice(TIDS)
        if code >> 10 == 3:
            words = chance.choice(IRQS), 0
        text = chance.choice(TEXTS) if code == THREAD_NAME else ""
        lost = chance.random() < 0.002
        part.append((code, chance.choice([0, 0, 1]), *words, text, lost))
    watched = Watched()
    watched.feed(*(columns_of(part[i : i + 700], 0) for i in range(0, len(part), 700)))
    assert (watched.broken, watched.shared) == ([], [])

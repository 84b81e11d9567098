"""Events that identify a task by number: parts without a change may be skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import Row, born, columns, switch
from tickertape.answers.numbered import DEADLINE_MISS, NumberedEvents
from tickertape.answers.reading import BootPass
from tickertape.model.compiled_system import system_model
from tickertape.model.names import Names

if TYPE_CHECKING:
    from tickertape.model.entities import Entities

DESTROY, ACTIVATION, MISS = (4, 25), (9, 6), (9, 8)
TIDS = st.integers(1, 3)
STEPS = st.one_of(
    st.tuples(st.just("born"), TIDS, st.sampled_from("abc")),
    st.tuples(st.sampled_from(["destroyed", "activated", "missed", "runs"]), TIDS, st.just("")),
)


class Thorough(NumberedEvents):
    """Examines every part, also those without a change."""

    def _is_settled(self, entities: Entities) -> bool:
        del entities
        return False


def rows_of(steps: list[tuple[str, int, str]], begin: int) -> list[Row]:
    rows: list[Row] = []
    for time, (what, tid, name) in enumerate(steps, begin):
        at = 100 * time
        if what == "born":
            rows += born(at, tid, name)
        elif what == "destroyed":
            rows.append(Row(at, DESTROY, (0, tid)))
        elif what == "runs":
            rows.append(switch(at, 0, tid))
        else:
            rows.append(Row(at, MISS if what == "missed" else ACTIVATION, (tid, 1)))
    return rows


@given(steps=st.lists(STEPS, min_size=1), size=st.integers(1, 4))
def test_parts_that_are_passed_over_change_nothing(
    steps: list[tuple[str, int, str]], size: int
) -> None:
    boot = BootPass(system_model(lambda _epoch: Names({})), 0)
    quick, thorough = NumberedEvents(DEADLINE_MISS), Thorough(DEADLINE_MISS)
    missed = 0
    for begin in range(0, len(steps), size):
        part = boot.feed(columns(rows_of(steps[begin : begin + size], begin)))
        found = quick.feed(part)
        assert found == thorough.feed(part)
        missed += len(found)
    assert missed == sum(what == "missed" for what, _, _ in steps)

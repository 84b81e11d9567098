"""A thread that gets its name after its creation is one task, in both engines."""

from __future__ import annotations

import pytest

from tests.support.columns import born, columns, destroy, name, state, switch
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel

TID = 0x2000_0340
LATE = [*born(1, TID, f"0x{TID:08x}"), name(2, TID, "motor"), switch(3, 0, TID), switch(4, TID, 0)]


@pytest.mark.parametrize("engine", [SystemModel, system_model])
def test_a_late_name_makes_no_second_task(engine: type[SystemModel]) -> None:
    model = engine(lambda _epoch: Names({}))
    model.feed(columns([*LATE, state(5, 5, TID), switch(6, 0, TID)]))
    tasks = [entity.name for entity in model.entities if entity.kind is Kind.TASK]
    assert tasks == ["motor"]


@pytest.mark.parametrize("engine", [SystemModel, system_model])
def test_what_an_unnamed_thread_did_is_not_that_of_a_later_one(engine: type[SystemModel]) -> None:
    """Two threads have the same number; the first one never gets a name."""
    model = engine(lambda _epoch: Names({}))
    unnamed = [*born(1, TID, f"0x{TID:08x}"), switch(1, 0, TID), switch(1, TID, 0), destroy(1, TID)]
    model.feed(columns([*unnamed, *LATE]))
    tasks = [entity.name for entity in model.entities if entity.kind is Kind.TASK]
    assert tasks == [f"0x{TID:08x}", "motor"]

"""Figures of threads that are renamed, suspended, started late, or whose priority changes."""

from __future__ import annotations

import pytest

from tests.support.columns import Row, born, columns, create, name, state, switch
from tickertape.answers.attribution import ANY_INSTANCE, Attribution, Cause, Window
from tickertape.answers.instances import Instances
from tickertape.answers.places import tasks_called
from tickertape.errors import UsageError
from tickertape.model.names import Names
from tickertape.model.system import SystemModel

DEAD, READY, STOPPED, MUTEX = 0, 2, 3, 13


def mutex(time: int, event: int, word: int) -> Row:
    return Row(time, (8, event), (0x100, word))


def parts_of(rows: list[Row], task: str, begin: int, end: int) -> dict[tuple[Cause, ...], int]:
    """Return the ticks of a task by the causes of each path."""
    model = SystemModel(lambda _epoch: Names({}))
    found = model.feed(columns(rows))
    (entity,) = tasks_called(task, model.entities)
    window = Window(entity, ANY_INSTANCE, begin, end)
    attribution = Attribution(model.entities, [window])
    attribution.feed(found)
    attribution.finish(end)
    return {tuple(step.cause for step in path): ticks for path, ticks in window.by_path().items()}


def test_suspension_is_a_cause_of_its_own() -> None:
    """A waiting thread gets the mutex at 25 and is suspended until 90."""
    rows = [
        *(*born(0, 1, "lo"), *born(0, 2, "hi"), switch(1, 0, 1), mutex(2, 0, 1)),
        *(switch(10, 1, 2), mutex(20, 1, 1), state(20, MUTEX, 2), switch(20, 2, 1)),
        *(mutex(25, 3, 1), mutex(25, 0, 2), state(25, STOPPED, 2)),
        *(state(90, READY, 2), switch(90, 1, 2), Row(100)),
    ]
    assert parts_of(rows, "hi", 10, 100) == {
        (Cause.RAN,): 20,
        (Cause.BLOCKED, Cause.RAN): 5,
        (Cause.SUSPENDED,): 65,
    }
    model = SystemModel(lambda _epoch: Names({}))
    instances = Instances(model.entities, 0)
    instances.feed(columns(rows), model.feed(columns(rows)))
    instances.finish()
    (mine,) = [one for one in instances.taken() if model.entities[one.entity].name == "hi"]
    assert (mine.blocked, mine.suspended, mine.ready) == (5, 65, 10)


def test_a_thread_that_did_not_start_waits_for_its_start() -> None:
    rows = [
        *(*born(0, 1, "a"), switch(1, 0, 1), create(10, 2), name(10, 2, "late")),
        *(state(60, READY, 2), Row(100)),
    ]
    assert parts_of(rows, "late", 10, 100) == {(Cause.WAITED,): 50, (Cause.READY,): 40}


def test_a_mutex_of_an_ended_thread_stays_locked() -> None:
    rows = [
        *(*born(0, 1, "holder"), *born(0, 2, "waiter"), switch(1, 0, 1), mutex(2, 0, 1)),
        *(state(10, DEAD, 1), switch(10, 1, 2), mutex(20, 1, 1), state(20, MUTEX, 2)),
        *(switch(20, 2, 0), Row(100)),
    ]
    assert parts_of(rows, "waiter", 10, 100) == {
        (Cause.RAN,): 10,
        (Cause.BLOCKED, Cause.ENDED): 80,
    }


def test_each_name_of_a_thread_selects_it() -> None:
    model = SystemModel(lambda _epoch: Names({}))
    model.feed(columns([*born(0, 1, "7"), switch(1, 0, 1), name(5, 1, "worker"), Row(9)]))
    assert tasks_called("7", model.entities) == tasks_called("worker", model.entities) != []
    with pytest.raises(UsageError, match="no task is called idler"):
        tasks_called("idler", model.entities)

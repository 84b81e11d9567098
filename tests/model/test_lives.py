"""Lives of threads: created, named, suspended, woken before their switch, ended."""

from __future__ import annotations

import pytest

from tests.model.follow import Watched, of, said_of
from tests.support.columns import Row, born, columns, create, destroy, gap, name, state, switch
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import Action

DEAD, READY, STOPPED, NANOSLEEP, MUTEX, SEM = 0, 2, 3, 12, 13, 17
ENGINES = pytest.mark.parametrize("engine", [SystemModel, system_model])


def interrupt(time: int, *, end: bool = False) -> Row:
    return Row(time, (3, 2 if end else 1), (17, 0))


def sem(time: int, event: int, word: int, **where: int) -> Row:
    return Row(time, (8, event), (0x300, word), **where)  # type: ignore[arg-type] # what Row has


def states_of(rows: list[Row], task: str) -> list[tuple[str, str]]:
    """Return (action, state after) of the transitions of a task."""
    return [(one[2], one[4]) for one in said_of(rows) if one[0] == task and one[2] != "TRIGGER"]


def test_a_created_thread_becomes_ready_when_it_starts() -> None:
    rows = [create(0, 1), name(0, 1, "a"), Row(5), state(50, READY, 1), switch(51, 0, 1)]
    assert states_of(rows, "a") == [
        ("CREATE", "CREATED"),
        ("ACTIVATE", "ACTIVE"),
        ("START", "RUNNING"),
    ]
    found = SystemModel(lambda _epoch: Names({})).feed(columns(rows))
    assert found.time[found.action == Action.ACTIVATE].tolist() == [50]


def test_a_created_thread_may_run_at_once_or_be_destroyed_without_a_start() -> None:
    begin = [create(0, 1), name(0, 1, "a")]
    assert states_of([*begin, switch(9, 0, 1)], "a")[1:] == [
        ("ACTIVATE", "ACTIVE"),
        ("START", "RUNNING"),
    ]
    assert states_of([*begin, destroy(9, 1)], "a")[1:] == [("END", "ENDED")]
    assert states_of([*begin, state(9, STOPPED, 1), state(20, READY, 1)], "a")[1:] == [
        ("ACTIVATE", "ACTIVE")
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [state(2, STOPPED, 1), state(5, READY, 1), switch(6, 2, 1)],
            [("STOP", "SUSPENDED"), ("REACTIVATE", "ACTIVE"), ("START", "RUNNING")],
        ),
        (
            [switch(2, 2, 1), switch(3, 1, 2), state(4, STOPPED, 1), state(5, READY, 1)],
            [
                *(("START", "RUNNING"), ("PREEMPT", "READY")),
                *(("STOP", "SUSPENDED"), ("CONTINUE", "READY")),
            ],
        ),
        (
            [switch(2, 2, 1), state(3, STOPPED, 1), switch(4, 1, 2), state(5, READY, 1)],
            [("START", "RUNNING"), ("STOP", "SUSPENDED"), ("CONTINUE", "READY")],
        ),
        (
            [switch(2, 2, 1), state(3, SEM, 1), switch(4, 1, 2), state(5, STOPPED, 1)],
            [("START", "RUNNING"), ("WAIT", "WAITING"), ("STOP", "SUSPENDED")],
        ),
        (
            [state(2, STOPPED, 1), state(4, DEAD, 1)],
            [("STOP", "SUSPENDED"), ("ABORT", "TERMINATED"), ("END", "ENDED")],
        ),
    ],
    ids=["before its start", "while ready", "by itself", "while waiting", "ended meanwhile"],
)
def test_a_suspended_thread_is_neither_ready_nor_waiting(
    rows: list[Row], said: list[tuple[str, str]]
) -> None:
    begin = [*born(0, 1, "a"), *born(0, 2, "b"), switch(1, 0, 2)]
    assert states_of([*begin, *rows], "a")[2:] == said


def test_a_thread_that_another_cpu_suspends_leaves_its_core_first() -> None:
    rows = [
        *(*born(0, 1, "a"), *born(0, 2, "b"), switch(1, 0, 1), switch(1, 0, 2, cpu=1)),
        *(state(5, STOPPED, 1, cpu=1), switch(6, 1, 0), state(9, READY, 1, cpu=1)),
        switch(10, 0, 1),
    ]
    assert states_of(rows, "a")[2:] == [
        ("START", "RUNNING"),
        ("STOP", "SUSPENDED"),
        ("CONTINUE", "READY"),
        ("RESUME", "RUNNING"),
    ]


RACES = {
    "interrupt": [
        *(interrupt(21), sem(22, 12, 0), state(22, READY, 1), interrupt(23, end=True)),
        sem(24, 9, 0),
    ],
    "other CPU": [
        *(sem(22, 12, 0, cpu=1), state(23, READY, 1, cpu=1)),
        sem(24, 9, 0),
    ],
    "sleep": [
        *(interrupt(21), state(22, READY, 1), interrupt(23, end=True)),
        state(60, NANOSLEEP, 1),
    ],
}


@ENGINES
@pytest.mark.parametrize("race", RACES)
def test_a_thread_that_is_woken_before_its_switch_runs_on(
    engine: type[SystemModel], race: str
) -> None:
    """Without a switch it runs since it was woken, and its next wait ends that."""
    rows = [
        *(*born(0, 1, "a"), *born(0, 2, "b"), switch(1, 0, 1), switch(1, 0, 2, cpu=1)),
        *(sem(20, 10, 1), state(20, SEM, 1), *RACES[race]),
        *(sem(70, 10, 1), state(70, SEM, 1), switch(71, 1, 0)),
    ]
    model = engine(lambda _epoch: Names({}))
    found = model.feed(columns(rows))
    mine = [model.entities[one].name == "a" for one in found.entity.tolist()]
    said = [
        (time, Action(action).name)
        for time, action, is_mine in zip(
            found.time.tolist(), found.action.tolist(), mine, strict=True
        )
        if is_mine and time >= 20 and action != Action.LOSE
    ]
    waits = [60] if race == "sleep" else [70]
    assert said == [
        *((20, "WAIT"), (23 if race == "other CPU" else 22, "RELEASE"), (23, "RESUME")),
        *((time, "WAIT") for time in waits),
    ]


def test_a_woken_thread_that_loses_its_core_is_ready() -> None:
    rows = [
        *(*born(0, 1, "a"), *born(0, 2, "b"), switch(1, 0, 1), state(20, SEM, 1)),
        *(interrupt(21), state(22, READY, 1), interrupt(23, end=True), switch(24, 1, 2)),
        *(sem(25, 9, 0), switch(30, 2, 1)),
    ]
    assert states_of(rows, "a")[3:] == [
        ("WAIT", "WAITING"),
        ("RELEASE", "READY"),
        ("RESUME", "RUNNING"),
    ]
    assert not [one for one in said_of(rows) if one[2] == "LOSE"]


@ENGINES
@pytest.mark.parametrize("waits", [False, True], ids=["runs", "waits"])
def test_a_renamed_thread_is_the_same_task(engine: type[SystemModel], *, waits: bool) -> None:
    away = [state(10, SEM, 1), switch(11, 1, 0)] if waits else []
    back = [state(20, READY, 1), switch(21, 0, 1)] if waits else []
    rows = [*born(0, 1, "7"), switch(1, 0, 1), *away, name(15, 1, "worker"), *back, Row(30)]
    model = engine(lambda _epoch: Names({}))
    found = model.feed(columns(rows))
    tasks = [one for one in model.entities if one.kind is Kind.TASK]
    assert [(one.name, one.earlier) for one in tasks] == [("worker", ("7",))]
    assert tasks[0].is_called("7")
    assert Action.LOSE not in found.action[found.row > 0].tolist()


@ENGINES
def test_a_number_that_is_used_again_without_a_name_is_another_task(
    engine: type[SystemModel],
) -> None:
    end = [state(10, DEAD, 1), switch(11, 1, 0)]
    again = [state(21, READY, 1), switch(22, 0, 1), Row(30)]
    for more in ([destroy(11, 1), create(20, 1)], [create(20, 1)], [destroy(11, 1)], []):
        rows = [*born(0, 1, "a"), switch(1, 0, 1), *end, *more, *again]
        model = engine(lambda _epoch: Names({}))
        model.feed(columns(rows))
        names = [one.name for one in model.entities if one.kind is Kind.TASK]
        assert names == ["a", "thread 1"]


def test_a_thread_that_ended_stays_so_over_a_gap() -> None:
    rows = [*born(0, 1, "a"), switch(1, 0, 1), state(5, DEAD, 1), switch(6, 1, 0), Row(9)]
    watched = Watched()
    said = watched.feed(columns(rows, [gap(6)]))
    assert (watched.broken, watched.shared) == ([], [])
    assert [one[2] for one in said if one[0] == "a"][-2:] == ["TERMINATE", "END"]
    assert of(said, "a")[-1] == (0, "TERMINATE")


def test_a_thread_that_is_known_only_between_stop_and_start_has_no_life_after_it() -> None:
    stop, start = Row(10, (14, 1), (0, 0)), Row(50, (14, 0), (0, 0))
    rows = [
        *(*born(0, 2, "b"), switch(0, 0, 2), *born(1, 1, "a"), stop, start),
        *(create(51, 2), state(51, 1, 2), name(51, 2, "b"), Row(90)),
    ]
    said = Watched().feed(columns(rows))
    assert [one[2:] for one in said if one[0] == "a"][-1] == ("LOSE", "ACTIVE", "UNKNOWN")

"""Detectors: computed by hand, compared with `check` and a simulated kernel, and with losses."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row, born, state, switch
from tests.support.examples import examples
from tests.support.golden import (
    BUS,
    CHAIN,
    DEADLOCK,
    DISK,
    INVERSION,
    LATE,
    MUTEX,
    NANOSLEEP,
    READY,
    sync,
)
from tests.support.row_tapes import row_tape
from tests.support.simulation import DENIED as REFUSED
from tests.support.simulation import LATE as MISSED
from tests.support.simulation import simulate
from tickertape.answers.check import Outcome, check
from tickertape.answers.findings import DETECTORS, LIMIT_NS, find
from tickertape.answers.places import Choice
from tickertape.answers.spec import parse
from tickertape.answers.why import why
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.simulation import Truth
    from tickertape.answers.findings import Detection

SEEDS = st.integers(0, 100_000)
SECOND = 25_000_000
URGENCY = [Row(0, (9, 5), (tid, 10 * tid)) for tid in (1, 2, 3)]
STOPPED = 3
ENTRY, EXIT = (3, 1), (3, 2)

BOUNDED = [
    *URGENCY,
    *born(0, 1, "low"),
    *born(0, 2, "high"),
    switch(0, 0, 1),
    sync(10, 0, BUS, 1),
    switch(20, 1, 2),
    sync(25, 1, BUS, 1),
    state(25, MUTEX, 2),
    switch(25, 2, 1),
    sync(50, 3, BUS, 1),
    sync(50, 0, BUS, 2),
    state(50, READY, 2),
    switch(50, 1, 2),
    Row(100),
]
"""`low` owns the bus; only `low` runs while `high` waits for the bus for 25 ticks."""

SLEEP, WOKEN = state(40, NANOSLEEP, 1), state(60, READY, 1)

STRANGER = [
    *BOUNDED[:-5],
    Row(30, (9, 5), (4, 5)),
    *born(30, 4, "stranger"),
    *(SLEEP, switch(40, 1, 4), WOKEN, switch(63, 4, 1)),
    *(sync(70, 3, BUS, 1), sync(70, 0, BUS, 2), state(70, READY, 2), switch(74, 1, 2)),
    Row(100),
]
"""As BOUNDED, but the owner sleeps from 40 to 60, and `stranger` runs until the owner is back."""

EQUALS = [
    *(Row(0, (9, 5), (tid, urgency)) for tid, urgency in ((1, 5), (2, 5), (3, 9))),
    *born(0, 1, "low"),
    *born(0, 2, "mid"),
    *born(0, 3, "high"),
    switch(0, 0, 1),
    sync(1, 0, BUS, 1),
    switch(10, 1, 2),
    *(sync(11, 0, DISK, 2), sync(12, 1, BUS, 1), state(12, MUTEX, 2), switch(12, 2, 3)),
    *(sync(20, 1, DISK, 2), state(20, MUTEX, 3), switch(20, 3, 1)),
    *(sync(50, 3, BUS, 1), sync(50, 0, BUS, 2), state(50, READY, 2), switch(54, 1, 2)),
    *(sync(60, 3, DISK, 2), sync(60, 0, DISK, 3), state(60, READY, 3), switch(64, 2, 3)),
    Row(100),
]
"""`high` waits for `mid`, and `mid` for `low` of the same priority: 30 + 6 ticks of owners, and 8
of the kernel, which switches 4 ticks after each unlock."""

RAISED = [
    *(Row(0, (9, 5), (tid, 10 * tid)) for tid in (1, 2, 3)),
    *INVERSION[:-9],
    Row(50, (9, 5), (2, 40)),
    *INVERSION[-9:],
]
"""As INVERSION, but `medium` is more urgent than `high` from tick 50 on."""

ENDED = [
    *URGENCY,
    *born(0, 1, "low"),
    *born(0, 2, "high"),
    switch(0, 0, 1),
    sync(10, 0, BUS, 1),
    state(20, 0, 1),
    switch(20, 1, 2),
    Row(20, (4, 25), (0, 1)),
]
"""`low` ends while it has the bus."""

LEFT = [*ENDED, sync(25, 1, BUS, 1), state(25, MUTEX, 2), switch(26, 2, 0), Row(100)]
"""`high` waits for a mutex whose owner ended."""

STARVED = [
    *born(0, 1, "greedy"),
    *born(0, 2, "hungry"),
    switch(0, 0, 1),
    Row(SECOND),
    Row(SECOND + 25),
]
"""`hungry` is ready and `greedy` runs for a second and one microsecond."""

SLEEPING = [
    *born(0, 1, "greedy"),
    *born(0, 2, "hungry"),
    switch(0, 0, 2),
    state(5, NANOSLEEP, 2),
    switch(5, 2, 1),
    Row(SECOND),
    Row(SECOND + 5),
]
"""As STARVED, but the task waits instead of being ready."""

SUSPENDED = [*STARVED[:-2], state(5, STOPPED, 2), *STARVED[-2:]]
RESUMED = [*SUSPENDED[:-2], state(10, READY, 2), Row(SECOND), Row(SECOND + 40)]

STORM = [
    *born(0, 1, "main"),
    switch(0, 0, 1),
    *(
        Row(SECOND // 10 + 1000 * number + offset, kind, (17, 0))
        for number in range(300)
        for kind, offset in ((ENTRY, 0), (EXIT, 600))
    ),
    Row(SECOND // 2),
]
"""An interrupt every 40 us that takes 24 us, for 12 ms."""

STACKS = [
    *born(0, 1, "a"),
    *born(0, 2, "b"),
    switch(0, 0, 1),
    *(
        Row(time, (5, number), (tid, value))
        for time, number, tid, value in (
            (10, 17, 1, 512),
            (10, 18, 1, 40),
            (11, 18, 2, 32),
            (20, 18, 1, 28),
            (30, 18, 1, 20),
        )
    ),
    Row(40),
]
"""`a` uses nearly all of its stack; `b` leaves room for an exception."""

CONDITION, WAITS_FOR_CONDITION = 0x700, 14


def runs(time: int, *then: Row, before: int = 0) -> list[Row]:
    """Return rows: `cook` runs for two ticks and sleeps again."""
    end = time + 2
    return [
        *(state(time, READY, 2), switch(time, before, 2), *then),
        *(state(end, NANOSLEEP, 2), switch(end, 2, before)),
    ]


def missed_wakeup(first: Sequence[Row], *later: Row) -> list[Row]:
    """Return rows: `eater` owns the bus from tick 10, and waits for the condition from tick 40."""
    return [
        *born(0, 1, "eater"),
        *born(0, 2, "cook"),
        *(switch(0, 0, 2), state(1, NANOSLEEP, 2), switch(1, 2, 1)),
        sync(10, 0, BUS, 1),
        *first,
        Row(40, (8, 6), (CONDITION, BUS)),
        sync(40, 3, BUS, 1),
        state(40, WAITS_FOR_CONDITION, 1),
        switch(41, 1, 0),
        *later,
        Row(SECOND + 90),
    ]


def signal(time: int, woken: int) -> Row:
    return Row(time, (8, 7), (CONDITION, woken))


EARLY = runs(30, signal(31, 0), before=1)
AWAKE = [sync(61, 0, BUS, 1), state(61, READY, 1)]
ASLEEP = [switch(70, 0, 1), state(73, NANOSLEEP, 1), switch(73, 1, 0)]
"""Rows: `eater` is woken and sleeps."""

QUEUED = state(61, MUTEX, 1)
"""Row: the woken `eater` waits for the mutex."""

OTHER = [Row(61, (8, 7), (CONDITION + 1, 1)), Row(62, (8, 8), (CONDITION + 1, 4)), signal(62, 0)]
"""Rows: wake-ups of another condition, and one of this condition without a waiting task."""

MISSED_WAKEUP = (
    "eater waited for event 0x700 for 1.000 s; "
    "a wake-up by cook came 360 ns earlier, while eater had mutex 0x100"
)

ABANDONED = "mutex 0x100 was never unlocked: low ended at 0.000000800 s while it held it"

CALM = [Row(one.time * 2 - 600 * (one.kind == EXIT), one.kind, one.data) for one in STORM[4:-1]]


def found_in(path: Path, limit_ns: int = LIMIT_NS) -> dict[str, Detection]:
    with TapeReader(path) as reader:
        return {one.detector: one for one in find(reader, limit_ns=limit_ns)}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (
            [*URGENCY, *INVERSION],
            {
                "inversion": "less urgent tasks ran for 2.160 us while high waited, "
                "unbounded: medium for 1.600 us without these mutexes"
            },
        ),
        (
            BOUNDED,
            {
                "inversion": "less urgent tasks ran for 1.000 us while high waited, "
                "bounded: only owners of the mutexes"
            },
        ),
        (
            STRANGER,
            {
                "inversion": "less urgent tasks ran for 880 ns while high waited, "
                "bounded: only owners of the mutexes"
            },
        ),
        (
            EQUALS,
            {
                "inversion": "less urgent tasks ran for 1.440 us while high waited, "
                "bounded: only owners of the mutexes"
            },
        ),
        (
            RAISED,
            {
                "inversion": "less urgent tasks ran for 1.360 us while high waited, "
                "unbounded: medium for 800 ns without these mutexes"
            },
        ),
        (LEFT, {"abandoned_mutex": ABANDONED + "; high waits forever"}),
        ([*ENDED, Row(100)], {"abandoned_mutex": ABANDONED}),
        ([*ENDED, sync(22, 3, BUS, 1), Row(100)], {}),
        (DEADLOCK, {"deadlock": "deadlock: a waits for b waits for a"}),
        (CHAIN, {}),
        (LATE, {"deadline": "the kernel reports a missed deadline of a"}),
        (
            STARVED,
            {
                "starvation": "hungry was ready for 1.000 s without a CPU",
                "overload": "CPU 0 was not idle for 1.000 s",
            },
        ),
        (SLEEPING, {"overload": "CPU 0 was not idle for 1.000 s"}),
        (SUSPENDED, {"overload": "CPU 0 was not idle for 1.000 s"}),
        (
            RESUMED,
            {
                "starvation": "hungry was ready for 1.000 s without a CPU",
                "overload": "CPU 0 was not idle for 1.000 s",
            },
        ),
        (STARVED[:-1], {}),
        (STORM, {"storm": "services of irq1 took half of a CPU or more for 11.984 ms"}),
        (CALM, {}),
        (STACKS, {"stack": "a left 28 bytes of its stack unused; an exception takes 32"}),
        (missed_wakeup(EARLY), {"lost_wakeup": MISSED_WAKEUP}),
        (missed_wakeup(EARLY, *runs(60, *OTHER)), {"lost_wakeup": MISSED_WAKEUP}),
        (missed_wakeup(EARLY, *runs(60, signal(61, 1), *AWAKE), *ASLEEP), {}),
        (missed_wakeup(EARLY, *runs(60, Row(61, (8, 8), (CONDITION, 1)), *AWAKE), *ASLEEP), {}),
        (missed_wakeup(EARLY, *runs(60, sync(60, 0, BUS, 2), signal(61, 1), QUEUED)), {}),
        (missed_wakeup(runs(30, before=1)), {}),
        ([], {}),
    ],
    ids=[
        *(
            "inversion",
            "bounded",
            "stranger",
            "equals",
            "raised",
            "left",
            "unused",
            "unlocked",
            "deadlock",
            "chain",
            "late",
            "starved",
            "asleep",
            "suspended",
            "resumed",
            "not quite",
        ),
        *("storm", "calm", "stacks", "wake-up", "other wake-ups", "woken", "all woken"),
        *("queued", "no signal", "empty"),
    ],
)
def test_a_finding(tmp_path: Path, rows: Sequence[Row], found: dict[str, str]) -> None:
    detections = found_in(row_tape(tmp_path / "T.tape", rows, buffer_records=500))
    assert list(detections) == list(DETECTORS)
    said = {
        name: [one.what for one in detection.findings] for name, detection in detections.items()
    }
    assert {name: what for name, what in said.items() if what} == {
        name: [what] for name, what in found.items()
    }


@pytest.mark.parametrize(
    ("rows", "detector", "remarks"),
    [
        ([*URGENCY, *INVERSION], "inversion", 0),
        (BOUNDED, "inversion", 1),
        (LEFT, "abandoned_mutex", 0),
        ([*ENDED, Row(100)], "abandoned_mutex", 1),
    ],
)
def test_bounded_inversions_are_remarks(
    tmp_path: Path, rows: Sequence[Row], detector: str, remarks: int
) -> None:
    detection = found_in(row_tape(tmp_path / "T.tape", rows))[detector]
    assert (detection.count, detection.remarks, detection.faults) == (1, remarks, 1 - remarks)
    assert [one.is_remark for one in detection.findings] == [bool(remarks)]


def test_the_drain_of_the_recorder_never_starves(tmp_path: Path) -> None:
    rows = [
        *born(0, 1, "greedy"),
        *born(0, 2, "tickertape"),
        switch(0, 0, 1),
        Row(SECOND),
        Row(SECOND + 25),
    ]
    assert not found_in(row_tape(tmp_path / "T.tape", rows))["starvation"].count


@pytest.mark.parametrize(
    ("rows", "detector", "requirement"),
    [
        ([*URGENCY, *INVERSION], "inversion", "inversion: any, max: 0 ns"),
        (BOUNDED, "inversion", "inversion: high, max: 0 ns"),
        (DEADLOCK, "deadlock", "no_deadlock: true"),
        (LATE, "deadline", "deadline: a"),
    ],
)
def test_check_agrees(tmp_path: Path, rows: Sequence[Row], detector: str, requirement: str) -> None:
    tape = row_tape(tmp_path / "T.tape", rows)
    detection = found_in(tape)[detector]
    with TapeReader(tape) as reader:
        (verdict,) = check(reader, parse(f"requirements: [{{{requirement}}}]".encode(), "spec"))
    assert verdict.outcome is Outcome.FAIL
    assert [one.what for one in verdict.violations] == [one.what for one in detection.findings]


@pytest.mark.parametrize(
    ("rows", "detector", "label"),
    [
        ([*URGENCY, *INVERSION], "inversion", "blocked on mutex 0x100, held by low"),
        (DEADLOCK, "deadlock", "blocked on mutex 0x200, held by b"),
        (LATE, "deadline", "preempted by b"),
        (STARVED, "starvation", "ready while greedy runs"),
    ],
)
def test_why_opens_a_finding(
    tmp_path: Path, rows: Sequence[Row], detector: str, label: str
) -> None:
    tape = row_tape(tmp_path / "T.tape", rows)
    (finding,) = found_in(tape)[detector].findings
    with TapeReader(tape) as reader:
        at_ns = int(finding.at.replace(".", ""))
        (answer,) = why(reader, Choice(finding.task, at_ns=at_ns, epoch=finding.epoch))
    assert label in [part.label for part in answer.parts]


def urgent(truth: Truth) -> list[Row]:
    """Return the rows of a simulation, with the priorities of its tasks."""
    tasks = truth.tasks.values()
    return [*(Row(0, (9, 5), (task.tid, task.priority)) for task in tasks), *truth.rows]


@given(SEEDS)
@settings(max_examples=examples(30))
def test_a_simulated_kernel_has_these_findings_only(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """The simulated tasks take one mutex at a time, and their deadlines equal their periods."""
    truth = simulate(seed, 1 + seed % 2, 2500)
    folder = tmp_path_factory.mktemp("findings")
    tape = row_tape(folder / "T.tape", urgent(truth), cpus=1 + seed % 2, buffer_records=50)
    found = found_in(tape)
    counts = {name: detection.count for name, detection in found.items()}
    late = sum(row.kind == MISSED for row in truth.rows)
    refused = sum(row.kind == REFUSED for row in truth.rows)
    inversions = counts.pop("inversion")
    assert counts == {
        **dict.fromkeys(set(DETECTORS) - {"inversion"}, 0),
        "deadline": late,
    }
    assert inversions <= refused
    for one in found["inversion"].findings:
        assert any(sum(life.blocked.values()) for life in truth.tasks[one.task].lives)
        assert "unbounded" not in one.what  # the simulated mutexes inherit priorities


@given(SEEDS)
@settings(max_examples=examples(30))
def test_losses_create_no_finding(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder = tmp_path_factory.mktemp("law")
    cpus, chance = 1 + seed % 2, random.Random(seed)
    rows = urgent(simulate(seed, cpus, 2500))
    rate = chance.choice([0.02, 0.1, 0.5])
    lost = {number for number in range(1, 5000) if chance.random() < rate}
    size, limit_ns = chance.choice([3, 20]), 40 * chance.randint(50, 1000)
    whole = row_tape(folder / "W.tape", rows, cpus=cpus, buffer_records=size)
    part = row_tape(
        folder / "P.tape", rows, cpus=cpus, buffer_records=size, is_lost=lost.__contains__
    )
    truth, left = found_in(whole, limit_ns), found_in(part, limit_ns)
    for name, detection in left.items():
        true = truth[name]
        assert true.count or not detection.count, name
        assert detection.doubts or detection.count == true.count, name
        if true.count == len(true.findings):
            for one in detection.findings:
                assert any(
                    each.begin_ticks <= one.begin_ticks and one.ticks <= each.ticks
                    for each in true.findings
                ), (name, one)

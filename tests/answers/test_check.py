"""Verdicts: computed by hand, compared with a simulated kernel, and with losses."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row, born, name, state, switch
from tests.support.examples import examples
from tests.support.golden import CHAIN, DEADLOCK, INVERSION, LATE
from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tests.support.specs import spec_for
from tickertape.answers.check import Outcome, check
from tickertape.answers.places import Choice
from tickertape.answers.report import why_lines
from tickertape.answers.spec import SpecError, parse
from tickertape.answers.why import why
from tickertape.protocol.events import EventClass, TracerEvent
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tickertape.answers.check import Verdict

SEEDS = st.integers(0, 100_000)
THREAD_DESTROY = 4, 25
COST = EventClass.TRACER, TracerEvent.COST
PRIORITIES = [Row(0, (9, 5), (tid, 10 * tid)) for tid in (1, 2, 3)]
USER = [Row(time, (6, number)) for time, number in ((10, 1), (30, 2), (40, 1), (95, 2), (99, 3))]


def verdicts_of(path: Path, spec: str) -> list[Verdict]:
    with TapeReader(path) as reader:
        return check(reader, parse(spec.encode(), "timing.yaml"))


def verdict_of(path: Path, requirement: str) -> Verdict:
    (found,) = verdicts_of(path, f"requirements: [{{{requirement}}}]")
    return found


# One tick of the tapes is 40 ns.
@pytest.mark.parametrize(
    ("rows", "requirement", "outcome", "what"),
    [
        (INVERSION, "response: high, max: 3200 ns", "PASS", ""),
        (INVERSION, "response: high, max: 3199 ns", "FAIL", "instance 0: response 3.200 us"),
        (INVERSION, "deadline: high, within: 3200 ns", "PASS", ""),
        (INVERSION, "latency: high, max: 0 ns", "PASS", ""),
        (INVERSION, "latency: medium, max: 1200 ns", "PASS", ""),
        (INVERSION, "latency: medium, max: 1199 ns", "FAIL", "latency 1.200 us"),
        (INVERSION, "execution: high, max: 880 ns", "PASS", ""),
        (INVERSION, "execution: high, max: 840 ns", "FAIL", "execution 880 ns"),
        (INVERSION, "blocking: high, max: 2240 ns", "PASS", ""),
        (INVERSION, "blocking: high, on: mutex 0x100, max: 2 us", "FAIL", "blocking 2.240 us"),
        (INVERSION, "load: 0, max: 100 %", "PASS", ""),
        (INVERSION, "load: medium, max: 30 %", "FAIL", "the load is at least 39.604 %"),
        (PRIORITIES + INVERSION, "inversion: any, max: 2160 ns", "PASS", ""),
        (PRIORITIES + INVERSION, "inversion: high, max: 2120 ns", "FAIL", "ran for 2.160 us"),
        (PRIORITIES + INVERSION, "inversion: low, max: 0 ns", "PASS", ""),
        (INVERSION, "no_deadlock: true", "PASS", ""),
        (CHAIN, "no_deadlock: true", "PASS", ""),
        (DEADLOCK, "no_deadlock: true", "FAIL", "deadlock: a waits for b waits for a"),
        (LATE, "deadline: a", "FAIL", "the kernel reports a missed deadline"),
        (LATE, "deadline: b", "PASS", ""),
        (LATE, "response: a, max: 2 us", "FAIL", "instance 0: response 2.800 us"),
        (LATE, "period: a, min: 2 us, max: 2 us", "PASS", ""),
        (LATE, "period: a, max: 1999 ns", "FAIL", "activated 2.000 us after"),
        (LATE, "period: a, min: 2001 ns", "FAIL", "activated 2.000 us after"),
        (LATE, "jitter: a, max: 0 ns", "PASS", ""),
        (USER, "order: [USER.1, USER.2], within: 2200 ns", "PASS", ""),
        (USER, "order: [USER.1, USER.2], within: 2 us", "FAIL", "no USER.2 follows USER.1"),
        (USER, "order: [USER.3, USER.1], within: 1 us", "UNKNOWN", "nothing on the"),
        (USER, "never: USER.2, without: USER.1", "PASS", ""),
        (USER, "never: USER.1, without: USER.2", "FAIL", "USER.1 without USER.2"),
        (USER, "rate: USER.*, at_most: 4, window: 3560 ns", "PASS", ""),
        (USER, "rate: USER.*, at_most: 4, window: 3561 ns", "FAIL", "5 USER.* within 3561 ns"),
        (USER, "rate: USER.*, at_most: 4, window: 3600 ns", "FAIL", "5 USER.* within 3600 ns"),
        (USER, "exclusive: [[USER.1, USER.2], [USER.3, USER.1]]", "PASS", ""),
        (USER, "exclusive: [[USER.1, USER.3], [USER.2, USER.1]]", "FAIL", "a section begins"),
        (USER, "no_losses: true", "PASS", ""),
        (USER, "load: 0, max: 50 %", "UNKNOWN", "no event of class SCHED"),
        (USER, "rate: THREAD.READY, at_most: 1, window: 1 s", "UNKNOWN", "class THREAD"),
        (INVERSION, "service: tick, max: 1 ms", "UNKNOWN", "no event of class INT"),
        (USER, "response: a, max: 1 s", "UNKNOWN", "no task on the tape is called a"),
    ],
)
def test_a_verdict(
    tmp_path: Path, rows: Sequence[Row], requirement: str, outcome: str, what: str
) -> None:
    found = verdict_of(row_tape(tmp_path / "T.tape", rows), requirement)
    assert (found.outcome.value, found.checked > 0 or outcome == "UNKNOWN") == (outcome, True)
    said = [one.what for one in found.violations] + list(found.doubts)
    assert bool(said) == (outcome != "PASS"), said
    assert any(what in one for one in said) or not what, said


@pytest.mark.parametrize(
    ("task", "outcome"), [("a", "FAIL"), ("b", "PASS"), ("c", "PASS"), ("d", "FAIL")]
)
def test_a_missed_deadline_is_of_the_task_that_had_the_number(
    tmp_path: Path, task: str, outcome: str
) -> None:
    """Number 1 is thread a, later b, and a gets number 5; number 7 is c, later d, which is late."""
    rows = [
        *LATE,
        Row(90, THREAD_DESTROY, (0, 1)),
        *born(91, 1, "b"),
        *born(92, 5, "a"),
        *born(93, 7, "c"),
        Row(94, THREAD_DESTROY, (0, 7)),
        *born(95, 7, "d"),
        Row(96, (9, 8), (7, 1)),
        Row(97),
    ]
    found = verdict_of(row_tape(tmp_path / "T.tape", rows), f"deadline: {task}")
    assert (found.outcome.value, found.count) == (outcome, int(outcome == "FAIL"))


def test_a_missed_deadline_of_an_unknown_thread_may_be_of_any_task(tmp_path: Path) -> None:
    rows = [*LATE, Row(90, (9, 8), (9, 1)), Row(91)]
    found = verdict_of(row_tape(tmp_path / "T.tape", rows), "deadline: b")
    assert found.outcome is Outcome.UNKNOWN
    assert found.doubts[0].startswith("the kernel reports a missed deadline of thread 9 at ")


def test_a_violation_says_why(tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", INVERSION)
    found = verdict_of(tape, "response: high, max: 1 us")
    (place,) = found.whys
    assert found.violations[0].place == place
    assert found.whys[place].parts[0].label == "blocked on mutex 0x100, held by low"
    with TapeReader(tape) as reader:
        at_ns = int(found.at(found.violations[0]).replace(".", ""))
        assert why(reader, Choice("high", at_ns=at_ns))[0] == found.whys[place]


def test_a_violation_says_what_tracing_cost(tmp_path: Path) -> None:
    """Costs: 5 ticks for 4 simple events, 7 for a combine record, 9 for a switch of buffers."""
    kinds = ((1 << 16 | 4, 5), (2 << 16 | 1, 7), (3 << 16 | 1, 9))
    tape = row_tape(tmp_path / "T.tape", [*(Row(0, COST, one) for one in kinds), *INVERSION])
    plain = row_tape(tmp_path / "P.tape", INVERSION)
    (found,) = verdict_of(tape, "response: high, max: 1 us").whys.values()
    (bare,) = verdict_of(plain, "response: high, max: 1 us").whys.values()
    assert found.tracing is not None
    assert 0 < (found.tracing_ticks or 0) <= found.ticks
    most = f"{40 * (found.tracing_ticks or 0) / 1000:.2f} us"
    last = f"    of it tracing: at most {most}, {found.tracing.events} events"
    assert why_lines(found) == [*why_lines(bare), last]


@pytest.mark.parametrize(
    ("requirement", "parts"),
    [
        ("response: hihg, max: 1 ms", ["timing.yaml:1:27", "called hihg", "did you mean high?"]),
        ("response: xyz, max: 1 ms", ["no task", "known: high, low, medium"]),
        ("load: hihg, max: 1 %", ["did you mean high?"]),
        ("blocking: high, on: bus, max: 1 ms", ["1:37", "no object on the tape is called bus"]),
    ],
)
def test_a_name_that_the_tape_does_not_have(
    tmp_path: Path, requirement: str, parts: list[str]
) -> None:
    tape = row_tape(tmp_path / "T.tape", INVERSION)
    with pytest.raises(SpecError) as refused:
        verdict_of(tape, requirement)
    for part in parts:
        assert part in str(refused.value)


def test_a_name_that_may_be_lost_is_unknown(tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", INVERSION, is_lost=lambda number: number == 1)
    found = verdict_of(tape, "response: other, max: 1 ms")
    assert found.outcome is Outcome.UNKNOWN
    assert "no task on the tape is called other" in found.doubts[-2]


def test_a_tape_without_names_is_unknown(tmp_path: Path) -> None:
    rows = [switch(0, 0, 1), state(5, 17, 1), switch(6, 1, 0), Row(9)]
    found = verdict_of(row_tape(tmp_path / "T.tape", rows), "response: a, max: 1 ms")
    assert found.outcome is Outcome.UNKNOWN


def test_a_gap_that_may_hide_a_violation(tmp_path: Path) -> None:
    """The four lost records may have exceeded the rate, so the verdict is UNKNOWN."""
    rows = [*born(0, 1, "a"), *(Row(time) for time in range(1, 400, 10)), name(400, 1, "a")]
    rows += [switch(410, 0, 1), state(420, 17, 1), switch(421, 1, 0), Row(450)]
    tape = row_tape(tmp_path / "T.tape", rows, is_lost=lambda number: number == 5)
    found = verdict_of(tape, "rate: USER.3, at_most: 11, window: 4 us")
    assert found.outcome is Outcome.UNKNOWN
    assert "records are missing at" in found.doubts[0]
    assert "(4 records of CPU 0)" in found.doubts[0]
    assert verdict_of(tape, "no_losses: true").outcome is Outcome.FAIL


def test_lost_records_at_the_end_are_a_doubt(tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "T.tape", USER, buffer_records=1, is_lost=lambda one: one == 4)
    found = verdict_of(tape, "never: USER.2, without: USER.1")
    assert found.outcome is Outcome.UNKNOWN
    assert "1 records are missing before or after all others" in found.doubts


def test_events_of_an_application_class(tmp_path: Path) -> None:
    rows = [Row(1, (20, 5)), Row(2, (20, 6))]
    tape = row_tape(tmp_path / "T.tape", rows)
    assert verdict_of(tape, "order: [APP20.5, APP20.6], within: 1 us").outcome is Outcome.PASS


def outcomes(path: Path, spec: str) -> dict[str, Outcome]:
    return {
        f"{number} {one.requirement.name}": one.outcome
        for number, one in enumerate(verdicts_of(path, spec))
    }


@given(SEEDS)
@settings(max_examples=examples(30))
def test_losses_make_verdicts_unknown_and_never_false(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("law")
    truth = simulate(seed, 1 + seed % 2, 2500)
    chance = random.Random(seed)
    rate = chance.choice([0.02, 0.1, 0.5])
    lost = {number for number in range(1, 5000) if chance.random() < rate}
    spec, size = spec_for(seed, sorted(truth.tasks)), chance.choice([3, 20])
    is_lost: Callable[[int], bool] = lost.__contains__
    cpus = 1 + seed % 2
    whole = row_tape(folder / "W.tape", truth.rows, cpus=cpus, buffer_records=size)
    part = row_tape(folder / "P.tape", truth.rows, cpus=cpus, buffer_records=size, is_lost=is_lost)
    before, after = outcomes(whole, spec), outcomes(part, spec)
    for requirement, outcome in before.items():
        if outcome is not Outcome.UNKNOWN:
            assert after[requirement] in {outcome, Outcome.UNKNOWN}, requirement
    assert any(outcome is not Outcome.UNKNOWN for outcome in before.values())


@given(SEEDS)
@settings(max_examples=examples(30))
def test_why_agrees_with_a_simulated_kernel(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    truth = simulate(seed, 1 + seed % 2, 2500)
    tape = row_tape(
        tmp_path_factory.mktemp("why") / "T.tape", truth.rows, cpus=1 + seed % 2, buffer_records=50
    )
    with TapeReader(tape) as reader:
        for task in truth.tasks.values():
            for answer in why(reader, Choice(task.name, worst=5)):
                assert answer.instance is not None
                life = task.lives[answer.instance]
                assert sum(part.ticks for part in answer.parts) == answer.ticks
                if not answer.ended:
                    continue
                assert (answer.begin_ticks, answer.end_ticks) == (life.activation, life.end)
                ticks = {part.label: part.ticks for part in answer.parts}
                assert ticks.get("running", 0) == life.running
                for owner, blocked in life.blocked.items():
                    found = sum(
                        part.ticks
                        for part in answer.parts
                        if part.label.endswith(f"held by {owner}")
                    )
                    assert not owner or owner == task.name or found == blocked

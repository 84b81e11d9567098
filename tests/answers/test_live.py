"""Verdicts of a growing tape: certain, and as early as possible."""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row, born, switch
from tests.support.examples import examples
from tests.support.golden import DEADLOCK, INVERSION, LATE, activated
from tests.support.row_tapes import row_tape, sent
from tests.support.simulation import simulate
from tests.support.specs import spec_for
from tickertape._native.engine import using
from tickertape.analysis.balance import balance_of
from tickertape.answers.check import Outcome, check
from tickertape.answers.live import LiveCheck
from tickertape.answers.spec import parse
from tickertape.collector import CaptureOptions, capture, watching
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tickertape.answers.live import Failure
    from tickertape.answers.spec import Requirement
    from tickertape.tape.growing import Growing

ENGINES: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "compiled": nullcontext,
    "plain": lambda: using(None),
}
# Kinds whose verdict depends on the end of the tape, or on knowledge of its beginning.
LATE_KINDS = {"load", "never", "no_losses"}
LOOP = [*born(0, 1, "a"), *activated(0, 1, 1), switch(0, 0, 1), *map(Row, range(10, 1000, 10))]


class Looking:
    """Implements `Watcher`: looks after each buffer, and never stops the capture."""

    def __init__(self, requirements: Sequence[Requirement]) -> None:
        self.requirements = requirements
        self.failures: list[Failure] = []
        self.fed = 0

    def begin(self, tape: Growing) -> None:
        self.tape, self.live = tape, LiveCheck(self.requirements, tape)

    def look(self, *, at_once: bool) -> bool:
        for epoch, ring, columns in self.tape.taken():
            self.live.feed(epoch, ring, columns)
            self.fed += len(columns)
        self.failures += self.live.look(at_once=at_once)
        return False

    def fall_behind(self) -> None:
        pytest.fail("no thread, no queue")


def watched(
    path: Path, rows: Sequence[Row], spec: str, *, often: int = 1, **how: object
) -> list[Failure]:
    """Capture rows to a tape and judge them during the capture."""
    is_lost: Callable[[int], bool] = how.pop("is_lost", lambda _: False)  # type: ignore[assignment] # a bag of options
    target = sent(rows, **how)  # type: ignore[arg-type] # likewise
    buffers = [frame for frame in target.frames if len(frame.receipts) == 2]
    first = {frame.ring: frame.number for frame in reversed(buffers)}
    lost = {
        id(frame)
        for number, frame in enumerate(buffers)
        if is_lost(number) and frame.number != first[frame.ring]
    }
    looking = Looking(parse(spec.encode(), "timing.yaml"))
    options = CaptureOptions(handle_signals=False, watcher=looking, patient=True)
    data = [frame.data for frame in target.frames if id(frame) not in lost]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching, "_MOST_BUFFERED", often)
        capture(MemoryLink([b"".join(data)]), path, options)
    with TapeReader(path) as reader:
        balance = balance_of(reader).total
        assert balance.offered == balance.delivered + balance.lost
        assert looking.fed <= reader.record_count
    return looking.failures


def outcomes(path: Path, spec: str) -> list[Outcome]:
    with TapeReader(path) as reader:
        return [one.outcome for one in check(reader, parse(spec.encode(), "timing.yaml"))]


@pytest.mark.parametrize("engine", ENGINES)
@given(seed=st.integers(0, 100_000), loses=st.booleans())
@settings(max_examples=examples(10))
def test_what_fails_early_fails_in_the_end(
    tmp_path_factory: pytest.TempPathFactory, engine: str, seed: int, *, loses: bool
) -> None:
    cpus, chance = 1 + seed % 2, random.Random(seed)
    truth = simulate(seed, cpus, 1500)
    lost = {number for number in range(1, 5000) if chance.random() < 0.05} if loses else set()
    spec = spec_for(seed, sorted(truth.tasks)) + "\n- no_losses: true\n"
    folder = tmp_path_factory.mktemp("live")
    path = folder / "T.tape"
    size, often = chance.choice([(3, 8), (20, 1)])
    with ENGINES[engine]():
        failures = watched(
            path,
            truth.rows,
            spec,
            often=often,
            cpus=cpus,
            buffer_records=size,
            is_lost=lost.__contains__,
        )
        verdicts = outcomes(path, spec)
        whole = row_tape(folder / "W.tape", truth.rows, cpus=cpus, buffer_records=size)
        truths = outcomes(whole, spec) if loses else verdicts
    failed = {at for at, outcome in enumerate(truths) if outcome is Outcome.FAIL}
    early = [one.number for one in failures]
    assert len(set(early)) == len(early)
    assert not any(verdicts[at] is Outcome.PASS for at in early)
    kinds = [one.kind for one in parse(spec.encode(), "timing.yaml")]
    assert {at for at in early if kinds[at] != "no_losses"} <= failed, list(map(str, failures))
    if cpus == 1 and not loses:
        assert {at for at in failed if kinds[at] not in LATE_KINDS} <= set(early)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("rows", "requirement", "what"),
    [
        (INVERSION, "response: high, max: 1 us", "instance 0: response"),
        (LATE, "deadline: a", "at 0.000002000 s: the kernel reports a missed deadline"),
        (DEADLOCK, "no_deadlock: true", "at 0.000000400 s: deadlock: a waits for b waits for a"),
        (LOOP, "response: a, max: 10 us", "instance 0: response at least 1"),
        (LOOP, "execution: a, max: 10 us", "instance 0: execution at least 1"),
        (LOOP, "order: [USER.3, USER.4], within: 1 us", "no USER.4 follows USER.3"),
        (LOOP, "order: [USER.3, INT.ENTRY], within: 1 us", ""),
        (LOOP, "response: b, max: 1 us", ""),
        (LOOP, "load: 0, max: 1 %", ""),
    ],
)
def test_a_failure_is_reported_when_it_is_certain(
    tmp_path: Path, engine: str, rows: Sequence[Row], requirement: str, what: str
) -> None:
    """The only instance of LOOP never ends: it exceeds the limit long before the tape ends."""
    with ENGINES[engine]():
        found = watched(tmp_path / "T.tape", rows, f"requirements: [{{{requirement}}}]")
    assert [what in str(one) for one in found] == ([True] if what else [])
    if rows is LOOP and what:
        assert found[0].violation.ticks < 400

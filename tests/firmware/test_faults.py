"""Examples with a deliberate fault: `findings`, `check` and `why` report this fault only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.balance import balance_of
from tickertape.answers.check import Outcome, check
from tickertape.answers.diff import compare
from tickertape.answers.findings import find
from tickertape.answers.places import Choice
from tickertape.answers.spec import parse
from tickertape.answers.why import why
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.answers.why import Part

DURATION_S = 1.3
TARGETS = ("native", "qemu-m3")


@dataclass(frozen=True)
class Fault:
    """An example and the expected answers.

    Attributes:
        example: name of the example.
        detectors: detectors with findings; the first one names the fault.
        finding: regular expression for the beginning of the first finding's text. It allows a range
            of times, because each instruction of the recorder changes them.
        requirement: a requirement that the example violates.
        task: task for `why`.
        at_ms: time for `why`, in ms.
        parts: labels of the parts that `why` returns, from the top level down.
        share: least share of the response time that the first part takes.
    """

    example: str
    detectors: tuple[str, ...]
    finding: str
    requirement: str
    task: str
    at_ms: int
    parts: tuple[str, ...]
    share: float


FAULTS = [
    Fault(
        "missed_deadline",
        ("deadline",),
        "the kernel reports a missed deadline of control",
        "response: control, max: 10 ms",
        "control",
        1055,
        ("ready while burst runs",),
        0.7,
    ),
    Fault(
        "deadlock",
        ("deadlock", "deadline", "inversion"),
        "deadlock: writer waits for reader waits for writer",
        "no_deadlock: true",
        "writer",
        1200,
        (
            "blocked on log, held by reader",
            "blocked on bus, held by writer",
            "deadlock: writer is part of a cycle of waits",
        ),
        0.95,
    ),
    Fault(
        "starvation",
        ("starvation", "overload"),
        r"worker was ready for 1\.(199|200) s without a CPU",
        "response: worker, max: 500 ms",
        "worker",
        1200,
        ("preempted by poller",),
        0.9,
    ),
    Fault(
        "lost_wakeup",
        ("lost_wakeup",),
        r"consumer waited for stored for 1\.19\d s; "
        r"a wake-up by producer came (99\d\.\d+ us|1\.00\d ms) earlier",
        "blocking: consumer, on: stored, max: 500 ms",
        "consumer",
        1200,
        ("waiting for stored",),
        0.9,
    ),
]
NAMES = [fault.example for fault in FAULTS]


def recorded(command: Command, folder: Path, target: str, example: str, *options: str) -> Path:
    """Run an example; check that its tape is complete and return the path."""
    path = folder / "T.tape"
    words = ("run", "--target", target, "--example", example, "-o", path)
    more = ("--duration", str(DURATION_S), *(word for one in options for word in ("--option", one)))
    done = command(*words, *more, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(path) as reader:
        balance = balance_of(reader).total
        assert balance.offered == balance.delivered > 0
        assert balance.lost == 0
    return path


def chain(parts: tuple[Part, ...]) -> Iterator[str]:
    """Yield the labels of the longest part on each level."""
    while parts:
        longest = max(parts, key=lambda one: one.ticks)
        yield longest.label
        parts = tuple(longest.parts)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_the_answers_name_the_fault(
    tickertape: Command, tmp_path: Path, target: str, fault: Fault
) -> None:
    path = recorded(tickertape, tmp_path, target, fault.example)
    with TapeReader(path) as reader:
        found = find(reader)
        (verdict,) = check(reader, parse(f"requirements: [{{{fault.requirement}}}]".encode(), "s"))
        (answer,) = why(reader, Choice(fault.task, at_ns=fault.at_ms * 1_000_000))
    findings = {one.detector: one.findings for one in found if one.count}
    assert set(findings) == set(fault.detectors)
    assert [one.doubts for one in found if one.doubts] == []
    assert re.match(fault.finding, findings[fault.detectors[0]][0].what)
    assert verdict.outcome is Outcome.FAIL
    assert tuple(chain(tuple(answer.parts))) == fault.parts
    whole = sum(one.ticks for one in answer.parts)
    assert max(one.ticks for one in answer.parts) >= fault.share * whole


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_without_the_fault_there_is_no_finding(
    tickertape: Command, tmp_path: Path, fault: Fault
) -> None:
    path = recorded(tickertape, tmp_path, "native", fault.example, "fault=0")
    with TapeReader(path) as reader:
        found = find(reader)
        (verdict,) = check(reader, parse(f"requirements: [{{{fault.requirement}}}]".encode(), "s"))
    counts = {one.detector: one.count for one in found if one.detector in fault.detectors}
    counts.pop("inversion", None)  # short and bounded
    assert counts == dict.fromkeys(counts, 0)
    assert verdict.outcome is Outcome.PASS


HEALTHY = ("control_cpp", "first_tape", "messages", "philosophers", "priority_inversion", "system")
"""Examples without a fault whose native recording is complete."""


@pytest.mark.parametrize("example", HEALTHY)
def test_a_healthy_example_has_no_fault(tickertape: Command, tmp_path: Path, example: str) -> None:
    path = recorded(tickertape, tmp_path, "native", example)
    with TapeReader(path) as reader:
        found = find(reader)
    assert {one.detector: one.faults for one in found if one.faults} == {}
    assert {one.detector for one in found if one.remarks} <= {"inversion"}


def test_a_run_is_judged_at_its_end(tickertape: Command, tmp_path: Path) -> None:
    (tmp_path / "timing.yaml").write_text("requirements: [{response: worker, max: 500 ms}]\n")
    words = ("run", "--target", "native", "--example", "starvation")
    more = ("--duration", "1", "--check", "timing.yaml", "--option")
    assert tickertape(*words, *more, "fault=0", "-o", "healthy.tape").returncode == 0
    done = tickertape(*words, *more, "fault=1", "-o", "T.tape")
    assert (done.returncode, done.stderr) == (1, "")
    assert "preempted by poller" in done.stdout
    with TapeReader(tmp_path / "T.tape") as reader:
        balance = balance_of(reader).total
    assert balance.offered == balance.delivered > 0


def test_two_targets_are_compared_by_names(tickertape: Command, tmp_path: Path) -> None:
    scipy_stats = import_module("scipy.stats")
    paths = []
    for target in TARGETS:
        (tmp_path / target).mkdir()
        paths.append(recorded(tickertape, tmp_path / target, target, "deadlock"))
    with TapeReader(paths[0]) as a, TapeReader(paths[1]) as b:
        (found,) = compare(a, b, scipy_stats)
    assert any(note.startswith("different rates of the clocks") for note in found.notes)
    assert any(note.startswith("different builds") for note in found.notes)
    assert found.event is None
    assert {one.kind for one in found.only} <= {"event", "interrupt"}
    assert {one.name for one in found.figures} >= {"bus", "log", "reader", "writer"}

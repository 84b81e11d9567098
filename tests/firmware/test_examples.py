"""The kernel examples: each ends normally, loses no record, and demonstrates its subject."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.summary import summary_of
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import Event

    RunExample = Callable[..., "Trace"]

TARGETS = ("native", "qemu")
ALL_TARGETS = (*TARGETS, "qemu-dual")


@dataclass(frozen=True)
class Trace:
    """The trace of an example: its events, and its thread numbers by name."""

    events: list[Event]
    tids: dict[str, int]
    tick_hz: int

    def named(self, *names: str) -> list[Event]:
        return [event for event in self.events if event.name in names]

    def ms(self, ticks: int) -> float:
        return ticks * 1000 / self.tick_hz


@pytest.fixture
def run_example(tickertape: Command, tmp_path: Path) -> RunExample:
    """Return a function that runs an example for a second and reads its complete tape."""

    def run(target: str, example: str, **options: int) -> Trace:
        words = [f"--option={name}={value}" for name, value in options.items()]
        done = tickertape(
            *("run", "--target", target, "--example", example),
            *("-o", "x.tape", "--duration", "1", *words),
        )
        assert (done.returncode, done.stderr) == (0, "")
        return read_trace(tmp_path / "x.tape")

    return run


def read_trace(path: Path) -> Trace:
    with TapeReader(path) as reader:
        summary = summary_of(reader)
        assert summary.complete
        assert summary.balance.total.lost == 0
        events = [event for columns in iter_events(reader) for event in columns.events()]
        return Trace(events, {task.name: task.tid for task in summary.tasks}, summary.tick_hz)


def call_results(trace: Trace, call: str) -> Iterator[int]:
    """Yield the signed results of a kernel call."""
    for event in trace.named(f"KERCALL.{call}_EXIT"):
        yield (event.words[0] ^ 0x80000000) - 0x80000000


@pytest.mark.parametrize("target", ALL_TARGETS)
def test_philosophers_eat_and_never_with_a_neighbours_fork(
    run_example: RunExample, target: str
) -> None:
    trace = run_example(target, "philosophers")
    assert set(call_results(trace, "SYNC_MUTEX_LOCK")) == {0}
    meals: dict[int, list[int]] = defaultdict(list)
    for event in trace.named("USER.USER_1"):
        meals[event.words[0]].append(event.time_ticks)
    assert sorted(meals) == [0, 1, 2, 3, 4]
    for times in meals.values():
        assert len(times) > 50, "no thread starves"
        assert trace.ms(trace.events[-1].time_ticks - times[-1]) < 50, "up to the end"
    owners: dict[int, int] = {}
    for event in trace.named("SYNC.MUTEX_LOCK_GRANTED", "SYNC.MUTEX_UNLOCK"):
        fork, tid = event.words
        if event.name == "SYNC.MUTEX_UNLOCK":
            assert owners.pop(fork) == tid
        else:
            assert owners.setdefault(fork, tid) == tid
            assert list(owners.values()).count(tid) <= 2
    assert len(trace.named("SYNC.MUTEX_LOCK_DENIED")) > 100, "they do meet"


def waits_of_high(trace: Trace) -> list[float]:
    """Return the milliseconds from each MUTEX_LOCK_DENIED of `high` to its GRANTED."""
    high = trace.tids["high"]
    waits: list[float] = []
    since: int | None = None
    running: dict[int, int] = {}
    for event in trace.events:
        if event.name == "SCHED.CONTEXT_SWITCH":
            running[event.cpu] = event.words[1]
        elif event.name == "SYNC.MUTEX_LOCK_DENIED" and running.get(event.cpu) == high:
            since = event.time_ticks
        elif event.name == "SYNC.MUTEX_LOCK_GRANTED" and event.words[1] == high:
            if since is not None:
                waits.append(trace.ms(event.time_ticks - since))
            since = None
    return waits


@pytest.mark.parametrize("target", ALL_TARGETS)
@pytest.mark.parametrize("medium_ms", [20, 50])
def test_inheritance_bounds_the_wait_of_an_urgent_thread(
    run_example: RunExample, target: str, medium_ms: int
) -> None:
    trace = run_example(target, "priority_inversion", medium_ms=medium_ms)
    waits = waits_of_high(trace)
    assert len(waits) >= 9
    # Two busy CPUs (low, medium) get half of the emulator's time each.
    assert max(waits) < (10 if target == "qemu-dual" else 5)
    low = trace.tids["low"]
    raised = [event.words for event in trace.named("SYNC.MUTEX_INHERIT")]
    assert set(raised) == {(low, 20)}
    assert len(raised) == len(trace.named("SYNC.MUTEX_RESTORE"))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("medium_ms", [20, 50])
def test_without_inheritance_the_wait_is_as_long_as_somebody_else_likes(
    run_example: RunExample, target: str, medium_ms: int
) -> None:
    trace = run_example(target, "priority_inversion", medium_ms=medium_ms, inheritance=0)
    waits = waits_of_high(trace)
    assert len(waits) >= 9
    assert min(waits) > medium_ms
    assert trace.named("SYNC.MUTEX_INHERIT", "SYNC.MUTEX_RESTORE") == []


def test_a_second_cpu_hides_the_inversion(run_example: RunExample) -> None:
    """While `medium` runs on one CPU, `low` runs on the other one and releases the bus."""
    trace = run_example("qemu-dual", "priority_inversion", medium_ms=50, inheritance=0)
    waits = waits_of_high(trace)
    assert len(waits) >= 9
    assert max(waits) < 2 * 5, "two CPUs that compute have half of the emulator's time each"
    assert {event.cpu for event in trace.named("SCHED.CONTEXT_SWITCH")} == {0, 1}


@pytest.mark.parametrize("target", ALL_TARGETS)
def test_messages_are_received_and_answered_once(run_example: RunExample, target: str) -> None:
    trace = run_example(target, "messages")
    sent = [event.words[0] for event in trace.named("COMM.SMSG")]
    received = [event.words[0] for event in trace.named("COMM.RMSG")]
    answered = [event.words[0] for event in trace.named("COMM.REPLY", "COMM.ERROR")]
    assert len(sent) > 200
    assert len(set(sent)) == len(sent)
    assert sorted(sent)[: len(received)] == sorted(received)
    assert len(sent) - len(received) <= 2, "what was on its way when recording stopped"
    assert [id_ & 0xFF for id_ in received][: len(answered)] == answered
    refused = [result for result in call_results(trace, "MSG_SENDV") if result < 0]
    assert len(trace.named("COMM.ERROR")) - len(refused) in {0, 1}
    assert len(refused) > 20
    assert {event.words[0] for event in trace.named("USER.USER_1")} == {20, 8}


@pytest.mark.parametrize("target", ALL_TARGETS)
def test_the_server_works_with_its_clients_priority(run_example: RunExample, target: str) -> None:
    trace = run_example(target, "messages")
    server = trace.tids["server"]
    priorities = [
        event.words[1] for event in trace.named("SCHED.PRIORITY") if event.words[0] == server
    ]
    assert {4, 8, 20} == set(priorities)
    kinds = [event.words[1] for event in trace.named("USER.USER_2")]
    assert kinds.count(1) == pytest.approx(1000 / 7.3, abs=2)
    assert kinds.count(2) == pytest.approx(1000 / 50, abs=1)
    # The last pulse may be pending when recording stops.
    assert len(trace.named("SCHED.TIMER")) - kinds.count(2) in {0, 1}


@pytest.mark.parametrize("word", ["x", "x=", "=1", "x=-1", "x=4294967296", "x=1.5", "a b=1"])
def test_an_option_is_a_name_and_a_number(tickertape: Command, word: str) -> None:
    done = tickertape("run", "--target", "native", "-o", "x.tape", "--option", word)
    assert done.returncode == 2
    assert "NAME=N" in done.stderr

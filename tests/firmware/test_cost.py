"""tt_measure_cost() records the cost of an event as events that the balance counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import build, run_native, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, TracerEvent
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

BOARDS = ["native", "mps2-an386", "mps2-an521"]
COST = event_code(EventClass.TRACER, TracerEvent.COST)
DURATION_MS = 100
INSTRUCTIONS_A_TICK = {"mps2-an386": 40, "mps2-an521": 50}  # with -icount shift=0
EMITS = {"mps2-an386": 23, "mps2-an521": 31}  # docs/benchmarks.md


def taped(tickertape: Command, folder: Path, board: str, cost: int) -> Path:
    program = build(board, "first_tape")
    link = f"file:{folder / 'x.bin'}"
    if board == "native":
        done = run_native(
            program, "--cost", str(cost), "--duration-ms", str(DURATION_MS), "--trace", link
        )
    else:
        options = f"cost={cost}", f"duration_ms={DURATION_MS}"
        done = run_qemu(board, program, *options, trace=link)
    assert (done.returncode, done.stderr) == (0, "")
    captured = tickertape("capture", "-q", "file:x.bin", "-o", f"{cost}.tape")
    assert (captured.returncode, captured.stderr) == (0, "")
    return folder / f"{cost}.tape"


@pytest.mark.parametrize("board", BOARDS)
def test_a_measurement_is_in_the_balance_and_contains_the_counted_cost(
    tickertape: Command, tmp_path: Path, board: str
) -> None:
    measured = {}
    for cost in (0, 1):
        with TapeReader(taped(tickertape, tmp_path, board, cost)) as reader:
            balance = balance_of(reader).total
            measured[cost] = sum(int((made.code == COST).sum()) for made in iter_events(reader))
        assert balance.holds
        assert balance.offered == balance.delivered
    assert measured[0] == 0
    assert 10 <= measured[1] <= 24

    done = tickertape("stats", "1.tape", "--json")
    (boot,) = json.loads(done.stdout)["boots"]
    assert boot["tracing"]["measured"]
    assert boot["tracing"]["lost"] == 0
    assert boot["tracing"]["cost"]["high"] is not None
    if board != "native":  # on native, the clock is virtual and an event takes no time
        tick_ns = 1e9 / boot["tick_hz"]
        event_ns = EMITS[board] * tick_ns / INSTRUCTIONS_A_TICK[board]
        found = boot["tracing"]["event"]
        assert 0 < found["low"] <= event_ns <= found["high"]
        assert found["high"] < found["record_high"] < found["step_high"]


def test_a_report_without_the_tracer_shows_limits(tickertape: Command, tmp_path: Path) -> None:
    taped(tickertape, tmp_path, "native", 1)
    done = tickertape("stats", "1.tape")
    assert done.returncode == 0, done.stderr
    assert "What tracing cost" in done.stdout
    assert "sending: tracer" in done.stdout
    done = tickertape("stats", "1.tape", "--without-tracer", "--json")
    (boot,) = json.loads(done.stdout)["boots"]
    tasks = {one["name"]: one["cpu_time"] for one in boot["tasks"]}
    assert tasks["tracer"] == {"value": 0, "low": 0, "high": 0}
    assert tasks["logger"]["value"] is None
    assert 0 < tasks["logger"]["low"] <= tasks["logger"]["high"]

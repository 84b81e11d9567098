"""Domains end to end: the examples on both targets, their tapes, and the xmtrace listing."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import build
from tickertape.analysis.summary import summary_of
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events
from tools.trace_cost import costs_ns, table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.analysis.summary import Summary
    from tickertape.decode.events import Event

BOARDS = {"native": "native", "qemu": "mps2-an386"}
LINE = re.compile(r"D(-1| ?\d+) +(\d+) (.{23}) +(\S+) (\S.*)")
CONTROL, LOGGER, INTRUDER = 1, 2, 3
USER, DOMAIN = 6, 11


def record(tickertape: Command, target: str, example: str) -> None:
    words = ("run", "--target", target, "--example", example, "-o", "t.tape", "--duration", "1")
    done = tickertape(*words)
    assert (done.returncode, done.stderr) == (0, "")


def summary_of_file(tape: Path) -> Summary:
    with TapeReader(tape) as reader:
        return summary_of(reader)


def events_of(tape: Path) -> tuple[list[Event], int]:
    with TapeReader(tape) as reader:
        summary = summary_of(reader)
        assert summary.complete
        assert summary.balance.total.lost == 0
        events = [event for columns in iter_events(reader) for event in columns.events()]
        return events, summary.tick_hz


@pytest.mark.parametrize("target", BOARDS)
def test_domains_record_what_they_may(tickertape: Command, tmp_path: Path, target: str) -> None:
    record(tickertape, target, "domains")
    events, tick_hz = events_of(tmp_path / "t.tape")
    by_domains = [event for event in events if event.domain]
    assert {event.cls for event in by_domains} == {USER, DOMAIN}
    steps = [event for event in events if event.name == "USER.USER_21"]
    assert {event.domain for event in steps} == {CONTROL}
    # The period is 5 ms, regardless of the intruder's end.
    spans = [b.time_ticks - a.time_ticks for a, b in pairwise(steps[1:])]
    assert len(steps) == pytest.approx(200, abs=2)
    assert all(span == pytest.approx(tick_hz // 200, rel=0.02) for span in spans)
    points = [event for event in events if event.name == "USER.USER_23"]
    assert {event.domain for event in points} == {LOGGER}
    assert [event.words[0] for event in points] == list(range(100))
    assert all(event.words[1] for event in points)
    readings = [event.words[0] for event in events if event.cls == 18]
    assert readings == list(range(len(readings)))
    assert len(readings) == pytest.approx(100, abs=2)


@pytest.mark.parametrize("target", BOARDS)
def test_domains_are_processes_that_begin_and_end(
    tickertape: Command, tmp_path: Path, target: str
) -> None:
    record(tickertape, target, "domains")
    events, _ = events_of(tmp_path / "t.tape")
    created = [event for event in events if event.name == "THREAD.PROCESS_CREATE"]
    names = ["control", "logger", "intruder"][: 3 if target == "qemu" else 2]
    assert [event.text for event in created] == names
    assert [event.words[:2] for event in created] == [(0, pid) for pid in range(1, len(names) + 1)]
    assert {event.domain for event in created} == {0}
    first_thread = next(e for e in events if e.name == "THREAD.CREATE" and e.words[0] == CONTROL)
    assert created[0].time_ticks <= first_thread.time_ticks
    ended = [event.words for event in events if event.name == "THREAD.PROCESS_DESTROY"]
    # Control's domain exists to the end.
    assert ended == [(0, pid) for pid in range(LOGGER, len(names) + 1)]

    qnx = tickertape("print", "t.tape", "--style", "qnx", "--one-line").stdout
    tickertape("export", "kev", "t.tape", "-o", "t.kev")
    assert tickertape("import", "kev", "t.kev", "-o", "u.tape", "-q").stderr == ""
    back = tickertape("print", "u.tape", "--style", "qnx", "--one-line").stdout
    for printed in (qnx, back):
        processes = [
            line.split("PROCESS :")[1] for line in printed.splitlines() if "PROCESS :PROC" in line
        ]
        lives = [line.rstrip() for line in processes if not line.startswith("PROCTHREAD")]
        assert lives == [
            *(f"PROCCREATE_NAME ppid:0 pid:{pid} name:{name}" for pid, name in enumerate(names, 1)),
            *(f"PROCDESTROY   ppid:0 pid:{pid}" for pid in range(LOGGER, len(names) + 1)),
        ]
    assert summary_of_file(tmp_path / "u.tape").balance.total.lost == 0


def test_an_intruder_is_stopped_and_nobody_else(tickertape: Command, tmp_path: Path) -> None:
    record(tickertape, "qemu", "domains")
    events, _ = events_of(tmp_path / "t.tape")
    symbols = read_symbols(build("mps2-an386", "domains"))
    (fault,) = (event for event in events if event.name == "DOMAIN.FAULT")
    address, place = fault.words
    assert fault.domain == INTRUDER
    assert symbols.lookup(address) == "tt_rings"
    assert str(symbols.lookup(place)).startswith("intruder+")
    (dead,) = (e for e in events if e.name == "THREAD.DEAD" and e.words[0] == INTRUDER)
    assert fault.time_ticks < dead.time_ticks
    after = [event for event in events if event.time_ticks > dead.time_ticks]
    assert {event.domain for event in after} >= {0, CONTROL, LOGGER}
    assert not [event for event in after if event.domain == INTRUDER]


@pytest.mark.parametrize("target", BOARDS)
def test_the_listing_has_five_columns(tickertape: Command, target: str) -> None:
    record(tickertape, target, "domains")
    words = ["--style", "xm", "--class", "USER", "--class", "DOMAIN", "--class", "APP18"]
    plain = tickertape("print", "t.tape", *words)
    elf = build(BOARDS[target], "domains")
    named = tickertape("print", "t.tape", *words, "--elf", elf)
    tickertape("symbols", elf, "-o", "t.map", "-q")
    mapped = tickertape("print", "t.tape", *words, "--map", "t.map")
    assert (plain.returncode, named.returncode, mapped.returncode) == (0, 0, 0)
    assert mapped.stdout == named.stdout
    places = {}
    for bare, full in zip(plain.stdout.splitlines(), named.stdout.splitlines(), strict=True):
        columns, symbolic = LINE.fullmatch(bare), LINE.fullmatch(full)
        assert columns is not None, bare
        assert symbolic is not None, full
        assert columns.groups()[:4] == symbolic.groups()[:4]
        assert re.fullmatch(r"<0x[0-9a-f]{8}>", columns[5])
        places[columns[1].strip(), columns[3].strip()] = symbolic[5].split("+")[0]
    assert places["1", "control step"] == "control"
    assert places["2", "xm-domain"] == "logger"
    assert places["-1", "meter reading"] == "meter"
    # The function of the trap, which the compiler may have inlined into its caller.
    assert places["1", "syscall entry"] in {"kernel_call", "control"}


@pytest.mark.parametrize("target", BOARDS)
def test_two_trace_points_in_a_row_tell_the_cost_of_one(
    tickertape: Command, tmp_path: Path, target: str
) -> None:
    record(tickertape, target, "trace_cost")
    events, tick_hz = events_of(tmp_path / "t.tape")
    costs = costs_ns(events, tick_hz)
    assert set(costs) == {0, 1}
    assert all(len(values) > 900 for values in costs.values())
    assert min(costs[1]) > 0
    head, core, domain = table(costs)
    assert head.split() == [
        "trace",
        "point",
        "from",
        "pairs",
        "min",
        "ns",
        "median",
        "ns",
        "max",
        "ns",
    ]
    assert core.split()[:2] == ["core", str(len(costs[0]))]
    assert domain.split()[:3] == ["domain", "1", str(len(costs[1]))]


def test_a_tape_without_pairs_is_said(tickertape: Command, tape: Path) -> None:
    assert tickertape("info", tape).returncode == 0
    events, tick_hz = events_of(tape)
    assert costs_ns(events, tick_hz) == {}

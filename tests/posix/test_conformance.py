"""POSIX Trace, function by function: the same C suite in firmware and in a Linux process."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.posix.sides import HERE, ROOT, SIDES, run_suite
from tests.support.patience import HANG_S
from tests.support.workbench import build, qemu_command, run_native, run_qemu

if TYPE_CHECKING:
    from pathlib import Path

LINE = re.compile(r"(ok|FAILED) (\w+): (.*) \(\d+\)")
HEADER = ROOT / "firmware/facades/posix/trace.h"
LEAST = 300  # least number of assertions per side

# Every function that trace.h declares, without the prefix posix_trace_.
DECLARED = re.compile(r"^TRACE_API (?:int|void)\s+posix_trace_(\w+)\(", re.MULTILINE)
FUNCTIONS = sorted(set(DECLARED.findall(HEADER.read_text())))


def test_the_header_has_the_entry_points_of_the_standard() -> None:
    assert len(FUNCTIONS) == 50 + 1  # plus eventset_full of RTL-POSIX-Trace


@cache
def lines_of(side: str, folder: Path) -> tuple[int, str]:
    return run_suite(side, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("suite")


@pytest.mark.parametrize("side", SIDES)
def test_the_suite_is_whole(side: str, folder: Path) -> None:
    code, text = lines_of(side, folder)
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    assertions = sum(match is not None for match in found)
    assert [line for line in text.splitlines() if line.startswith("FAILED")] == []
    assert text.splitlines()[-1] == f"{assertions} assertions, 0 failed"
    assert code == 0
    assert assertions >= LEAST


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("side", SIDES)
def test_function(side: str, function: str, folder: Path) -> None:
    assertions: dict[str, list[re.Match[str]]] = defaultdict(list)
    for line in lines_of(side, folder)[1].splitlines():
        if match := LINE.fullmatch(line):
            assertions[match[2]].append(match)
    assert assertions[function], "no assertion is about this function"
    assert [match[0] for match in assertions[function] if match[1] != "ok"] == []


@pytest.mark.parametrize("board", ["native", "mps2-an385"])
def test_a_stream_that_is_used_again_has_the_size_it_asked_for(board: str) -> None:
    """Also while the drain still has to send records of the previous stream."""
    program = build(board, "reused", SOURCE_DIR=str(HERE / "reused"))
    done = run_native(program) if board == "native" else run_qemu(board, program)
    text = done.stderr if board == "native" else done.stdout
    assert (done.returncode, text.split()) == (0, ["read", "back:", "350"] * 8)


def test_a_reader_that_preempts_the_writer_gets_every_event_whole() -> None:
    done = run_qemu(
        "mps2-an385", build("mps2-an385", "preempted", SOURCE_DIR=str(HERE / "preempted"))
    )
    found = dict(line.split() for line in done.stdout.splitlines())
    assert (done.returncode, found["whole"], found["others"]) == (0, "4800", "0")
    assert int(found["interrupted"]) > 0, "the reader never came into the middle of an event"


EVENTS_OF_A_CPU, START_RECORDS = 400, 3


@pytest.mark.parametrize("clock", ["counted", "parallel"])
def test_two_cpus_trace_into_the_same_streams(clock: str) -> None:
    """QEMU runs the CPUs in turns with counted instructions, or each CPU in its own thread."""
    program = build("mps2-an521", "posix_two_cpus", SOURCE_DIR=str(HERE / "two_cpus"))
    command = qemu_command("mps2-an521", program, "null")
    if clock == "parallel":
        at = command.index("-icount")
        command[at : at + 2] = ["-accel", "tcg,thread=multi"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert done.returncode == 0, done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    found = [(line[0], dict(zip(line[1::2], map(int, line[2::2]), strict=True))) for line in lines]
    for name, one in found:
        assert one["offered"] == one["overwritten"] + one["dropped"], name
        assert one["read"] <= one["overwritten"], name
        assert (one["in_use"], one["wrong"]) == (0, 0), name
    streams = dict(found[:5])
    events = {name: (one["first"], one["second"]) for name, one in streams.items()}
    assert events["all"] == (EVENTS_OF_A_CPU, EVENTS_OF_A_CPU)
    assert events["filtered"] == (EVENTS_OF_A_CPU, 0)
    assert min(events["calls"]) > 0
    if clock == "counted":
        assert events["calls"] == (EVENTS_OF_A_CPU, EVENTS_OF_A_CPU)
    for name, count in {"all": 2 * EVENTS_OF_A_CPU, "filtered": EVENTS_OF_A_CPU}.items():
        assert streams[name]["offered"] == streams[name]["read"] == START_RECORDS + 2 * count
    loop, full = streams["loop"], streams["full"]
    assert loop["offered"] == START_RECORDS + 4 * EVENTS_OF_A_CPU
    assert loop["overwritten"] > loop["read"] >= 2 * sum(events["loop"]) > 0
    rest = full["read"] - START_RECORDS * full["begun"] - 2 * sum(events["full"])
    assert rest in {0, 1}, "the last event may have had room for its first record only"
    assert all(one["first"] + one["second"] > 0 for _name, one in found[5:])

"""POSIX Trace, function by function: one C suite in firmwares and in a Linux process."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.posix.sides import HERE, ROOT, SIDES, run_suite
from tests.support.workbench import build, run_native, run_qemu

if TYPE_CHECKING:
    from pathlib import Path

LINE = re.compile(r"(ok|FAILED) (\w+): (.*) \(\d+\)")
HEADER = ROOT / "firmware/facades/posix/trace.h"
LEAST = 300  # assertions of each side

# Every entry point that <trace.h> declares, without posix_trace_.
DECLARED = re.compile(r"^TRACE_API (?:int|void)\s+posix_trace_(\w+)\(", re.MULTILINE)
FUNCTIONS = sorted(set(DECLARED.findall(HEADER.read_text())))


def test_the_header_has_the_entry_points_of_the_standard() -> None:
    assert len(FUNCTIONS) == 50 + 1  # and eventset_full of RTL-POSIX-Trace


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
    """Also while the drain has not sent what hosts have not seen of the one before."""
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

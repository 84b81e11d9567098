"""For any gap in a trace, known results of the model are true in the whole trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.truth import Cut, Truth, by_number, cut, said_by
from tests.support.boots import boots
from tickertape.analysis.summary import summary_of
from tickertape.decode.events import concatenate
from tickertape.formats.btf import VERSIONS
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.write import BtfExporter
from tickertape.formats.ring_ends import EndLosses
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.protocol.wire import ObjectKind
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import EventColumns

SWITCH = 9 << 10
# Number of events that contain all activities of an example.
ROWS = 1500
RUNS = [
    *(("native", example) for example in ("messages", "stress", "domains", "system")),
    *(("qemu-dual", example) for example in ("philosophers", "messages", "stress", "system")),
]
KINDS = {
    "messages": {Kind.CHANNEL, Kind.PERIOD, Kind.CREATION, Kind.SEMAPHORE},
    "stress": {Kind.MUTEX, Kind.EVENT, Kind.SEMAPHORE, Kind.REQUEST},
    "domains": {Kind.DOMAIN},
    "system": {Kind.RUNNABLE, Kind.SIGNAL, Kind.STIMULUS, Kind.EVENT, Kind.MUTEX},
    "philosophers": {Kind.SPINLOCK, Kind.MUTEX},
}
"""Kinds of entities in each example, besides cores, tasks and interrupts."""


@dataclass(frozen=True)
class Trace:
    """The beginning of a real trace; threads are named by numbers, other objects by their names."""

    tape: Path
    columns: EventColumns
    names_of: Callable[[int], Names]


def traced(tickertape: Command, tape: Path, target: str, example: str) -> Trace:
    detail = ("--option", "detail=1") if example == "philosophers" else ()
    words = ("--target", target, "--example", example, *detail)
    done = tickertape("run", *words, "-o", tape, "--duration", "0.2")
    assert done.returncode == 0, done.stderr
    with TapeReader(tape) as reader:
        total = summary_of(reader).balance.total
        assert total.offered == total.delivered
        whole = concatenate(list(iter_events(reader, stream=0)))
        said = {key: one for key, one in reader.names().items() if key[0] != ObjectKind.THREAD}
    return Trace(tape, by_number(whole.take(slice(0, ROWS))), lambda _epoch: Names(said))


def cuts_of(columns: EventColumns) -> st.SearchStrategy[Cut | None]:
    """Draw gaps of any length at any place, including the beginning and all records of a CPU."""
    last = len(columns)
    return st.builds(
        lambda first, count, cpu: cut(columns, first, min(first + count, last), cpu),
        st.one_of(st.just(0), st.integers(0, last)),
        st.one_of(st.integers(1, 10), st.integers(1, 300), st.just(last)),
        st.sampled_from(sorted({*columns.cpu.tolist()})),
    )


@pytest.mark.parametrize(("target", "example"), RUNS)
def test_nothing_is_known_that_is_not_true(
    tickertape: Command, tmp_path: Path, target: str, example: str
) -> None:
    trace = traced(tickertape, tmp_path / "x.tape", target, example)
    names_of = trace.names_of
    truth = Truth(SystemModel(names_of), trace.columns)
    assert {one.who[0] for part in truth.said.values() for one in part} >= KINDS[example]

    @settings(
        max_examples=30, derandomize=True
    )  # a new cut should fail for changes of the model only
    @given(cuts_of(trace.columns))
    def law(part: Cut | None) -> None:
        if part is None:
            return
        said = said_by(SystemModel(names_of), part.columns)
        assert said == said_by(system_model(names_of), part.columns)
        assert truth.false_claims(part, said) == []
        # After the gap, a context switch makes the running task known again.
        rows = np.flatnonzero(part.columns.code == SWITCH)
        assert truth.unseen_runs(part, said, rows.tolist()) == []

    law()


@pytest.mark.parametrize(("target", "example"), [("native", "system"), *RUNS[-3:]])
def test_a_system_trace_with_a_gap_keeps_to_the_format(
    tickertape: Command, tmp_path: Path, target: str, example: str
) -> None:
    trace = traced(tickertape, tmp_path / "x.tape", target, example)
    path = tmp_path / "x.btf"

    @settings(max_examples=15, derandomize=True)
    @given(cuts_of(trace.columns), st.sampled_from(sorted(VERSIONS)))
    def law(part: Cut | None, version: str) -> None:
        if part is None:
            return
        with TapeReader(trace.tape) as reader:
            ends = EndLosses(reader, 0)
            exporter = BtfExporter(reader, boots(trace.names_of), version, ends)
            blocks = [bytes(block) for block in exporter.blocks(part.columns)]
        path.write_bytes(exporter.header() + b"".join(blocks))
        report = check_btf(path, strict=True)
        assert report.findings.listed == []
        assert 1 <= report.blind <= 2  # after the cut, and after a STOP in the trace

    law()

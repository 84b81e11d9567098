"""The end of what is known of a CPU: its own last record, unless its ring is complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.columns import USER, Row, born, switch
from tests.support.figures import stats_of
from tests.support.row_tapes import row_tape
from tickertape.analysis.summary import summary_of
from tickertape.answers.observed import Reason
from tickertape.report.stats import report_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.answers.statistics import BootStats

STOP = (14, 1)
INTERRUPT, END = (3, 1), (3, 2)
SHOWN = 4000  # CPU 0 has its last delivered record here


def rows(*, with_interrupt: bool) -> list[Row]:
    """Return rows of two CPUs; CPU 0 is busy for 10 ticks, STOP is a record of CPU 1."""
    busy = Row(SHOWN, INTERRUPT, (40, 0)) if with_interrupt else switch(SHOWN, 0, 1)
    rest = Row(SHOWN + 10, END, (40, 0)) if with_interrupt else switch(SHOWN + 10, 1, 0)
    first = [*born(0, 1, "T"), switch(1, 2, 0)][-4:]
    others = [Row(at, USER, (at, 0), cpu=1) for at in range(5000, 90_000, 5000)]
    return [
        *first,
        switch(2, 0, 0, cpu=1),
        *[Row(100 + at, USER, (at, 0)) for at in range(3)],
        busy,
        rest,
        *others,
        Row(100_000, STOP, (0, 0), cpu=1),
    ]


def tape(path: Path, *, with_interrupt: bool, is_lost: bool) -> BootStats:
    found = rows(with_interrupt=with_interrupt)
    # The buffer with the record after SHOWN is the last one of CPU 0.
    places = [one for one in found if one.cpu == 0]
    assert len(places) > 4
    numbers: set[int] = set()
    if is_lost:
        with TapeReader(row_tape(path, found, cpus=2)) as reader:
            buffers = [
                (int(one["ticks"]), chunk.ring.cpu)
                for chunk in reader.records_chunks()
                for one in chunk.buffers
            ]
        assert buffers
        numbers = {buffers.index(max(one for one in buffers if one[1] == 0))}
    return stats_of(row_tape(path, found, cpus=2, is_lost=numbers.__contains__))


@pytest.mark.parametrize("with_interrupt", [False, True])
def test_a_cpu_whose_last_records_are_lost_is_unknown_from_its_last_one_on(
    tmp_path: Path, *, with_interrupt: bool
) -> None:
    whole = tape(tmp_path / "whole.tape", with_interrupt=with_interrupt, is_lost=False)
    found = tape(tmp_path / "lost.tape", with_interrupt=with_interrupt, is_lost=True)
    (tail,) = [one for one in found.unknown if one.reason is Reason.TAIL]
    assert (tail.cpu, tail.end) == (0, 100_000)
    assert SHOWN - 4000 < tail.begin <= SHOWN + 10
    assert whole.cpus[0].unknown_ticks < 100
    assert whole.cpus[0].idle_ticks > 99_000
    assert found.cpus[0].observed_ticks == whole.cpus[0].observed_ticks
    assert found.cpus[0].unknown_ticks >= tail.end - tail.begin
    assert found.cpus[0].idle_ticks <= tail.begin
    assert found.cpus[0].tasks_ticks + found.cpus[0].interrupts_ticks <= 10


def test_a_complete_ring_is_known_up_to_the_end_of_the_boot(tmp_path: Path) -> None:
    whole = tape(tmp_path / "whole.tape", with_interrupt=False, is_lost=False)
    assert not [one for one in whole.unknown if one.reason is Reason.TAIL]
    assert sum(one.observed_ticks for one in whole.cpus.values()) == 2 * 100_000


def test_info_and_statistics_have_one_denominator(tmp_path: Path) -> None:
    path = tmp_path / "T.tape"
    found = tape(path, with_interrupt=True, is_lost=True)
    with TapeReader(path) as reader:
        summary = summary_of(reader)
    assert summary.observed_ns == found.clock.ns(100_000)
    assert summary.unknown_ns == found.clock.ns(found.unknown_ticks)
    assert all((one.cpu_share or 0) < 1.01 for one in summary.tasks)


def test_a_complete_tape_has_no_marks(tmp_path: Path) -> None:
    whole = tape(tmp_path / "whole.tape", with_interrupt=False, is_lost=False)
    report = report_of(whole, None)
    assert not any("~" in text for table in report.tables for row in table.rows for text in row)
    assert not any(line.startswith("~") for line in report.notes)

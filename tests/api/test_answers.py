"""The answers of `tickertape.Tape` agree with the commands of the same names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import tickertape
from tests.support.columns import born, switch
from tests.support.golden import DEADLOCK, INVERSION
from tests.support.row_tapes import row_tape
from tickertape.errors import TapeClosed, UsageError
from tickertape.model.entities import Kind

if TYPE_CHECKING:
    from pathlib import Path


def test_answers_about_time(tmp_path: Path) -> None:
    (tmp_path / "timing.yaml").write_text("requirements: [{response: high, max: 1 us}]\n")
    with tickertape.open(row_tape(tmp_path / "T.tape", INVERSION)) as tape:
        total = tape.balance.total
        assert total.offered == total.delivered > len(INVERSION)
        (boot,) = tape.stats()
        (none,) = tape.stats(begin_ns=1_000_000)
        (verdict,) = tape.check(tmp_path / "timing.yaml")
        (slowest,) = tape.why("high")
        assert tape.why("high", instance=0, stream=0) == [slowest]
        assert tape.why("high", boot=0) == [slowest]
        with pytest.warns(DeprecationWarning, match="now why\\(boot=\\)"):
            assert tape.why("high", epoch=0) == [slowest]
    high = next(one for one in boot.processes if one.name == "high")
    assert (high.response.maximum.value, slowest.ticks) == (80, 80)
    assert sum(part.ticks for part in slowest.parts) == slowest.ticks
    assert verdict.outcome == "FAIL"
    assert none.observed_ticks == 0


def test_findings(tmp_path: Path) -> None:
    with tickertape.open(row_tape(tmp_path / "T.tape", DEADLOCK)) as tape:
        found = {one.detector: one.count for one in tape.findings()}
    assert found["deadlock"] == 1


def test_wrong_use(tmp_path: Path) -> None:
    tape = tickertape.open(row_tape(tmp_path / "T.tape", INVERSION))
    for answer in (tape.stats, tape.findings):
        with pytest.raises(UsageError, match="no stream 5"):
            answer(stream=5)
    with pytest.raises(UsageError, match="no task is called hihg"):
        tape.why("hihg")
    tape.close()
    with pytest.raises(TapeClosed):
        tape.findings()


def test_answers_show_themselves(tmp_path: Path) -> None:
    """Each answer is readable in a terminal and in a notebook, where names are never markup."""
    (tmp_path / "timing.yaml").write_text("requirements: [{response: high, max: 1 us}]\n")
    with tickertape.open(row_tape(tmp_path / "T.tape", INVERSION)) as tape:
        verdicts = tape.check(tmp_path / "timing.yaml")
        found = (tape.stats(), verdicts, tape.why("high"), tape.findings())
        pages = [one._repr_html_() for one in (*found, tape)]
    texts = [repr(one) for one in found]
    assert texts[0].startswith("boot 0: ")
    assert texts[1].splitlines()[0].startswith("FAIL ")
    assert texts[1].splitlines()[-1] == "0 PASS, 1 FAIL, 0 UNKNOWN"
    assert texts[2].splitlines()[0] == "high, instance 0:"
    assert texts[3].splitlines()[-1].endswith(" findings")
    for page in pages:
        assert page.startswith("<div>")
        ET.fromstring(page)  # noqa: S314 - written here
    assert "final" in pages[-1]


def test_names_are_no_markup(tmp_path: Path) -> None:
    rows = [*born(0, 1, "<b>&one"), switch(0, 0, 1), switch(50, 1, 0)]
    with tickertape.open(row_tape(tmp_path / "<b>.tape", rows)) as tape:
        for page in (tape.stats()._repr_html_(), tape._repr_html_()):
            assert "<b>" not in page
            assert "&lt;b&gt;" in page


def test_times_of_a_task_are_those_of_its_statistics(tmp_path: Path) -> None:
    with tickertape.open(row_tape(tmp_path / "T.tape", INVERSION)) as tape:
        (boot,) = tape.stats()
        for one in boot.processes:
            if one.kind is not Kind.TASK:
                continue
            times = tape.task(one.name)
            for values, figure in (
                (times.response_times_ns(), one.response),
                (times.execution_times_ns(), one.execution),
            ):
                assert len(values) == figure.count.value
                if len(values):
                    assert boot.clock.ns(int(figure.maximum.value or 0)) == values.max()
            table = times.to_arrow()
            assert table.num_rows == len(times)
            assert table["response_ns"].drop_null().to_pylist() == list(times.response_times_ns())
        assert repr(tape.task("high")) == "<tickertape.TaskTimes 'high', 1 instances, 1 whole>"
        with pytest.raises(UsageError, match="no task is called hihg"):
            tape.task("hihg")


def test_instances_in_a_gap_have_no_times(tmp_path: Path) -> None:
    rows = [*INVERSION, *(replace(one, time=one.time + 1000) for one in INVERSION)]
    path = row_tape(tmp_path / "T.tape", rows, is_lost=lambda number: number == 5)
    with tickertape.open(path) as tape:
        balance = tape.balance.total
        (boot,) = tape.stats()
        high = next(one for one in boot.processes if one.name == "high")
        times = tape.task("high")
    assert balance.damaged > 0
    assert balance.offered == balance.delivered + balance.damaged
    whole = len(times.response_times_ns())
    assert whole == high.response.count.value
    assert whole < len(times)
    assert times.to_arrow()["response_ns"].null_count == len(times) - len(times.instances())

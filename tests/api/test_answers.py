"""The answers of `tickertape.Tape` agree with the commands of these names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tickertape
from tests.support.golden import DEADLOCK, INVERSION
from tests.support.row_tapes import row_tape
from tickertape.errors import TapeClosed, UsageError

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
    high = next(one for one in boot.processes if one.name == "high")
    assert (high.response.maximum.value, slowest.ticks) == (100, 100)
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

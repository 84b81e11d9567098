"""Pictures for reports: their content, and requests that are refused."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Command, assert_complaint
from tests.support.lossy_tapes import lossy
from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import balance_of
from tickertape.answers.statistics import statistics_of
from tickertape.model.entities import Kind
from tickertape.report.numbers import duration
from tickertape.tape import TapeReader
from tickertape.view.index import open_index
from tickertape.view.plot import PICTURES, Picture, plot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def drawn(tape: Path, what: str, suffix: str = "svg") -> bytes:
    output = tape.with_suffix(f".{suffix}")
    with open_index(tape) as index:
        plot(index, Picture(what, index.about["begin"], index.about["end"]), output)
    return output.read_bytes()


@pytest.mark.parametrize("what", PICTURES)
def test_a_picture_names_its_rows_and_is_the_same_each_time(tape: Path, what: str) -> None:
    picture = drawn(tape, what).decode()
    texts = set(re.findall(r">([^<>]+)</text>", picture))
    others = {"load": {"CPU 0"}, "latency": {"no instance is known"}}
    assert others.get(what, {"producer", "consumer"}) <= texts
    assert {"running", "tasks", "median"} & texts
    assert drawn(tape, what).decode() == picture


@pytest.mark.parametrize("what", PICTURES)
def test_losses_are_marked_with_count_and_cause(
    make_tape: Callable[[bytes], Path], what: str
) -> None:
    picture = drawn(make_tape(lossy(1)[1]), what).decode()
    assert re.search(r"\d+ records? missing: \d+ (dropped|damaged)", picture)


@pytest.mark.parametrize("is_lossy", [False, True])
def test_distributions_have_the_figures_of_stats(tmp_path: Path, *, is_lossy: bool) -> None:
    truth = simulate(1, 1)
    lost = set(random.Random(1).sample(range(len(truth.rows)), 20)) if is_lossy else set()
    path = row_tape(tmp_path / "t.tape", truth.rows, is_lost=lost.__contains__, buffer_records=16)
    with TapeReader(path) as reader:
        (boot,) = statistics_of(reader)
        assert all(ring.balance.holds for ring in balance_of(reader).rings)
    compared = 0
    for what in ("response", "latency"):
        picture = drawn(path, what).decode()
        texts = set(re.findall(r">([^<>]+)</text>", picture))
        for one in boot.processes:
            found = one.response if what == "response" else one.latency
            if not found.count.value or (what == "latency" and one.kind is not Kind.TASK):
                continue
            median, longest = found.percentiles[50].value, found.maximum.value
            assert median is not None
            assert longest is not None
            times = [duration(boot.clock.ns(int(ticks))) for ticks in (median, longest)]
            count = f"{found.count.value} times: median {times[0]}, 99 % "
            assert any(
                text.startswith(count) and f", longest {times[1]}" in text for text in texts
            ), (one.name, count, texts)
            compared += 1
        assert ("records missing" in picture) == is_lossy
        assert ("touch unknown time" in picture) == ("left out" in picture)
    assert compared > 5


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats(tape: Path, suffix: str, magic: bytes) -> None:
    assert drawn(tape, "timeline", suffix).startswith(magic)


def test_a_hostile_name_is_text(make_tape: Callable[[bytes], Path]) -> None:
    name = r"<b>$\frac{1$ & _^{"
    target = SimulatedTarget()
    target.hello()
    target.combine((0, 0), 4, 320, bytes(4) + (5).to_bytes(4, "little") + name.encode())
    for number in range(9):
        target.advance(1000)
        target.record((0, 0), 9, 0, 5 * (number % 2), 5 * ((number + 1) % 2))
    target.finish()
    picture = drawn(make_tape(target.sent_bytes()), "gantt").decode()
    assert "&lt;b" in picture
    assert "<b>" not in picture


def test_a_wrong_request_is_one_line(tickertape: Command, tape: Path) -> None:
    assert_complaint(tickertape("plot", tape, "-o", "x.gif"), 2, "x.gif is not a picture", ".svg")
    assert_complaint(tickertape("plot", tape, "-o", "x.svg", "--boot", "7"), 2, "no boot 7")
    assert_complaint(tickertape("plot", tape, "-o", "x.svg", "--from", "9999"), 2, "this range")
    assert_complaint(tickertape("plot", "nothing.tape", "-o", "x.svg"), 4, "no file nothing.tape")
    assert_complaint(tickertape("view", "nothing.tape"), 4, "no file nothing.tape")
    assert_complaint(tickertape("view", tape, "--port", "70000"), 2, "70000 is not a port")
    done = tickertape("view", tape, "--html", "x.html", "--read-only")
    assert done.returncode == 0, done.stderr
    assert "81 events in" in done.stdout
